"""Filmstrips: poses of one or several clips along one ground line, with times and contacts; no OpenGL needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from os import PathLike

import numpy as np
from PIL import Image

from poise.errors import BadValue, UnknownName
from poise.export import ink, raycast, scene
from poise.export.camera import Camera
from poise.export.happened import Happened
from poise.export.intersect import Shapes
from poise.export.props import Props
from poise.export.strip import Arrow, Plan, heading_of, moments, plan, row_of, with_grounds, with_pushes, with_times
from poise.ground.ground import drawn_of, parts_of
from poise.maths.rotations import Array
from poise.motion.clip import Clip

_SOFT = 12  # pixels in which the sides of a picture fade
_FAR_AWAY = 30.0  # [m]: a parallel camera stands outside everything


def filmstrip(
    clips: Clip | Sequence[Clip],
    *,
    frames: int = 8,
    times: Sequence[float] | Array | None = None,
    labels: Sequence[str] | None = None,
    title: str = "",
    width: int = 1500,
    row_height: int = 420,
    spacing: float | str = "auto",
    contacts: bool = True,
    props: Props | None = None,
    happened: Happened | None = None,
    palettes: Sequence[scene.Palette] | None = None,
    elevation: float = 9.0,
    azimuth: float | None = None,
    smooth: int = 2,
) -> Image.Image:
    """A picture of poses from left to right on one ground line; several clips are stacked, at the same times.

    `times` [s] or a number of `frames` over the longest clip. `spacing` is "true" (the distances of the motion),
    "even" (side by side), "auto" (true where poses neither overlap nor get lost) or a distance [m]. The picture is at
    most `width` pixels wide, each row at most `row_height` high. Green dots are contact points that touch. The camera
    looks down by `elevation` degrees and from the front by `azimuth` degrees; left limbs are orange, right ones blue.
    All rows are seen by one camera, along the way of the first. `props` and `happened` are those of the take that the
    first clip came from: pushes are arrows, and where no `times` are given one pose is shown at the time of each.
    """
    clips = [clips] if isinstance(clips, Clip) else list(clips)
    if not clips:
        raise BadValue("A filmstrip needs at least one clip.")
    if width < 64 or row_height < 32:
        raise BadValue(f"A filmstrip of {width} pixels with rows of {row_height} pixels is too small to show anything.")
    names = _names(clips, labels)
    chosen = moments(clips, frames, times)
    pushes = () if happened is None else happened.pushes
    if times is None:
        chosen = with_times(chosen, [0.5 * (p.time + p.end) for p in pushes])
    palettes = list(palettes or [scene.Palette()])
    way = heading_of(clips[0])
    rows = [row_of(c, chosen, contacts=contacts, palette=palettes[min(i, len(palettes) - 1)],
                   props=props if i == 0 else None, heading=way)
            for i, c in enumerate(clips)]  # fmt: skip
    rows[0] = with_pushes(rows[0], chosen, pushes)
    rows = [with_grounds(row, chosen, () if happened is None else happened.grounds) for row in rows]
    layout = plan(rows, chosen, spacing=spacing, elevation=elevation, azimuth=azimuth)
    # a row of figures at one height has row_height; one that climbs may have twice as much
    tall = min(row_height / layout.figure, 2.0 * row_height / (layout.high - layout.low))
    scale = min(width / layout.width, tall)
    pictures = [_row(layout, i, scale, smooth) for i in range(len(rows))]
    return _assemble(layout, pictures, names, title, scale)


def save(clip: Clip | Sequence[Clip], path: str | PathLike[str], **options: object) -> None:
    """Write a filmstrip as PNG; the source and its licence travel in the file. Options are those of `filmstrip`."""
    known = list(signature(filmstrip).parameters)[1:]
    for name in options:
        if name not in known:
            raise UnknownName("option of a filmstrip", name, known)
    clips = [clip] if isinstance(clip, Clip) else list(clip)
    picture = filmstrip(clips, **options)  # type: ignore[arg-type]
    ink.write_png(picture, path, ink.facts(clips))


def _names(clips: Sequence[Clip], labels: Sequence[str] | None) -> list[str]:
    if labels is None:
        return ["" if len(clips) == 1 else f"{c.name} ({c.character.name})".strip() for c in clips]
    if len(labels) != len(clips):
        raise BadValue(f"{len(clips)} clips need as many labels, not {len(labels)}.")
    return [str(label) for label in labels]


def _row(layout: Plan, index: int, scale: float, smooth: int) -> Image.Image:
    """One strip: all poses in one scene where the ground allows it, else one scene a pose."""
    row, bases = layout.rows[index], layout.bases[index]
    there = row.there
    if row.plane and len(there):
        return _plane_row(layout, index, scale, smooth)
    whole = Image.new("RGB", (round(layout.width * scale), round((layout.high - layout.low) * scale)), (255, 255, 255))
    if not len(there):
        return whole  # a clip that has ended before the first time shown
    off = bases[there] @ layout.axes(row)[0] - layout.columns[there]
    if not row.grounds and np.ptp(off) < 0.01 and np.ptp(bases[there, 2]) < 1e-9:
        return _shot(layout, index, there, layout.edges[[0, -1]], scale, smooth)
    for k in map(int, there):
        part = _shot(layout, index, [k], layout.edges[k : k + 2], scale, smooth)
        whole.paste(part, (round((layout.edges[k] - layout.edges[0]) * scale), 0), _soft_sides(part.size))
    return whole


def _soft_sides(size: tuple[int, int]) -> Image.Image:
    """A mask that lets the sides of a picture fade."""
    x = np.arange(size[0]) + 0.5
    ramp = np.clip(np.minimum(x, size[0] - x) / _SOFT, 0.0, 1.0)
    return Image.fromarray(np.tile(np.round(255 * ramp).astype(np.uint8), (size[1], 1)))


def _plane_row(layout: Plan, index: int, scale: float, smooth: int) -> Image.Image:
    """All poses on a plane, each moved along it to its column."""
    row = layout.rows[index]
    right, up, ahead = layout.axes(row)
    start = row.under(np.zeros(3))
    parts, marks, arrows = [], [], []
    for pose, column, base in zip(row.poses, layout.columns, layout.bases[index], strict=True):
        if pose is not None:
            shift = column * right + start - base
            parts.append(pose.shapes.moved(shift))
            marks.append(pose.touching + shift)
            arrows += [a._replace(tail=a.tail + shift, tip=a.tip + shift) for a in pose.pushes]
    middle = 0.5 * (layout.edges[0] + layout.edges[-1]) * right + start + 0.5 * (layout.low + layout.high) * up
    camera = _camera(middle, ahead, layout, layout.edges[[0, -1]], scale)
    floor = raycast.Floor(focus=start, along=right, near=0.5, far=1.6)
    _, floor = scene.ground(row.clip.ground, np.zeros(2), np.zeros(2), floor)
    return _picture(Shapes.join(parts), camera, floor, marks, arrows, smooth)


def _shot(layout: Plan, index: int, which: Iterable[int], edges: Array, scale: float, smooth: int) -> Image.Image:
    """Some poses where they really are, on their own ground, between two edges of the strip."""
    row = layout.rows[index]
    right, up, ahead = layout.axes(row)
    chosen = [(int(k), p) for k in which if (p := row.poses[k]) is not None]
    first = chosen[0][0]
    ground = row.ground(first)
    middle = layout.bases[index][first] + (0.5 * (edges[0] + edges[1]) - layout.columns[first]) * right
    poses = [p for _, p in chosen]
    # the ground is drawn as far as the picture goes, and some way to both sides of the path
    across = np.array([-np.sin(row.heading), np.cos(row.heading)])
    solid = drawn_of(ground, middle[:2], middle[:2]) is not None
    reach = 0.5 * (edges[1] - edges[0]) * np.abs(right[:2]) + (0.75 if solid else 1.7) * np.abs(across)
    path = np.array([middle[:2] + ((p.root[:2] - middle[:2]) @ across) * across for p in poses])
    floor = raycast.Floor(focus=poses[0].root, along=right, near=0.5, far=1.6)
    seen = tuple(p.name for p in parts_of(ground)) if any(len(p.around.kind) for p in poses) else ()
    below, floor = scene.ground(ground, (path - reach).min(0), (path + reach).max(0), floor, seen)
    camera = _camera(middle + 0.5 * (layout.low + layout.high) * up, ahead, layout, edges, scale)
    shapes = Shapes.join([below, *(p.shapes for p in poses), *(p.around for p in poses)])
    arrows = [a for p in poses for a in p.pushes]
    return _picture(shapes, camera, floor, [p.touching for p in poses], arrows, smooth)


def _camera(middle: Array, ahead: Array, layout: Plan, edges: Array, scale: float) -> Camera:
    low, high = (round((e - layout.edges[0]) * scale) for e in edges)
    height = max(1, round((layout.high - layout.low) * scale))
    return Camera(middle - _FAR_AWAY * ahead, middle, height / scale, max(1, high - low), height, parallel=True)


def _picture(shapes: Shapes, camera: Camera, floor: raycast.Floor, marks: list[Array], arrows: list[Arrow],
             smooth: int) -> Image.Image:  # fmt: skip
    """Cast a row and mark its contacts and pushes."""
    right = camera.axes[0]
    # the sun stands behind the viewer's left shoulder, so that shadows fall back and to the right
    look = raycast.Look(sun=-0.45 * right - 0.55 * np.cross([0.0, 0.0, 1.0], right) + np.array([0.0, 0.0, 1.1]))
    picture = Image.fromarray(raycast.cast(shapes, camera, floor, look, smooth=smooth).colour)
    touching = np.concatenate(marks) if marks else np.zeros((0, 3))
    ink.dots(picture, camera.pixels(touching), max(2.2, 0.022 * camera.scale))
    size = float(np.clip(0.085 * camera.scale, 11, 20))
    for push in arrows:
        tail, tip = camera.pixels(np.stack([push.tail, push.tip]))
        tail = tail if np.linalg.norm(tip - tail) > 2.0 * size else tip - np.array([3.0, 1.2]) * size  # end on
        ink.arrow(picture, tail, tip, size, push.words)
    return picture


def _assemble(layout: Plan, pictures: list[Image.Image], names: list[str], title: str, scale: float) -> Image.Image:
    """Rows one below the other, with labels, the title above and the times below."""
    size = float(np.clip(0.085 * scale, 11, 20))
    strip = [round(1.7 * size) if name else 0 for name in names]
    foot = round(2.0 * size)
    wide = max(p.width for p in pictures)
    said = ink.wrapped(title, 1.2 * size, wide - 1.2 * size)
    head = round((0.6 + 1.4 * len(said)) * size) if title else 0
    sheet = Image.new("RGB", (wide, head + sum(strip) + sum(p.height for p in pictures) + foot), (255, 255, 255))
    for k, line in enumerate(said):
        ink.text(sheet, (0.6 * size, (0.45 + 1.4 * k) * size), line, 1.2 * size)
    y = head
    for picture, name, tall in zip(pictures, names, strip, strict=True):
        if name:
            ink.text(sheet, (0.6 * size, y + 0.35 * size), name, size)
        sheet.paste(picture, (0, y + tall))
        y += tall + picture.height
    digits = 2 if len(layout.times) < 2 or np.diff(layout.times).min(initial=1.0) < 0.95 else 1
    for t, column in zip(layout.times, layout.columns, strict=True):
        ink.text(sheet, ((column - layout.edges[0]) * scale, y + 0.4 * size), f"{t:.{digits}f} s", size,
                 colour=ink.GREY, anchor="ma")  # fmt: skip
    return sheet
