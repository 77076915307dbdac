"""ResponseSpace: which joints of a body are driven together in a motion, and which are hardly driven at all.

Section 3.3 of Ye 2012. With the joint torques u^t of a motion as the columns of U (n, T), equation (5),

    U Uᵀ = E diag(e_0, e_1, ..., e_{n-1}) Eᵀ,    e_0 >= e_1 >= ...,

ranks directions of the joint space by how strongly they are driven. The k last columns of E are the near-unactuated
coordinates Ê: when the body is pushed they give way together. It is a value of its own: made of one clip, saved, drawn,
and applied to another clip or to another person.

Departures: the document numbers 25 eigenvalues of a 24 x 24 matrix; there are n. They are divided by T, so that clips
of different length compare; the eigenvectors stay.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from poise.errors import BadFile, BadValue, UnknownName
from poise.files import must_exist, read_bytes, writing
from poise.maths.rotations import Array

KINDS = ("torques", "mean", "motion")  # of what the columns are: torques, torques less their mean, joint angles
_LIMIT = 10_000_000  # [bytes] of a file; a body of 200 degrees of freedom takes a third of one million


@dataclass(frozen=True, eq=False)
class ResponseSpace:
    """Directions E (n, n) of joint space, the most driven first, and how strongly each is driven."""

    names: tuple[str, ...]  # (n,) of the degrees of freedom: "left_upper_arm.x"
    vectors: Array  # (n, n) E, orthonormal columns
    values: Array  # (n,) mean squares [N² m²] ([rad²] of motion), the largest first
    mean: Array = field(default_factory=lambda: np.zeros(0))  # (n,) ū [N m] that was taken off, or none
    kind: str = "torques"
    source: str = ""  # the clip
    mass: float = 0.0  # [kg] of the body
    height: float = 0.0  # [m] of the body

    def __post_init__(self) -> None:
        n = len(self.names)
        mean = self.mean if len(self.mean) else np.zeros(n)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "mean", np.array(mean, float))
        object.__setattr__(self, "vectors", np.array(self.vectors, float))
        object.__setattr__(self, "values", np.array(self.values, float))
        if self.vectors.shape != (n, n) or self.values.shape != (n,) or self.mean.shape != (n,):
            raise BadValue(f"A response space of {n} degrees of freedom has {n} x {n} vectors and {n} values.")
        if self.kind not in KINDS:
            raise UnknownName("kind of response space", self.kind, KINDS)
        if not (np.isfinite(self.vectors).all() and np.isfinite(self.values).all() and np.isfinite(self.mean).all()):
            raise BadValue("A response space holds finite numbers.")
        if np.abs(self.vectors.T @ self.vectors - np.eye(n)).max(initial=0.0) > 1e-6:
            raise BadValue("The directions of a response space are orthonormal; these are not.")
        for array in (self.vectors, self.values, self.mean):
            array.flags.writeable = False

    def __repr__(self) -> str:
        return f"<ResponseSpace of {self.source or 'a motion'}: {len(self)} degrees of freedom, {self.kind}>"

    def __len__(self) -> int:
        return len(self.names)

    def unactuated(self, k: int) -> Array:
        """Ê (n, k): the k directions that are driven least, the least driven last."""
        return self.vectors[:, len(self) - self._checked(k) :]

    def actuated(self, k: int) -> Array:
        """Ě (n, n - k): the other ones."""
        return self.vectors[:, : len(self) - self._checked(k)]

    def _checked(self, k: int) -> int:
        if not 0 <= k <= len(self):
            raise BadValue(f"k = {k} near-unactuated coordinates are asked for, and the upper body has {len(self)} "
                           f"degrees of freedom: give k from 0 to {len(self)}.")  # fmt: skip
        return k

    @property
    def shares(self) -> Array:
        """(n,) of the whole that each direction has; figure 4."""
        return self.values / max(float(self.values.sum()), 1e-300)

    def dominant(self, share: float = 0.95) -> int:
        """How many of the most driven directions have this share of the whole."""
        return int(np.searchsorted(np.cumsum(self.shares), share - 1e-12) + 1)

    def only(self, chosen: np.ndarray) -> ResponseSpace:
        """The same value with the chosen columns (k,) last, as if they were the least driven: for controls."""
        chosen = np.asarray(chosen, int)
        rest = [i for i in range(len(self)) if i not in set(chosen.tolist())]
        order = [*rest, *chosen.tolist()]
        return ResponseSpace(self.names, self.vectors[:, order], self.values[order], self.mean, self.kind, self.source,
                             self.mass, self.height)  # fmt: skip

    def applied_to(self, names: tuple[str, ...]) -> ResponseSpace:
        """The space for a body whose degrees of freedom are `names`: the same ones, in any order."""
        if tuple(names) == self.names:
            return self
        missing = [n for n in names if n not in self.names]
        if missing or len(names) != len(self):
            raise BadValue(f"The response space of {self.source or 'a motion'} has {len(self)} degrees of freedom and "
                           f"this body {len(names)}" + (f", {missing[0]} among them that it has not" if missing else "")
                           + "; retarget one clip to the other's character first.")  # fmt: skip
        order = [self.names.index(n) for n in names]
        return ResponseSpace(tuple(names), self.vectors[order], self.values, self.mean[order], self.kind, self.source,
                             self.mass, self.height)  # fmt: skip

    def angle(self, other: ResponseSpace, k: int) -> float:
        """Mean principal angle [degrees] between the near-unactuated coordinates of two spaces."""
        other = other.applied_to(self.names)
        shared = np.linalg.svd(self.unactuated(k).T @ other.unactuated(k), compute_uv=False)
        return float(np.degrees(np.arccos(np.clip(shared, -1.0, 1.0))).mean()) if k else 0.0

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as plain arrays (.npz, without pickle)."""
        with writing(Path(path)) as part:
            buffer = io.BytesIO()
            np.savez(buffer, names=np.array(self.names), vectors=self.vectors, values=self.values, mean=self.mean,
                     kind=np.array(self.kind), source=np.array(self.source),
                     body=np.array([self.mass, self.height]))  # fmt: skip
            Path(part).write_bytes(buffer.getvalue())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ResponseSpace:
        """What `save` wrote."""
        path = must_exist(path)
        try:
            with np.load(io.BytesIO(read_bytes(path, _LIMIT)), allow_pickle=False) as a:
                return cls(tuple(map(str, a["names"])), a["vectors"], a["values"], a["mean"], str(a["kind"]),
                           str(a["source"]), *map(float, a["body"]))  # fmt: skip
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise BadFile(path, f"it holds no response space: {str(error).splitlines()[0]}.") from None


def space_of(columns: Array, names: tuple[str, ...], *, kind: str = "torques", source: str = "", mass: float = 0.0,
             height: float = 0.0) -> ResponseSpace:  # fmt: skip
    """Equation (5) of columns (n, T): torques [N m], or for "motion" joint angles [rad].

    "mean" (3.7.1) takes the mean ū off first, "motion" (3.7.2, the space B) that of the angles.
    """
    n, frames = columns.shape
    mean = np.zeros(n) if kind == "torques" else columns.mean(axis=1)
    off = columns - mean[:, None]
    values, vectors = np.linalg.eigh(off @ off.T / frames)
    order = np.argsort(values)[::-1]
    vectors = vectors[:, order]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n)]
    vectors = vectors * np.where(largest < 0.0, -1.0, 1.0)  # of both signs the one whose largest part is positive
    kept = mean if kind == "mean" else np.zeros(n)
    return ResponseSpace(names, vectors, np.maximum(values[order], 0.0), kept, kind, source, mass, height)
