"""RepairReport: what a repair found, what it moved, by how much, and what no scheduled contact explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from poise.dynamics.wrench import masses, root_wrench
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.maths.smoothing import smooth
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.contact.evidence import SURE, Unsure
from poise.motion.contact.grip_forces import gripped, loads
from poise.motion.contact.resting_parts import LEAVES, resting
from poise.motion.posture import untold
from poise.physical.repair.invented import Invention, inventions
from poise.physical.repair.labels import Doubt, doubts
from poise.physical.repair.standing import pushing
from poise.solve.explain import explain

SLOW = 10.0  # [Hz] faster forces of a recording are noise
DOUBTFUL = 0.05  # of body weight: frames with more left over after the repair are doubtful


@dataclass(frozen=True, eq=False)
class RepairReport:
    """Before and after. Angles in degrees, lengths in metres, forces in newtons; series have one row a frame."""

    name: str
    before: Residual
    after: Residual
    turned: dict[str, float]  # by joint (role or body), rms angle [degrees], the largest first
    posture: Array  # (N,) rms angle over all joints [degrees]
    posture_change: float  # rms over all joints and frames [degrees]
    root_moved: Array  # (N,) [m]
    skating: tuple[float, float]  # mean speed of touching points before and after [m/s]
    penetration: tuple[float, float]  # greatest depth before and after [m]
    worst: tuple[str, float, float]  # the joint that turned most, by how much [degrees] and when [s]
    doubtful: tuple[Doubt, ...]  # frames whose contacts seem wrong, or that the ground still does not explain
    flips: tuple[str, ...] = ()  # joints from which spikes were taken
    iterations: int = 0
    status: str = ""  # how the solver ended
    unchanged: bool = False  # the clip obeyed physics already
    sure: Array | None = None  # (N, L) probability of what is said of each limb; None where contacts were given
    unsure: tuple[Unsure, ...] = ()  # stretches in which that is small
    original: Clip | None = None  # the clip before, with the contacts that the repair worked with
    result: Clip | None = None  # and after

    @property
    def inventions(self) -> list[Invention]:
        """What the result has and the recording had not: flights, steps, a body that is elsewhere; and alternatives."""
        if self.original is None or self.result is None or self.unchanged:
            return []
        return inventions(self.original, self.result)

    @property
    def invented(self) -> list[str]:
        """The same, one sentence each."""
        return [one.what for one in self.inventions]

    @property
    def lift(self) -> tuple[Array, Array]:
        """Vertical force (N,) that the motion needs before, below 10 Hz, and after, in body weights."""
        if self.original is None or self.result is None:
            raise BadValue("This report does not hold the clips whose forces it would tell.")
        return tuple(_lift(clip) for clip in (self.original, self.result))  # type: ignore[return-value]

    def text(self) -> str:
        """The report for a terminal; what had to be invented comes first, in lines that begin with !!."""
        if self.unchanged:
            return (
                f"{self.name}: obeys physics already ({self.after.force_rms:.2g} N rms unexplained); nothing changed."
            )
        joint, angle, time = self.worst
        a, b = self.before, self.after
        done = "repaired" if self.complete else "repaired in part"
        lines = [
            *(f"!! invented: {one}" for one in self.inventions),
            f"{self.name}: {done} in {self.iterations} iterations ({self.status})",
            f"  unexplained force   {a.force_rms:.3g} -> {b.force_rms:.3g} N rms, worst {b.force.max():.3g} N",
            f"  unexplained torque  {a.torque_rms:.3g} -> {b.torque_rms:.3g} N m rms",
            f"  largest push        {b.peak:.2f} body weights",
            f"  posture changed by  {self.posture_change:.2f} degrees rms, most: "
            + ", ".join(f"{n} {v:.1f}" for n, v in list(self.turned.items())[:4]),
            f"  largest change      {joint} by {angle:.0f} degrees at {time:.2f} s",
            f"  root moved by       {100 * self.root_rms:.1f} cm rms, at most {100 * self.root_moved.max():.1f} cm",
            f"  skating             {100 * self.skating[0]:.1f} -> {100 * self.skating[1]:.2f} cm/s",
            f"  feet in the ground  {1000 * self.penetration[0]:.0f} -> {1000 * self.penetration[1]:.1f} mm",
        ]
        if self.sure is not None and self.sure.size:
            lines.append(f"  contacts            sure in {100 * np.mean(self.sure > SURE):.0f} % of all frames"
                         + "".join(f"; {self._told(one)}" for one in self._least_sure()))  # fmt: skip
        if self.flips:
            lines.append(f"  spikes taken from   {', '.join(self.flips)}")
        dt = self.result.dt if self.result is not None else 0.0
        lines += [f"  ! frames {d.first}-{d.last} ({d.first * dt:.2f}-{d.last * dt:.2f} s): {d.reason}"
                  for d in self.doubtful[:8]]  # fmt: skip
        return "\n".join(lines)

    def _least_sure(self, most: int = 3) -> list[Unsure]:
        """The stretches whose contacts are least sure, in the order of time."""
        return sorted(sorted(self.unsure, key=lambda u: u.sure)[:most], key=lambda u: u.first)

    def _told(self, one: Unsure) -> str:
        dt, name = self.result.dt if self.result is not None else 0.0, one.limb.replace("_", " ")
        name = name if name.endswith("hand") else f"{name} foot"
        return f"{name} {'down' if one.touches else 'up'} at {one.first * dt:.2f}-{one.last * dt:.2f} s {one.sure:.2f}"

    def save(self, path: str | PathLike[str]) -> None:
        """The report as a picture (.png): what was unexplained before and after, what moved, where it shows most."""
        from poise.export.repair_picture import save

        save(self, path)

    @property
    def complete(self) -> bool:
        """Is there no frame left that needs much more than the ground can give?"""
        return bool(self.after.force.max(initial=0.0) <= DOUBTFUL * self.after.weight)

    @property
    def root_rms(self) -> float:
        """How far the root was moved, rms [m]."""
        return float(np.sqrt(np.mean(self.root_moved**2)))

    def __repr__(self) -> str:
        force = f"unexplained force {self.before.force_rms:.3g} N before, {self.after.force_rms:.3g} N after"
        return f"<Repair of {self.name!r}: {force}, posture changed by {self.posture_change:.2f} degrees rms>"

    def to_dict(self) -> dict[str, Any]:
        """The numbers without the series, plain."""
        return {
            "name": self.name, "unchanged": self.unchanged, "complete": self.complete,
            "iterations": self.iterations, "status": self.status,
            "force_rms": [self.before.force_rms, self.after.force_rms],
            "torque_rms": [self.before.torque_rms, self.after.torque_rms],
            "force_worst": [float(self.before.force.max()), float(self.after.force.max())],
            "peak_push": self.after.peak, "posture_change": self.posture_change, "turned": self.turned,
            "root_moved_rms": self.root_rms, "skating": list(self.skating), "penetration": list(self.penetration),
            "worst": list(self.worst), "doubtful": [list(d) for d in self.doubtful],
            "invented": self.invented, "instead": [one.instead for one in self.inventions], "flips": list(self.flips),
            "unsure": [one._asdict() for one in self.unsure],
        }  # fmt: skip


def compare(before: Clip, after: Clip, friction: float, told: Sequence[Doubt] = (), **said: Any) -> RepairReport:
    """The report on a repaired clip; `told` are doubts that are known already."""
    first, last = residual(before, friction), residual(after, friction)
    angles = _angles(before, after)
    table = np.stack(list(angles.values()), axis=1) if angles else np.zeros((len(before), 1))
    names = list(angles) or [""]
    at, which = (int(k) for k in np.unravel_index(int(np.argmax(table)), table.shape))
    rms = {n: float(np.sqrt(np.mean(a**2))) for n, a in angles.items()}
    spans = runs(last.force > DOUBTFUL * last.weight)
    left = [Doubt(int(a), int(e) - 1, "no ground force explains the motion") for a, e in spans]
    return RepairReport(
        after.name, first, last, dict(sorted(rms.items(), key=lambda item: -item[1])),
        np.sqrt(np.mean(table**2, axis=1)), float(np.sqrt(np.mean(table**2))),
        np.linalg.norm(after.q[:, :3] - before.q[:, :3], axis=1), (skating(before), skating(after)),
        (penetration(before), penetration(after)), (names[which], float(table[at, which]), float(after.times[at])),
        tuple(sorted([*left, *told, *doubts(before, after)])), original=before, result=after, **said,
    )  # fmt: skip


def _angles(a: Clip, b: Clip) -> dict[str, Array]:
    """Angle (N,) [degrees] between two clips of one character, for every joint but the root that the file tells."""
    character, tree = a.character, a.character.tree
    quats = [character.forward(clip.q)[1] for clip in (a, b)]
    roles, silent = {body: role for role, body in character.roles.items()}, untold(a)
    out = {}
    for body in range(2, len(tree.parent)):
        name = roles.get(character.body_names[body], character.body_names[body])
        if tree.jntnum[body] > 0 and name not in silent:
            own = [rot.multiply(rot.conjugate(q[:, tree.parent[body]]), q[:, body]) for q in quats]
            out[name] = np.degrees(rot.angle_between(*own))
    return out


def _lift(clip: Clip) -> Array:
    """Vertical force (N,) that moves the centre of mass as a clip does, its place low-passed, in body weights."""
    if len(clip) < 5:
        return np.ones(len(clip))
    gravity = max(float(np.linalg.norm(clip.character.model.opt.gravity)), 1e-9)
    height = clip.character.centre_of_mass(clip.q)[:, 2]
    height = height if clip.dt > 0.3 / SLOW else smooth(height, SLOW, clip.dt)
    return 1.0 + np.gradient(np.gradient(height, clip.dt), clip.dt) / gravity


AT_ONCE = 4096  # frames, so that long clips need no more memory than short ones


@dataclass(frozen=True, eq=False)
class Residual:
    """One row a frame; forces [N], torques [N m] about the root."""

    force: Array  # (N,) size of the force that no contact can give
    torque: Array  # (N,)
    push: Array  # (N,) size of all contact forces together
    weight: float  # of the body [N]

    @property
    def force_rms(self) -> float:
        """[N]"""
        return float(np.sqrt(np.mean(self.force**2)))

    @property
    def torque_rms(self) -> float:
        """[N m]"""
        return float(np.sqrt(np.mean(self.torque**2)))

    @property
    def peak(self) -> float:
        """Largest push of the ground, in body weights."""
        return float(self.push.max()) / self.weight


def residual(clip: Clip, friction: float) -> Residual:
    """The residual of a clip with the contacts that it is labelled with, where its points are."""
    parts = [_rows(clip, friction, slice(k, k + AT_ONCE)) for k in range(0, len(clip), AT_ONCE)]
    weight = clip.character.mass * float(np.linalg.norm(clip.character.model.opt.gravity))
    force, torque, push = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Residual(force, torque, push, weight)


def _rows(clip: Clip, friction: float, rows: slice) -> tuple[Array, Array, Array]:
    """Sizes of the force and torque that are left over in some frames, and of the push."""
    character, q, times = clip.character, clip.q[rows], clip.times[rows]
    labels = clip.contacts.labels[rows]
    part = replace(clip, q=q.copy(), cycle=None, labels=labels, holds=(), source_times=None)
    ground = gripped(pushing(part, character.points(q), labels, friction, 0.0), clip.grips, times)
    ground = resting(part, still=LEAVES).pushing(ground)
    body = masses(character, loads(character, clip.grips, times))
    w = root_wrench(character, body, q, clip.velocity[rows], clip.acceleration[rows], ground.about)
    w[:, :3] /= ground.length
    found = explain(w, ground.columns, ground.contact, ground.friction)
    left = np.linalg.norm(found.left.reshape(-1, 2, 3), axis=-1)
    push = np.einsum("nkd,nkdi->ni", found.forces, ground.columns[..., 3:])
    return left[:, 1], left[:, 0] * ground.length, np.linalg.norm(push, axis=1)
