"""Characters: articulated bodies ready for physics."""

from poise.character import mujoco_log
from poise.character.character import Character, ContactPoints
from poise.character.roles import ROLES
from poise.character.skeleton import Binding, EndSite, Placement, Skeleton

mujoco_log.install()

__all__ = ["ROLES", "Binding", "Character", "ContactPoints", "EndSite", "Placement", "Skeleton"]
