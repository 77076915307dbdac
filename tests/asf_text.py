"""A small ASF/AMC pair in the style of the CMU database, and its bone ends worked out with scipy alone."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

# name, parent, direction, length, axis, degrees of freedom
BONES = (
    ("lhipjoint", "root", (0.60, -0.72, 0.34), 2.4, (0, 0, 0), ()),
    ("lfemur", "lhipjoint", (0.34, -0.94, 0.0), 7.16, (0, 0, 20), ("rx", "ry", "rz")),
    ("ltibia", "lfemur", (0.34, -0.94, 0.0), 7.0, (0, 0, 20), ("rx",)),
    ("lfoot", "ltibia", (0.08, -0.12, 0.98), 2.1, (-90, 0, 20), ("rx", "rz")),
    ("lowerback", "root", (0.01, 0.99, -0.03), 2.0, (0, 0, 0), ("rx", "ry", "rz")),
    ("lhumerus", "lowerback", (1.0, 0.0, 0.0), 5.0, (180, 30, -90), ("rz", "rx", "ry")),
)


def asf(angle: str = "deg", length: float = 0.45) -> str:
    """The skeleton file."""
    turn = (lambda v: v) if angle == "deg" else np.radians
    text = f"# AST/ASF file\n:version 1.10\n:name VICON\n:units\n  mass 1.0\n  length {length}\n  angle {angle}\n"
    text += ":documentation\n   .ast/.asf automatically generated\n:root\n   order TX TY TZ RX RY RZ\n   axis XYZ\n"
    text += "   position 0 0 0\n   orientation 0 0 0\n:bonedata\n"
    for k, (name, _, way, size, axis, dofs) in enumerate(BONES):
        text += f"  begin\n     id {k + 1}\n     name {name}\n"
        text += f"     direction {' '.join(map(str, way))}\n     length {size}\n"
        text += f"     axis {' '.join(str(turn(a)) for a in axis)}   XYZ\n"
        if dofs:
            text += f"    dof {' '.join(dofs)}\n    limits (-160.0 20.0)\n"
            text += "".join("           (-70.0 70.0)\n" for _ in dofs[1:])
        text += "  end\n"
    text += ":hierarchy\n  begin\n"
    for parent in dict.fromkeys(b[1] for b in BONES):
        text += f"    {parent} {' '.join(b[0] for b in BONES if b[1] == parent)}\n"
    return text + "  end\n"


def table(frames: int = 5, seed: int = 0) -> list[dict[str, np.ndarray]]:
    """Random numbers for every bone that moves, by frame."""
    rng = np.random.default_rng(seed)
    names = [("root", 6), *((b[0], len(b[5])) for b in BONES if b[5])]
    return [{n: rng.uniform(-90, 90, k) for n, k in names} for _ in range(frames)]


def amc(
    rows: list[dict[str, np.ndarray]], mode: str = ":DEGREES", head: str = "#!OML:ASF F:\\VICON\\rory.ASF\n"
) -> str:
    """The motion file."""
    text = f"{head}:FULLY-SPECIFIED\n{mode}\n"
    for n, row in enumerate(rows):
        text += f"{n + 1}\n"
        for name, values in row.items():
            angles = np.radians(values) if mode == ":RADIANS" else values
            numbers = [*values[:3], *angles[3:]] if name == "root" else angles
            text += f"{name} {' '.join(repr(float(v)) for v in numbers)}\n"
    return text


def ends(row: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Where each bone begins and ends in a frame: each bone turns by C M C⁻¹ and points along its direction."""
    fixed = lambda order, angles: Rotation.from_euler(order, angles, degrees=True)  # noqa: E731  # lower case: fixed axes
    turns = {"root": fixed("xyz", row["root"][3:])}
    tips = {"root": row["root"][:3]}
    out = {}
    for name, parent, way, size, axis, dofs in BONES:
        c = fixed("xyz", axis)
        m = fixed("".join(d[1] for d in dofs), row[name]) if dofs else Rotation.identity()
        turns[name] = turns[parent] * c * m * c.inv()
        tips[name] = tips[parent] + turns[name].apply(np.array(way) / np.linalg.norm(way) * size)
        out[name] = (tips[parent], tips[name])
    return out
