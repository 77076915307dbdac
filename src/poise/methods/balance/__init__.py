"""balance: whole-body Jacobian-transpose balance with a simplified foot contact (D. B. da Silva)."""

from poise.methods.balance.contact import Cylinder
from poise.methods.balance.hierarchy import NoFeet
from poise.methods.balance.link_control import Pull
from poise.methods.balance.method import DEPARTURES, HONEST, Balance, NotStanding
from poise.methods.balance.virtual import TERMS
from poise.methods.upright import Upright

__all__ = ["DEPARTURES", "HONEST", "TERMS", "Balance", "Cylinder", "NoFeet", "NotStanding", "Pull", "Upright"]
