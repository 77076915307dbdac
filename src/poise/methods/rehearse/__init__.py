"""rehearse: clips performed by offsets of servo targets that a search in the simulator found (Liu et al. 2010)."""

from poise.methods.rehearse.controller import Rehearsed
from poise.methods.rehearse.plan import Plan

__all__ = ["Plan", "Rehearsed"]
