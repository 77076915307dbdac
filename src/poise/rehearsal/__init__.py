"""rehearsal: a search in the simulator that ends with a clip performed, or says where and why not."""

from poise.rehearsal.get_up import get_up
from poise.rehearsal.passes import rehearse
from poise.rehearsal.saving import load as load_plan

__all__ = ["get_up", "load_plan", "rehearse"]
