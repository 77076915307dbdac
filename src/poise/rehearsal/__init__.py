"""rehearsal: a search in the simulator that ends with a clip performed, or says where and why not."""

from poise.rehearsal.passes import rehearse
from poise.rehearsal.saving import load as load_plan

__all__ = ["load_plan", "rehearse"]
