"""HTML: a recording in one file that plays in any browser, offline, with a timeline to scrub (viser's own player)."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from poise import files
from poise._version import __version__
from poise.errors import BadValue, MissingExtra
from poise.export import scene as drawn
from poise.export import shapes
from poise.export.intersect import BOX
from poise.export.props import Props
from poise.export.raycast import Floor
from poise.export.scene import GHOST, Palette
from poise.export.shapes import Solid
from poise.export.skin import Part, body_parts
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

if TYPE_CHECKING:
    import viser

_FLOOR, _CELLS, _METRES = (236, 237, 240), (205, 208, 214), (170, 175, 184)
_GROUND, _TOUCH = (176, 180, 188), (216, 52, 60)
_UPDATES = 40_000  # poses of bodies in one file: more make browsers slow to load it
_LOCK = threading.Lock()  # one recorder at a time


def save(
    clip: Clip,
    path: str | PathLike[str],
    *,
    fps: float | None = None,
    beside: Clip | Sequence[Clip] = (),
    apart: float = 0.0,
    contacts: bool = True,
    props: Props | None = None,
    verdict: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a clip as a page that plays.

    `fps`: pictures a second (as many as the clip has, at most 60, fewer where the file would grow large). `beside`:
    other clips shown pale with it, over the same time; `apart` [m] puts each so far to the left of the one before.
    `contacts` marks the contact points while they touch. `props` are those of the take that the clip came from,
    `verdict` how it ended. `progress(done, all)` is called after each picture.
    """
    others = (beside,) if isinstance(beside, Clip) else tuple(beside)
    text = page(clip, fps=fps, beside=others, apart=apart, contacts=contacts, props=props, verdict=verdict,
                progress=progress)  # fmt: skip
    with files.writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(clip: Clip, *, fps: float | None = None, beside: Sequence[Clip] = (), apart: float = 0.0,
         contacts: bool = True, props: Props | None = None, verdict: str = "",
         progress: Callable[[int, int], None] | None = None) -> str:  # fmt: skip
    """The text of the page."""
    clips = (clip, *beside)
    rate = _rate(clips, fps)
    with _recorder() as server:
        server.scene.set_up_direction("+z")
        server.scene.configure_default_lights()
        _add_ground(server, clips, apart)
        _aim(server, clips, apart)
        last = max(c.duration for c in clips)
        times = np.arange(int(np.floor(last * rate + 1e-6)) + 1) / rate
        actors: list[_Figure | _Thing] = [
            _Figure(server, c, f"/{'clip' if k == 0 else f'beside_{k}'}", times, k * apart, k > 0, contacts and k == 0)
            for k, c in enumerate(clips)
        ]
        if props is not None:
            actors += [_Thing(server, props, name, times) for name in props.bodies]
        for actor in actors:
            actor.show(0)
        serializer = server.get_scene_serializer()
        for n in range(1, len(times)):
            serializer.insert_sleep(1.0 / rate)
            for actor in actors:
                actor.show(n)
            if progress is not None:
                progress(n, len(times))
        serializer.insert_sleep(1.0 / rate)
        text = serializer.as_html()
    if progress is not None:
        progress(len(times), len(times))
    return _labelled(text, clip, verdict)


@contextmanager
def _recorder() -> Iterator[viser.ViserServer]:
    """A viser server that nobody connects to: its messages are what gets recorded."""
    try:
        import viser
    except ImportError:
        raise MissingExtra("Writing HTML recordings", "studio") from None
    import rich

    console = rich.get_console()  # viser greets and takes leave on it whatever it is told
    with _LOCK:
        loud, console.quiet = console.quiet, True
        try:
            server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
            try:
                yield server
            finally:
                server.stop()
        finally:
            console.quiet = loud


def _rate(clips: Sequence[Clip], fps: float | None) -> float:
    """Pictures a second: what was asked, or as many as the clips have while the file stays small."""
    if fps is not None:
        if not 0 < fps <= 240:
            raise BadValue(f"Pictures a second must be between 0 and 240, not {fps}.")
        return float(fps)
    seconds = max(1e-9, max(c.duration for c in clips))
    moving = sum(c.character.model.nbody - 1 for c in clips)
    return float(max(10.0, min(60.0, max(c.fps for c in clips), _UPDATES / (moving * seconds))))


class _Thing:
    """One prop in the scene, hidden while it waits to be thrown."""

    def __init__(self, server: viser.ViserServer, props: Props, name: str, times: Array) -> None:
        self.node = server.scene.add_frame(f"/props/{_node(name, props.bodies[name])}", show_axes=False)
        for k, part in enumerate(props.parts(name)):
            _add_part(server, f"{self.node.name}/shape_{k}", part)
        poses, self.there = props.at(name, times)
        self.poses = np.round(poses, 5)

    def show(self, frame: int) -> None:
        """Send one frame to the recorder, where something has changed."""
        pose, there = self.poses[frame], bool(self.there[frame])
        if there and (frame == 0 or np.any(pose != self.poses[frame - 1])):
            self.node.position, self.node.wxyz = pose[:3], pose[3:]
        if self.node.visible != there:
            self.node.visible = there


class _Figure:
    """One character in the scene: a node a body, and a mark on every contact point."""

    def __init__(self, server: viser.ViserServer, clip: Clip, name: str, times: Array, aside: float, pale: bool,
                 marks: bool) -> None:  # fmt: skip
        character = clip.character
        palette = GHOST if pale else Palette()
        self.nodes = [server.scene.add_frame(f"{name}/{_node(character.body_names[b], b)}", show_axes=False)
                      for b in range(1, character.model.nbody)]  # fmt: skip
        for k, part in enumerate(body_parts(character, palette)):
            _add_part(server, f"{self.nodes[part.owner - 1].name}/shape_{k}", part, 0.45 if pale else None)
        points = character.contact_points
        self.marks = [
            server.scene.add_icosphere(f"{self.nodes[points.bodies[i] - 1].name}/{_node(points.names[i], i)}", 0.022,
                                       color=_TOUCH, position=points.positions[i], visible=False)
            for i in range(len(points) if marks else 0)
        ]  # fmt: skip
        pos, quat, nearest = _poses(clip, times)
        self.pos, self.quat = np.round(pos + np.array([0.0, aside, 0.0]), 5), np.round(quat, 6)
        self.touching = clip.contacts.labels[nearest] if self.marks else np.zeros((len(times), 0), bool)
        self.lit = np.zeros(len(self.marks), bool)

    def show(self, frame: int) -> None:
        """Send one frame to the recorder."""
        for node, place, turn in zip(self.nodes, self.pos[frame], self.quat[frame], strict=True):
            node.position, node.wxyz = place, turn
        touching = self.touching[frame]
        for i in np.flatnonzero(touching != self.lit):
            self.marks[i].visible = bool(touching[i])
        self.lit = touching


def _poses(clip: Clip, times: Array) -> tuple[Array, Array, np.ndarray]:
    """Places (M, B, 3) and orientations (M, B, 4) of the bodies at times [s], and the nearest frames (M,)."""
    last = len(clip) - 1
    x = np.clip(times / clip.dt, 0.0, last)
    k = np.minimum(np.floor(x + 1e-9).astype(int), last)
    q = conf.interpolate(clip.character.layout, clip.q[k], clip.q[np.minimum(k + 1, last)], np.clip(x - k, 0.0, 1.0))
    pos, quat = clip.character.forward(q)
    return pos[:, 1:], quat[:, 1:], np.rint(x).astype(int)


def _add_part(server: viser.ViserServer, name: str, part: Part, opacity: float | None = None) -> None:
    solid, colour = _welded(part.solid), np.rint(255.0 * np.array(part.colour)).astype(int)
    server.scene.add_mesh_simple(name, solid.vertices, solid.faces, color=colour, opacity=opacity)


def _node(name: str, index: int) -> str:
    """A name that can stand in a path of viser's scene."""
    return name.replace("/", "_") or f"part_{index}"


def _welded(solid: Solid) -> Solid:
    """The solid with corners that coincide made one, since the browser makes normals from shared corners."""
    _, first, inverse = np.unique(np.round(solid.vertices, 6), axis=0, return_index=True, return_inverse=True)
    faces = inverse.reshape(-1)[solid.faces]
    keep = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return Solid(solid.vertices[first], solid.normals[first], faces[keep])


def _bounds(clips: Sequence[Clip], apart: float) -> tuple[Array, Array]:
    """Lowest and highest corner (3,) [m] of where all roots go."""
    roots = np.concatenate([c.character.forward(c.q)[0][:, 1] + [0.0, k * apart, 0.0] for k, c in enumerate(clips)])
    return roots.min(axis=0), roots.max(axis=0)


def _aim(server: viser.ViserServer, clips: Sequence[Clip], apart: float) -> None:
    """Look at the whole path from the right of the way that the first clip goes, a little from the front and above."""
    low, high = _bounds(clips, apart)
    height = max(c.character.height for c in clips)
    centre = 0.5 * (low + high)
    reach = 1.15 * height + 0.75 * float(np.linalg.norm((high - low)[:2])) + 0.5 * float(high[2] - low[2])
    pos, quat = clips[0].character.forward(clips[0].q[[0, -1]])
    gone = pos[1, 1, :2] - pos[0, 1, :2]
    facing = np.arctan2(gone[1], gone[0]) if np.linalg.norm(gone) > 0.5 else float(rot.heading(quat[0, 1]))
    way = rot.rotate(rot.about_z(facing), np.array([0.45, -1.0, 0.3]))
    server.initial_camera.look_at = centre - [0.0, 0.0, 0.1 * height]
    server.initial_camera.position = centre + reach * way / np.linalg.norm(way)
    server.initial_camera.fov = np.radians(50.0)


def _add_ground(server: viser.ViserServer, clips: Sequence[Clip], apart: float) -> None:
    """The ground of the first clip: a grid on its plane, and its steps or hills as a mesh."""
    low, high = _bounds(clips, apart)
    low, high = low[:2] - 2.0, high[:2] + 2.0
    solid, floor = drawn.ground(clips[0].ground, low, high, Floor())
    if floor.shown:
        centre = np.append(0.5 * (np.floor(low) + np.ceil(high)), 0.0)
        centre[2] = (floor.level - centre[:2] @ floor.normal[:2]) / floor.normal[2]
        width, depth = np.ceil(high) - np.floor(low)
        server.scene.add_grid(
            "/ground/plane", float(width) / floor.normal[2], float(depth) / floor.normal[2], cell_size=0.5,
            cell_color=_CELLS, section_size=1.0, section_color=_METRES, plane_color=_FLOOR, plane_opacity=1.0,
            shadow_opacity=0.3, wxyz=rot.between(np.array([0.0, 0.0, 1.0]), floor.normal),
            position=centre - 0.002 * floor.normal,
        )  # fmt: skip
    boxes = [shapes.rounded_box(solid.size[i], 0.05).placed(rot.from_matrix(solid.frame[i]), solid.centre[i])
             for i in np.flatnonzero(solid.kind == BOX)]  # fmt: skip
    others = np.flatnonzero(solid.kind != BOX)
    if len(others):  # triangles of a sampled surface
        corners = (solid.centre[others, None] + solid.frame[others]).reshape(-1, 3)
        boxes.append(_welded(shapes.triangles(corners, np.arange(len(corners)).reshape(-1, 3))))
    if boxes:
        whole = shapes.join(boxes)
        server.scene.add_mesh_simple("/ground/shape", whole.vertices, whole.faces, color=_GROUND, side="double",
                                     flat_shading=True)  # fmt: skip


def _labelled(text: str, clip: Clip, verdict: str = "") -> str:
    """The page with its title; licence of the source and verdict in its head and in a corner of the picture."""
    name, terms = clip.name or clip.character.name, clip.source.licence
    head = f"<title>{html.escape(name)} - poise</title>"
    head += f'<meta name="generator" content="poise {__version__}">'
    head += f'<meta name="licence" content="{html.escape(terms, quote=True)}">' if terms else ""
    text_of_it = html.escape(clip.source.licence_text, quote=True)
    head += f'<meta name="licence-text" content="{text_of_it}">' if text_of_it else ""
    head += f'<meta name="verdict" content="{html.escape(verdict, quote=True)}">' if verdict else ""
    note = " · ".join(dict.fromkeys(part for part in (name, clip.character.name, terms) if part))
    style = "position:fixed;left:12px;bottom:50px;max-width:70%;font:12px sans-serif;color:#667;pointer-events:none"
    told = f"{html.escape(verdict)}<br>" if verdict else ""
    corner = f'<div style="{style}">{told}{html.escape(note)}</div>'
    start = text.find("<title>")
    if start >= 0:
        text = text[:start] + text[text.index("</title>", start) + len("</title>") :]
    text = text.replace("<head>", "<head>" + head, 1)
    end = text.rindex("</body>")
    return text[:end] + corner + text[end:]
