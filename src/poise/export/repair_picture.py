"""The picture of a repair: where the change shows most, the original as a ghost, and what moved over time."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image, ImageFilter

from poise.errors import BadValue
from poise.export import ink, raycast, scene
from poise.export.camera import Camera, from_side
from poise.export.intersect import Shapes
from poise.export.repair_plots import curves
from poise.export.strip import heading_of
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.physical.repair.report import RepairReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 1600  # pixels
POSES, APART = 5, 0.3  # figures, and the time [s] between them at least
OUTLINE = (196, 38, 84)  # of the original
ALARM = (200, 20, 20)  # of what had to be invented


class Change(NamedTuple):
    """A moment at which a repair shows."""

    frame: int
    time: float  # [s]
    part: str  # role or name of the body that moved most
    moved: float  # [m]


def largest_changes(report: RepairReport) -> list[Change]:
    """The moments at which some part of the body was moved furthest, in the order of time, `APART` from each other."""
    before, after = _clips(report)
    character = after.character
    gap = np.linalg.norm(character.forward(after.q)[0] - character.forward(before.q)[0], axis=-1)[:, 1:]
    most, found = gap.max(axis=1), []
    roles = {body: role for role, body in character.roles.items()}
    left = np.ones(len(most), bool)
    while len(found) < POSES and left.any():
        k = int(np.argmax(np.where(left, most, -1.0)))
        name = character.body_names[1 + int(np.argmax(gap[k]))]
        found.append(Change(k, float(after.times[k]), roles.get(name, name).replace("_", " "), float(most[k])))
        left &= np.abs(after.times - after.times[k]) >= APART
    return sorted(found)


def picture(report: RepairReport) -> Image.Image:
    """The whole report as one picture; needs matplotlib."""
    before, after = _clips(report)
    changes = largest_changes(report)
    strip = _strip(before, after, changes, WIDTH // POSES, round(1.25 * WIDTH / POSES))
    plots = _drawn(curves(report, [c.time for c in changes]), WIDTH)
    alarms = report.inventions[:3]
    head, gap = 118 + 22 * len(alarms), 12
    sheet = Image.new("RGB", (WIDTH, head + strip.height + gap + plots.height), (255, 255, 255))
    verdict = "obeys physics already" if report.unchanged else "repaired"
    ink.text(sheet, (24, 18), f"{report.name or 'clip'}: {verdict}", 30)
    for k, one in enumerate(alarms):
        ink.text(sheet, (24, 58 + 22 * k), f"invented: {one}", 17, colour=ALARM)
    for k, line in enumerate(summary(report)):
        ink.text(sheet, (24, 58 + 22 * (k + len(alarms))), line, 17, colour=ink.GREY)
    sheet.paste(strip, (0, head))
    sheet.paste(plots, (0, head + strip.height + gap))
    return sheet


def save(report: RepairReport, path: str | PathLike[str]) -> None:
    """Write the picture as PNG; source and licence of the clip travel in the file."""
    check(path)
    ink.write_png(picture(report), path, ink.facts(_clips(report)[:1]))


def check(path: str | PathLike[str]) -> None:
    """Refuse a name that is not that of a PNG."""
    if Path(path).suffix.lower() != ".png":
        raise BadValue(f"The picture of a repair is saved as .png, not {str(path)!r}.")


def summary(report: RepairReport) -> list[str]:
    """Two lines: what physics says, and what was moved."""
    a, b = report.before, report.after
    return [
        f"unexplained force {a.force_rms:.3g} -> {b.force_rms:.2g} N rms (worst {b.force.max():.2g} N)   ·   torque "
        f"{a.torque_rms:.3g} -> {b.torque_rms:.2g} N m rms   ·   largest push {b.peak:.1f} body weights   ·   "
        f"skating {100 * report.skating[0]:.1f} -> {100 * report.skating[1]:.1f} cm/s",
        f"postures changed by {report.posture_change:.1f}° rms   ·   root moved by {100 * report.root_rms:.1f} cm rms"
        "   ·   below: where the change shows most; the original as a pale ghost, outlined in red",
    ]


def _clips(report: RepairReport) -> tuple[Clip, Clip]:
    if report.original is None or report.result is None:
        raise BadValue("This report does not hold the clips that a picture of it would show.")
    return report.original, report.result


def _strip(before: Clip, after: Clip, changes: list[Change], width: int, height: int) -> Image.Image:
    """One cell a moment: the result in colours over the original as a ghost."""
    rows = [c.frame for c in changes]
    ghosts = scene.figures(before.character, before.q[rows], scene.GHOST)
    results = scene.figures(after.character, after.q[rows])
    sheet = Image.new("RGB", (POSES * width, height + 34), (255, 255, 255))
    offset = (POSES - len(changes)) * width // 2
    views = [
        _camera(after, Shapes.join([g, r]), n, width, height) for g, r, n in zip(ghosts, results, rows, strict=True)
    ]
    span = max(v.span for v in views)  # all figures at one scale
    for k, change in enumerate(changes):
        touching = after.character.points(after.q[[change.frame]])[0][after.contacts.labels[change.frame]]
        cell = _overlaid(after, ghosts[k], results[k], touching, replace(views[k], span=span))
        sheet.paste(cell, (offset + k * width, 0))
        words = f"{change.time:.2f} s   {change.part} {100 * change.moved:.1f} cm"
        ink.text(sheet, (offset + (k + 0.5) * width, height + 8), words, 17, anchor="ma")
    return sheet


def _camera(clip: Clip, shapes: Shapes, frame: int, width: int, height: int) -> Camera:
    """A camera from the side that sees all of these shapes, with some ground below them."""
    heading, root = heading_of(clip), clip.q[frame, :3]
    right, up, _ = from_side(np.zeros(3), heading, 1.0, width, height, elevation=9.0, azimuth=25.0).axes
    (left, far), (low, high) = scene.spread(shapes, right), scene.spread(shapes, up)
    span = max(high - low + 0.24, (far - left + 0.2) * height / width)
    middle = root + (0.5 * (left + far) - root @ right) * right
    middle = middle + (0.5 * (low + high) - 0.02 - middle @ up) * up
    return from_side(middle, heading, span, width, height, elevation=9.0, azimuth=25.0, distance=20.0)


def _overlaid(clip: Clip, ghost: Shapes, result: Shapes, touching: Array, camera: Camera) -> Image.Image:
    """Cast both with one camera: the ghost is seen beside the result, its outline also through it."""
    right, focus = camera.axes[0], camera.target
    look = raycast.Look(sun=-0.45 * right - 0.55 * np.cross([0.0, 0.0, 1.0], right) + np.array([0.0, 0.0, 1.1]))
    floor = raycast.Floor(focus=focus, along=np.zeros(3), near=0.5, far=1.1)
    below, floor = scene.ground(clip.ground, focus[:2] - 1.2, focus[:2] + 1.2, floor)
    own = raycast.cast(Shapes.join([below, result]), camera, floor, look, smooth=3)
    old = raycast.cast(ghost, camera, None, look, smooth=3)
    shown, pale = own.owner >= len(below.kind), old.owner >= 0
    image = np.where((pale & ~shown)[..., None], 0.25 * own.colour + 0.75 * old.colour, own.colour)
    mask = Image.fromarray(np.where(pale, 255, 0).astype(np.uint8))
    grown, shrunk = (np.asarray(mask.filter(f(3)), float) for f in (ImageFilter.MaxFilter, ImageFilter.MinFilter))
    edge = np.asarray(Image.fromarray((grown - shrunk).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.6)), float)
    share = np.clip(edge / 255.0, 0.0, 1.0)[..., None] * np.where(shown, 0.5, 0.85)[..., None]
    out = Image.fromarray(np.clip((1.0 - share) * image + share * np.array(OUTLINE), 0, 255).astype(np.uint8))
    ink.dots(out, camera.pixels(touching), max(2.2, 0.016 * camera.scale))
    return out


def _drawn(figure: Figure, width: int) -> Image.Image:
    """A plot as a picture `width` pixels wide."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(width / figure.get_size_inches()[0])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
