"""Videos: a clip in real time as MP4, seen by a camera that goes along; no OpenGL needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter1d

from poise.errors import BadValue, MissingExtra, UnknownName
from poise.export import ink, raycast, scene
from poise.export.camera import Camera, from_side
from poise.export.dress import fists_of
from poise.export.happened import Happened, PushSeen
from poise.export.intersect import Shapes
from poise.export.props import Props
from poise.export.strip import heading_of, poses_at
from poise.files import writing
from poise.maths.rotations import Array
from poise.motion.clip import Clip

Progress = Callable[[int, int], None]
_WORKERS = 2  # frames cast at the same time; the compiled code lets threads run side by side
_AHEAD = 4  # frames waiting to be encoded
_BATCH = 32  # frames whose shapes are worked out at once
_OTHERS = ("seconds", "ghost", "props", "happened", "progress", "quality")  # options that are not of a `Shot`
_LINGER = 0.4  # [s] for which a push is still seen


@dataclass(frozen=True)
class Shot:
    """How a video is taken."""

    width: int = 640  # pixels, even
    height: int = 360  # pixels, even
    fps: float = 30.0
    azimuth: float = 35.0  # [degrees] from the right-hand side towards the front
    elevation: float = 10.0  # [degrees]
    span: float | None = None  # [m] height of what is seen; None: the figures and some air
    follow: bool = True  # the camera goes along; otherwise it stands where it sees everything
    contacts: bool = True
    clock: bool = True

    def __post_init__(self) -> None:
        if self.width < 16 or self.height < 16 or self.width % 2 or self.height % 2:
            raise BadValue(
                f"A video needs an even width and height of at least 16 pixels, not {self.width} x {self.height}."
            )
        if not 1.0 <= self.fps <= 240.0:
            raise BadValue(f"A video has 1 to 240 frames a second, not {self.fps}.")


def save(
    clip: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    seconds: float | None = None,
    ghost: Clip | None = None,
    props: Props | None = None,
    happened: Happened | None = None,
    progress: Progress | None = None,
    quality: float = 21.0,
    **options: object,
) -> None:
    """Write a clip (or several in one scene) as MP4, in real time; the licence of the source travels in the file.

    `seconds` is the length (default: that of the longest clip), `ghost` a reference drawn pale, `quality` x264's rate
    factor (lower: better and larger), `progress(done, all)` is called after each frame; other options as in `Shot`.
    `props` and `happened` are those of the take that the first clip came from.
    """
    known = [f.name for f in fields(Shot)]
    for name in options:
        if name not in known:
            raise UnknownName(
                "option of a video", name, [*known, "seconds", "ghost", "props", "happened", "progress", "quality"]
            )
    try:
        import av
    except ImportError:
        raise MissingExtra("Writing MP4", "video") from None
    shot, clips = Shot(**options), [clip] if isinstance(clip, Clip) else list(clip)  # type: ignore[arg-type]
    codec = next((c for c in ("libx264", "libopenh264", "mpeg4") if c in av.codecs_available), "mpeg4")
    about = ink.facts(clips)
    about["Copyright"] = "\n\n".join(x for x in (about["Copyright"], about["Licence"]) if x)
    with (
        writing(path) as temporary,
        av.open(str(temporary), "w", format="mp4", options={"movflags": "faststart"}) as out,
    ):
        for key, fact in (("title", "Title"), ("copyright", "Copyright"), ("comment", "Source")):
            if about[fact]:
                out.metadata[key] = about[fact]
        stream: Any = out.add_stream(codec, rate=Fraction(shot.fps).limit_denominator(1001))
        stream.width, stream.height, stream.pix_fmt = shot.width, shot.height, "yuv420p"
        if codec == "libx264":
            stream.options = {"crf": f"{quality:g}", "preset": "veryfast"}
        for picture in frames(
            clips, shot, seconds=seconds, ghost=ghost, props=props, happened=happened, progress=progress
        ):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")))
        out.mux(stream.encode())


def frames(clips: Sequence[Clip], shot: Shot | None = None, *, seconds: float | None = None, ghost: Clip | None = None,
           props: Props | None = None, happened: Happened | None = None, progress: Progress | None = None
           ) -> Iterator[Image.Image]:  # fmt: skip
    """The pictures of a video one after the other."""
    shot = shot or Shot()
    if not clips:
        raise BadValue("A video needs at least one clip.")
    length = max(c.duration for c in clips) if seconds is None else float(seconds)
    times = np.arange(max(1, int(np.floor(length * shot.fps + 1e-6)) + 1)) / shot.fps
    stage = _Stage(clips, ghost, times, shot, props, () if happened is None else happened.pushes)
    with ThreadPoolExecutor(_WORKERS) as pool:
        waiting = [pool.submit(stage.picture, k) for k in range(min(_AHEAD, len(times)))]
        for k in range(len(times)):
            picture = waiting.pop(0).result()
            if k + _AHEAD < len(times):
                waiting.append(pool.submit(stage.picture, k + _AHEAD))
            yield picture
            if progress is not None:
                progress(k + 1, len(times))


class _Stage:
    """Everything a frame needs, worked out once for all frames."""

    def __init__(self, clips: Sequence[Clip], ghost: Clip | None, times: Array, shot: Shot,
                 props: Props | None = None, pushes: Sequence[PushSeen] = ()):  # fmt: skip
        self.shot, self.times, self.props, self.pushes = shot, times, props, pushes
        self.actors = [_Actor(c, times, scene.Palette(), shot.contacts) for c in clips]
        if ghost is not None:
            self.actors.append(_Actor(ghost, times, scene.GHOST, False))
        self.heading = heading_of(clips[0])
        roots = np.stack([a.roots for a in self.actors])
        self.below, self.floor = self._ground(clips[0], roots.reshape(-1, 3))
        middle = roots.mean(0)
        self.span = shot.span or self._span(roots, middle)
        smooth = gaussian_filter1d(middle, 0.35 * shot.fps, axis=0, mode="nearest")
        under = np.asarray(clips[0].ground.height(smooth[:, 0], smooth[:, 1]), float)
        smooth[:, 2] = gaussian_filter1d(under, 0.35 * shot.fps, mode="nearest") + 0.42 * self.span
        self.targets = smooth if shot.follow else np.tile(0.5 * (smooth.min(0) + smooth.max(0)), (len(times), 1))

    def _ground(self, clip: Clip, roots: Array) -> tuple[Shapes, raycast.Floor]:
        moving = () if self.props is None else tuple(self.props.bodies)
        return scene.ground(clip.ground, roots[:, :2].min(0) - 2.5, roots[:, :2].max(0) + 2.5, raycast.Floor(), moving)

    def _span(self, roots: Array, middle: Array) -> float:
        """Height [m] of a view that holds all figures (and, from one place, the whole path)."""
        tall = max(a.tall for a in self.actors)
        across = float(np.abs(roots - middle).max()) if self.shot.follow else float(np.ptp(roots, axis=(0, 1)).max())
        return max(1.25 * tall + 0.25, (2 * across + 1.5) * self.shot.height / self.shot.width)

    def camera(self, k: int) -> Camera:
        """Of frame k."""
        s = self.shot
        return from_side(self.targets[k], self.heading, self.span, s.width, s.height, elevation=s.elevation,
                         azimuth=s.azimuth, distance=3.2 * self.span, parallel=False)  # fmt: skip

    def picture(self, k: int) -> Image.Image:
        """Frame k."""
        camera = self.camera(k)
        things = [] if self.props is None else [self.props.all(float(self.times[k]))]
        shapes = Shapes.join([self.below, *things, *(a.shapes(k) for a in self.actors)])
        floor = replace(self.floor, focus=self.targets[k], near=1.2 * self.span, far=3.5 * self.span)
        right, ahead = camera.axes[0], camera.axes[2] * np.array([1.0, 1.0, 0.0])
        look = raycast.Look(sun=-0.5 * right - 0.45 * ahead + np.array([0.0, 0.0, 1.1]), background=np.full(3, 0.93))
        picture = Image.fromarray(raycast.cast(shapes, camera, floor, look, quick=True).colour)
        for a in self.actors:
            ink.dots(picture, camera.pixels(a.touching(k)), max(2.0, 0.02 * camera.scale))
        for push in self.pushes:
            if push.time <= self.times[k] <= push.end + _LINGER:
                way = push.force / max(float(np.linalg.norm(push.force)), 1e-9)
                tail, tip = camera.pixels(push.point - np.array([[0.55], [0.1]]) * way)
                size = max(10.0, 0.045 * self.shot.height)
                ink.arrow(picture, tail, tip, size, f"{np.linalg.norm(push.force):.0f} N")
        if self.shot.clock:
            size = max(10.0, 0.045 * self.shot.height)
            ink.text(picture, (0.6 * size, 0.5 * size), f"{self.times[k]:.2f} s", size, colour=ink.GREY)
        return picture


class _Actor:
    """One clip of a video, sampled at its frames."""

    def __init__(self, clip: Clip, times: Array, palette: scene.Palette, contacts: bool):
        self.clip, self.palette, self.fists = clip, palette, fists_of(clip)
        self.ready: dict[int, list[Shapes]] = {}
        self.q, frame, _ = poses_at(clip, times)
        self.roots = clip.character.forward(self.q)[0][:, min(1, clip.character.model.nbody - 1)]
        show = contacts and len(clip.character.contact_points) > 0
        self.labels = clip.contacts.labels[frame] if show else None
        few = scene.figures(clip.character, self.q[:: max(1, len(times) // 8)], palette)
        spans = [scene.spread(s, np.array([0.0, 0.0, 1.0])) for s in few]
        self.tall = max(high - low for low, high in spans)  # [m]

    def shapes(self, k: int) -> Shapes:
        """In frame k; worked out for some frames at once, which is several times faster."""
        first = k - k % _BATCH
        if first not in self.ready:
            made = scene.figures(self.clip.character, self.q[first : first + _BATCH], self.palette, self.fists)
            self.ready = {n: s for n, s in self.ready.items() if n >= first - _BATCH} | {first: made}
        return self.ready[first][k - first]

    def touching(self, k: int) -> Array:
        """World positions (T, 3) of the contact points that touch in frame k."""
        if self.labels is None:
            return np.zeros((0, 3))
        return self.clip.character.points(self.q[k : k + 1])[0, self.labels[k]]
