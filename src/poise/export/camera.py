"""Camera: which ray belongs to which pixel, and which pixel to which point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Camera:
    """Looks from `eye` at `target`, Z up in the picture.

    `span` is the height [m] of what is seen in the plane through the target. A parallel camera shows everything at
    that scale wherever it stands, as a figure in a paper does; otherwise the view opens like that of a lens.
    """

    eye: Array  # (3,) [m]
    target: Array  # (3,) [m]
    span: float  # [m]
    width: int  # pixels
    height: int  # pixels
    parallel: bool = False

    @property
    def axes(self) -> Array:
        """Rows: right, up and forward unit vectors of the picture in the world."""
        ahead = self.target - self.eye
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        size = np.linalg.norm(right)
        right = right / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])
        return np.stack([right, np.cross(right, ahead), ahead])

    @property
    def reach(self) -> float:
        """Distance [m] from the eye to the target."""
        return float(np.linalg.norm(self.target - self.eye))

    @property
    def scale(self) -> float:
        """Pixels per metre in the plane through the target."""
        return self.height / self.span

    def pixels(self, points: Array) -> Array:
        """Places (..., 2) in the picture, in pixels from its upper left corner, of world points (..., 3)."""
        p = (np.asarray(points, float) - self.eye) @ self.axes.T
        zoom = self.scale if self.parallel else self.scale * self.reach / np.maximum(p[..., 2:], 1e-9)
        return np.array([0.5 * self.width, 0.5 * self.height]) + p[..., :2] * np.array([1.0, -1.0]) * zoom


def from_side(
    target: Array, heading: float, span: float, width: int, height: int, *, elevation: float = 8.0,
    azimuth: float = 0.0, distance: float = 6.0, parallel: bool = True,
) -> Camera:  # fmt: skip
    """A camera to which motion along `heading` [rad about Z] goes from left to right.

    It stands on the right-hand side of such a motion, `elevation` degrees above it; a positive `azimuth` [degrees]
    moves it to the front.
    """
    way, rise = heading - np.pi / 2 + np.radians(azimuth), np.radians(elevation)
    off = np.array([np.cos(way) * np.cos(rise), np.sin(way) * np.cos(rise), np.sin(rise)])
    target = np.asarray(target, float)
    return Camera(target + distance * off, target, span, width, height, parallel)
