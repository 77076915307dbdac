"""Finger motion for hands that motion capture missed; Ye 2012, chapter 5."""

from poise.methods.hands.as_take import take_of
from poise.methods.hands.delivery import Found, find
from poise.methods.hands.scene import Scene, Stand, Track
from poise.methods.hands.scene_file import load_scene
from poise.methods.hands.settings import Hands
from poise.methods.hands.solution import Solution
from poise.methods.hands.thing import Piece, Thing

__all__ = ["Found", "Hands", "Piece", "Scene", "Solution", "Stand", "Thing", "Track", "find", "load_scene", "take_of"]
