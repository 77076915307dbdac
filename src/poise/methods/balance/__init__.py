"""balance: whole-body Jacobian-transpose balance with a simplified foot contact (D. B. da Silva)."""

from poise.methods.balance.body import NoFeet
from poise.methods.balance.contact import Cylinder
from poise.methods.balance.departures import DEPARTURES
from poise.methods.balance.honest import HONEST
from poise.methods.balance.method import Balance, NotStanding
from poise.methods.balance.outside import Pull, Upright
from poise.methods.balance.virtual import TERMS

__all__ = ["DEPARTURES", "HONEST", "TERMS", "Balance", "Cylinder", "NoFeet", "NotStanding", "Pull", "Upright"]
