"""BVH texts for tests, and their joint positions worked out with scipy alone."""

from __future__ import annotations

import itertools
import re

import numpy as np
from scipy.spatial.transform import Rotation

PLAIN = """HIERARCHY
ROOT Hips
{
  OFFSET 1.0 2.0 3.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0.0 5.5 0.5
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT Head
    {
      OFFSET 0.0 4.0 0.0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0.0 2.0 0.0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 1.5 -1.0 0.0
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 0.0 -8.0 1.0
    }
  }
}
"""


def motion(table: np.ndarray, dt: str = "0.0083333", count: int | None = None) -> str:
    """The MOTION block of a table of numbers (N, C)."""
    rows = "\n".join(" ".join(repr(float(v)) for v in row) for row in table)
    return f"MOTION\nFrames: {len(table) if count is None else count}\nFrame Time: {dt}\n{rows}\n"


def numbers(header: str, frames: int = 7, seed: int = 0, size: float = 170.0) -> np.ndarray:
    """Random numbers (N, C) for the channels that a header declares."""
    width = sum(int(n) for n in re.findall(r"CHANNELS\s+(\d+)", header))
    return np.random.default_rng(seed).uniform(-size, size, (frames, width))


def positions(header: str, table: np.ndarray) -> np.ndarray:
    """Global joint positions (N, J, 3), by matrices, from a header in the layout of PLAIN."""
    parents, offsets, channels, stack = [], [], [], []
    for line in header.splitlines():
        words = line.split()
        if words[0] in ("ROOT", "JOINT", "End"):
            stack.append(len(parents) if words[0] != "End" else -2)
            if words[0] != "End":
                parents.append(next((s for s in reversed(stack[:-1]) if s >= 0), -1))
        elif words[0] == "}":
            stack.pop()
        elif words[0] == "OFFSET" and stack[-1] >= 0:
            offsets.append([float(w) for w in words[1:4]])
        elif words[0] == "CHANNELS":
            channels.append(words[2:])
    out = np.empty((len(table), len(parents), 3))
    for n, row in enumerate(table):
        values, turns = iter(row), []
        for j, names in enumerate(channels):
            place, turn = np.array(offsets[j]), Rotation.identity()
            for name in names:
                value = next(values)
                if name.endswith("position"):
                    place["XYZ".index(name[0])] = value
                else:
                    turn = turn * Rotation.from_euler(name[0].lower(), value, degrees=True)
            if parents[j] < 0:
                out[n, j] = place
                turns.append(turn)
            else:
                out[n, j] = out[n, parents[j]] + turns[parents[j]].apply(place)
                turns.append(turns[parents[j]] * turn)
    return out


ORDERS = ["".join(o) for o in itertools.permutations("XYZ")]
