"""What a page shows, as tables: the solids of bodies and things, their poses by picture, arrows and marks."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.export import scene as drawn
from poise.export import shapes
from poise.export.dress import fists_of
from poise.export.happened import Happened
from poise.export.intersect import BOX
from poise.export.props import Props
from poise.export.raycast import Floor
from poise.export.scene import Palette
from poise.export.shapes import Solid
from poise.export.skin import Part, body_parts
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

_GROUND = (0.80, 0.81, 0.83)
_PALE = Palette((0.42, 0.46, 0.60), (0.42, 0.46, 0.60), (0.42, 0.46, 0.60))  # of a reference
_LINGER = 0.4  # [s] for which the arrow of a push is still seen: most last 0.1 s
_TURNS = 32767  # a quaternion's numbers are stored as whole ones of this
_EYE = 0.56  # [rad] of the player's view from top to bottom


class Page:
    """The tables of one page, grown one actor after the other; `about` is its head, `packed()` its numbers."""

    def __init__(self, clip: Clip, rate: float, *, contacts: bool = True) -> None:
        self.clip, self.rate = clip, rate
        count = int(np.floor(clip.duration * rate + 1e-6)) + 1
        self.times = np.arange(count) / rate
        self.vertices: list[Array] = []
        self.normals: list[Array] = []
        self.faces: list[np.ndarray] = []
        self.places: list[Array] = []
        self.turns: list[Array] = []
        self.shown: list[np.ndarray] = []
        self.parts: list[dict[str, Any]] = []
        self.forces: tuple[np.ndarray, Array] = (np.zeros(count, int), np.zeros((0, 7)))
        self.solids: dict[str, tuple[int, int]] = {}
        nearest, self.roots = self._figure(clip, Palette(), "body", 1.0)
        points = clip.character.contact_points
        kept = range(len(points) if contacts else 0)
        self.points = [
            {"name": points.names[i], "track": int(points.bodies[i]) - 1, "place": points.positions[i].tolist()}
            for i in kept
        ]
        self.touching = clip.contacts.labels[nearest] if contacts else np.zeros((count, 0), bool)
        self.clip_frame, self.clip_frames = np.rint(self.times / clip.dt).astype(int), len(clip) - 1
        self.marks: list[dict[str, Any]] = []
        self.spread = 0.0  # [m] that figures stand apart
        self.names = {"clip": list(clip.character.body_names[1:])}

    def _add(self, solid: Solid) -> tuple[int, int]:
        """First index and number of indices of a solid in the table of faces."""
        key = solid.vertices.tobytes() + solid.faces.tobytes()
        known = str(hash(key))
        if known in self.solids:
            return self.solids[known]
        base = sum(map(len, self.vertices))
        first = 3 * sum(map(len, self.faces))
        self.vertices.append(solid.vertices)
        self.normals.append(solid.normals)
        self.faces.append(solid.faces + base)
        self.solids[known] = first, 3 * len(solid.faces)
        return self.solids[known]

    def _part(self, solid: Solid, group: str, track: int, colour: Any, alpha: float = 1.0) -> None:
        first, count = self._add(solid)
        self.parts.append({"first": first, "count": count, "track": track, "group": group, "alpha": alpha,
                           "colour": [round(float(c), 3) for c in colour]})  # fmt: skip

    def _track(self, places: Array, turns: Array, shown: np.ndarray | None = None) -> int:
        """Index of a new track of poses: places (N, 3), quaternions (N, 4)."""
        self.places.append(places)
        self.turns.append(turns)
        self.shown.append(np.ones(len(places), bool) if shown is None else shown)
        return len(self.places) - 1

    def _figure(self, clip: Clip, palette: Palette, group: str, alpha: float, aside: float = 0.0
                ) -> tuple[np.ndarray, Array]:  # fmt: skip
        """Add a character; gives the nearest frames (N,) of its clip, and where its root is (N, 3)."""
        pos, quat, nearest = _poses(clip, self.times)
        pos = pos + np.array([0.0, aside, 0.0])
        first = len(self.places)
        for b in range(pos.shape[1]):
            self._track(pos[:, b], quat[:, b])
        for part in body_parts(clip.character, palette, fists_of(clip)):
            self._part(part.solid, group, first + part.owner - 1, part.colour, alpha)
        return nearest, pos[:, 0]

    def ghost(self, clip: Clip, aside: float = 0.0) -> None:
        """Another clip, pale."""
        _, roots = self._figure(clip, _PALE, "ghost", 0.35, aside)
        if aside:
            self.roots = 0.5 * (self.roots + roots)
            self.spread = max(self.spread, float(np.linalg.norm(self.roots - roots, axis=1).max()))

    def things(self, props: Props) -> None:
        """Props, and parts of the ground that move."""
        for name in props.bodies:
            poses, there = props.at(name, self.times)
            track = self._track(poses[:, :3], poses[:, 3:], there)
            for part in props.parts(name):
                self._part(part.solid, "prop", track, part.colour)

    def ground(self, props: Props | None = None) -> None:
        """The ground of the clip as far as one sees, without the parts of it that are things."""
        low, high = self.roots[:, :2].min(0) - 3.0, self.roots[:, :2].max(0) + 3.0
        moving = () if props is None else tuple(props.bodies)
        solid, floor = drawn.ground(self.clip.ground, low, high, Floor(), moving)
        if floor.shown:
            middle = np.append(0.5 * (low + high), 0.0)
            middle[2] = (floor.level - middle[:2] @ floor.normal[:2]) / floor.normal[2]
            turn = rot.between(np.array([0.0, 0.0, 1.0]), floor.normal)
            corners = 60.0 * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
            flat = shapes.triangles(corners, np.array([[0, 1, 2], [0, 2, 3]]))
            self._part(flat.placed(turn, middle - 0.001 * floor.normal), "plane", -1, _GROUND)
        for part in solid_parts(solid):
            self._part(part.solid, "ground", -1, part.colour)

    def told(self, happened: Happened) -> None:
        """Arrows and marks of a take."""
        dt = self.clip.dt
        take_frame = np.clip(np.rint(self.times / dt).astype(int), 0, len(self.clip) - 1)
        first, last = np.searchsorted(happened.frame, take_frame), np.searchsorted(happened.frame, take_frame + 1)
        rows, counts = [], np.zeros(len(self.times), int)
        for n, t in enumerate(self.times):
            here = slice(first[n], last[n])
            rows += [np.column_stack([happened.point[here], happened.force[here], np.zeros(last[n] - first[n])])]
            for push in happened.pushes:
                if push.time - 1e-9 <= t <= push.end + _LINGER:
                    rows.append(np.concatenate([push.point, push.force, [1.0]])[None])
            counts[n] = sum(map(len, rows)) - counts[:n].sum()
        self.forces = counts, np.concatenate(rows) if rows else np.zeros((0, 7))
        self.clip_frame, self.clip_frames = happened.clip_frame[take_frame], happened.clip_frames
        self.marks = [{"time": None if m.time is None else round(m.time, 4), "kind": m.kind, "text": m.text}
                      for m in happened.marks]  # fmt: skip

    @property
    def about(self) -> dict[str, Any]:
        """The head of the page, but for its words."""
        tall = self.clip.character.height
        tools = {name: dict(zip(("first", "count"), self._add(solid), strict=True)) for name, solid in _tools().items()}
        self._sections, self._data = self._tables()
        heading = self._heading()
        return {"frames": len(self.times), "rate": self.rate, "seconds": float(self.times[-1]),
                "still": len(self.times) < 2,
                "tracks": len(self.places), "parts": self.parts, "points": self.points, "marks": self.marks,
                "clip_frames": int(self.clip_frames), "heading": round(heading, 4), "sections": self._sections,
                "reach": round((0.75 * tall + self.spread) / np.tan(0.5 * _EYE), 3),
                "metres_per_newton": 0.5 * tall / (9.81 * self.clip.character.mass), **tools}  # fmt: skip

    def _heading(self) -> float:
        """The way [rad] that the motion goes, or that the body faces."""
        gone = (self.roots[-1] - self.roots[0])[:2]
        if np.linalg.norm(gone) > 0.5:
            return float(np.arctan2(gone[1], gone[0]))
        return float(rot.heading(self.clip.character.forward(self.clip.q[:1])[1][0, 1]))

    def _tables(self) -> tuple[dict[str, Any], bytes]:
        """Where each table lies, and all of them one after the other."""
        counts, arrows = self.forces
        target = (
            gaussian_filter1d(self.roots, 0.25 * self.rate, axis=0, mode="nearest")
            if len(self.roots) > 1
            else self.roots
        )
        target = target - np.array([0.0, 0.0, 0.06 * self.clip.character.height])
        tables = {
            "vertices": np.concatenate(self.vertices).astype("<f4"),
            "normals": np.concatenate(self.normals).astype("<f4"),
            "faces": np.concatenate(self.faces).astype("<u4"),
            "places": np.round(np.stack(self.places, 1), 4).astype("<f4"),
            "target": np.round(target, 4).astype("<f4"),
            "arrows": np.round(arrows, 3).astype("<f4"),
            "arrow_start": np.concatenate([[0], np.cumsum(counts)]).astype("<u4"),
            "clip_frame": self.clip_frame.astype("<u4"),
            "turns": np.rint(_TURNS * np.stack(self.turns, 1)).astype("<i2"),
            "shown": np.stack(self.shown, 1).astype("u1"),
            "touching": self.touching.astype("u1"),
        }
        sections, data = {}, bytearray()
        for name, table in tables.items():
            sections[name] = {"type": table.dtype.str.lstrip("<|"), "offset": len(data), "length": int(table.size),
                              "shape": list(table.shape)}  # fmt: skip
            data += table.tobytes() + b"\0" * (-table.nbytes % 4)
        return sections, bytes(data)

    def packed(self) -> str:
        """The tables, compressed, as text; ask for `about` before."""
        return base64.b64encode(zlib.compress(self._data, 9)).decode("ascii")


def solid_parts(solid: Any) -> list[Part]:
    """The shapes of a ground as solids: boxes, and one mesh of all its triangles."""
    boxes = []
    for i in np.flatnonzero(solid.kind == BOX):
        box = shapes.rounded_box(solid.size[i], 0.02)
        red, green, blue = (float((0.9 if i % 2 else 1.0) * c) for c in _GROUND)  # so that steps are told apart
        boxes.append(Part(0, box.placed(rot.from_matrix(solid.frame[i]), solid.centre[i]), (red, green, blue)))
    others = np.flatnonzero(solid.kind != BOX)
    if len(others):  # triangles of a sampled surface
        corners = (solid.centre[others, None] + solid.frame[others]).reshape(-1, 3)
        boxes.append(Part(0, shapes.triangles(corners, np.arange(len(corners)).reshape(-1, 3)), _GROUND))
    return boxes


def _poses(clip: Clip, times: Array) -> tuple[Array, Array, np.ndarray]:
    """Places (M, B, 3) and orientations (M, B, 4) of the bodies at times [s], and the nearest frames (M,)."""
    last = len(clip) - 1
    x = np.clip(times / clip.dt, 0.0, last)
    k = np.minimum(np.floor(x + 1e-9).astype(int), last)
    q = conf.interpolate(clip.character.layout, clip.q[k], clip.q[np.minimum(k + 1, last)], np.clip(x - k, 0.0, 1.0))
    pos, quat = clip.character.forward(q)
    return pos[:, 1:], quat[:, 1:], np.rint(x).astype(int)


def _tools() -> dict[str, Solid]:
    """What marks and arrows are made of, one metre large: a ball about the origin, a rod and a cone along Z from it."""
    up = np.array([0.0, 0.0, 0.5])
    rod = shapes.cylinder(1.0, 0.5)
    cone = shapes.lathe(np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]),
                        np.array([[0.0, -1.0], [0.0, -1.0], [0.7, 0.7], [0.7, 0.7]]))  # fmt: skip
    return {"ball": shapes.ellipsoid(np.ones(3), 12, 7), "rod": rod.placed(rot.IDENTITY, up), "cone": cone}
