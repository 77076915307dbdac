"""A cook at a table (5.6.2): a milk box, a bottle and a pepper mill, each taken, tilted and set down in turn.

The sequence is cut into one short piece a thing, as in the thesis, with the hand's way from one to the next between.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.maths.rotations import Array, from_euler, multiply, slerp
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.scenes.authoring import SIDE, approach, ease, frames, held, turns
from poise.methods.hands.scenes.table2 import milk_box
from poise.methods.hands.thing import Piece, Thing

TABLE = 0.92  # [m] its height
PIECE, WAY = 130, 34  # frames of a piece, and of the way to the next
_FORWARD = from_euler("xyz", np.radians([0.0, 0.0, -90.0]))  # fingers of `SIDE` point ahead, the palm to the left


@dataclass(frozen=True, eq=False)
class Kitchen:
    """Things on a table, and the motion of the right wrist past all of them."""

    things: tuple[Thing, ...]
    tracks: tuple[Track, ...]  # (N,) of each thing
    wrist: Track  # (N,)
    spans: tuple[tuple[int, int], ...]  # frames of each piece

    def piece(self, k: int, wrist: Track | None = None) -> Scene:
        """The scene of one thing while it is handled, with another motion of the wrist where one is given."""
        a, b = self.spans[k]
        return self.scene(k, wrist, a, b)

    def scene(self, k: int, wrist: Track | None = None, a: int = 0, b: int | None = None) -> Scene:
        """One thing from frame a to b."""
        wrist, own = wrist or self.wrist, self.tracks[k]
        return Scene(
            self.things[k].name,
            self.things[k],
            Track(own.place[a:b], own.turn[a:b]),
            {"right": Track(wrist.place[a:b], wrist.turn[a:b])},
            table=TABLE,
        )


def kitchen() -> Kitchen:
    """The scene; the cook stands at the origin and looks along x."""
    things = (
        milk_box(0.6),
        Thing("bottle", (Piece("cylinder", (0.028, 0.075)),), 0.2),
        Thing("pepper mill", (Piece("cylinder", (0.026, 0.06)),), 0.2),
    )
    places = ((0.44, -0.46), (0.48, -0.18), (0.44, 0.10))
    grips = ((0.086, -0.012, -0.056), (0.080, -0.012, -0.048), (0.080, -0.010, -0.047))
    pieces = [_piece(thing, at, grip) for thing, at, grip in zip(things, places, grips, strict=True)]
    spans = tuple((k * (PIECE + WAY), k * (PIECE + WAY) + PIECE) for k in range(len(things)))
    N = spans[-1][1]
    tracks = []
    for (motion, _), (a, b) in zip(pieces, spans, strict=True):
        index = np.clip(np.arange(N) - a, 0, b - a - 1)
        tracks.append(Track(motion.place[index], motion.turn[index]))
    wrists = [wrist for _, wrist in pieces]
    place, turn = [wrists[0].place], [wrists[0].turn]
    for before, after in pairwise(wrists):
        u = ease((frames(WAY) + 1) / (WAY + 1))
        way = before.place[-1] + u[:, None] * (after.place[0] - before.place[-1])
        place += [way + 0.16 * (4 * u * (1 - u))[:, None] * np.array([-0.6, 0.0, 0.8]), after.place]
        turn += [np.array([slerp(before.turn[-1], after.turn[0], x) for x in u]), after.turn]
    return Kitchen(things, tuple(tracks), Track(np.concatenate(place), np.concatenate(turn)), spans)


def _piece(thing: Thing, at: tuple[float, float], grip: tuple[float, float, float]) -> tuple[Track, Track]:
    """Taken, lifted, tilted as for pouring and set down again: the thing's track and the wrist's."""
    t = frames(PIECE)
    up = ease((t - 26) / 34) - ease((t - PIECE + 60) / 34)
    tilt = ease((t - 40) / 24) - ease((t - PIECE + 64) / 24)
    place = np.stack([at[0] + 0 * t, at[1] + 0 * t, TABLE - thing.extent[0, 2] + 0.12 * up], 1)
    motion = Track(place, multiply(np.broadcast_to(_FORWARD, (PIECE, 4)), turns((0, 1, 0), 18 * tilt)))
    away: Array = approach(PIECE, (-0.04, 0, 0.07), 16)
    return motion, held(motion, SIDE, grip, shift=away + away[::-1])
