"""Memory of the method, and one decision: from a state to the step that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench, engine
from poise.errors import BadValue
from poise.ground.ground import carries
from poise.maths.rotations import Array
from poise.methods.modal import contact_points
from poise.methods.modal.assemble import RETURN, Around, Now, Rig, Room, advise
from poise.methods.modal.body_contact import NO_BODY, BodyContact
from poise.methods.modal.feet import Aims
from poise.methods.modal.footholds import Walker, heading_of
from poise.methods.modal.leg_contact import NO_LEGS, LegContact
from poise.methods.modal.linearise import Watched, impulse
from poise.methods.modal.loads import Loads, carrying
from poise.methods.modal.preview import Frames, Preview
from poise.methods.modal.settings import Settings
from poise.methods.modal.spectrum import check_stiffness, subtree_stiffness
from poise.methods.modal.window import window_for
from poise.motion.feet.capture_point import Foothold
from poise.motion.reference import Reference
from poise.simulate import packing
from poise.stage import Ball, Stage
from poise.stage.events import Push
from poise.stage.props import Bar, Barbell
from poise.take.record import CONTACT_WIDTH

DT = 1 / 120  # [s] of the paper's steps
_STANDING = 5.0  # weight `place` of a body that cannot step: it rather tilts than that it ends on its toes
_DOWN = 0.3  # [m] above its lowest place up to which the ground below a load is looked after


class Decision(NamedTuple):
    """A decided step."""

    centre: Array  # (3,) of mass where the step begins
    step: Array  # (nv,) tangent step to the next pose
    v: Array  # (nv,) velocity there
    torque: Array  # (nv,) [N m] mean over the step
    wanted: Array  # (6,) momentum about the origin after the step, without gravity's share
    rows: Array  # (K, 18) contacts that pressed
    places: Array  # (G, 3) of the hands that hold or carry


class Memory:
    """Memory of the method: the reference ahead, the dual of the last force plan, closed hands."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage, alone: bool):
        """`alone`: the method moves the character itself and must know all that it can meet."""
        _check(settings, reference, stage, alone)
        self.settings, self.character, self.stage, self.alone = settings, character, stage, alone
        self.kind = _kind(reference)
        self._first = True  # nothing was decided yet: what is carried from the beginning moves with the hands
        self.window = window_for(settings.window, reference, DT)
        friction = stage.friction if settings.friction is None else settings.friction
        self.points = points = contact_points.watched_points(
            character, stage, friction, alone if settings.loads is None else settings.loads
        )
        self.watched = watched = Watched(character, points.bodies, points.local)
        self.floor = contact_points.Floor(stage.ground)
        self.body_contact, self.leg_contact = BodyContact(character), LegContact(character)
        self.loads = Loads(stage, points) if points.loads.any() else None
        self.props = {p.name: np.array([*p.position, 1.0, 0.0, 0.0, 0.0]) for p in stage.props if isinstance(p, Bar)}
        if self.loads is not None:
            self.props |= self.loads.poses
        self.preview = Preview(character, points, self.floor, DT, self.window, settings.has("velocities"))
        self.limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)
        layout = character.layout
        self.rig = Rig(layout.kind, layout.qadr, layout.vadr, watched.root, points.bodies, points.local,
                       points.feet, points.friction, check_stiffness(character, subtree_stiffness(character)),
                       self.limit, float(character.mass), character.model.opt.gravity.copy(), float(settings.margin),
                       not alone, settings.has("contacts"), settings.has("arms"), settings.has("products"),
                       np.zeros(0) if settings.has("rest") else np.array(reference.sample(0.0).q, float))  # fmt: skip
        self.weights = settings.weights(DT, self.window)
        if settings.place is None and not stage.grips and bool(reference.baked.contacts.feet().all()):
            self.weights = self.weights._replace(place=_STANDING)
        self.friction = float(friction)
        self._tumbles, self._collides = settings.has("tumble"), settings.has("collide")
        self.corrects = settings.has("root")  # the root's velocity takes what the linearised step lacks of momentum
        self.dual = np.zeros(12)
        n = character.model.nv - 6
        self.known = np.zeros((n, n))  # eigenvectors of the step before
        self.pushes = [e.at for e in stage.events if isinstance(e, Push)]
        walks = _walks(reference)
        self.aims = Aims(character, DT, self.window, walks, not alone, settings.has("legs"), settings.has("lift"))
        walker = Walker(character, Foothold(), DT, not alone, settings.has("pendulum"))
        self.walker = walker if settings.has("footholds") and walker.able and walks else None
        self.placed: tuple[Array, Array] | None = None  # the pose that the working memory holds, and its inertia
        self.servos: tuple[Array, ...] = ()  # those of the torques in a simulator
        self.traces: dict[str, float | Array] = {}
        self.names = ("ground", *character.body_names[1:])  # what contacts are with, by their numbers
        self._nothing = np.zeros(character.model.nv)
        self._level = np.broadcast_to(contact_points.LEVEL, (points.feet, 3, 3)).copy()
        self._open = (np.zeros(0, bool), np.zeros((0, 3)))

    def decide(self, time: float, q: Array, v: Array, reference: Reference, pushes: Sequence[Wrench] = ()) -> Decision:
        """What to do in the step from `time` [s] on, from the state q (nq,), v (nv,), under these pushes."""
        watched, q, v = self.watched, np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        if self.placed is None or not self.holds(q):
            self.placed = (q, watched.place(q))
        holds = contact_points.update_grips(self.points, watched.places(), time) if self.points.grips else self._open[0]
        if self.loads is not None:
            v = self._borne(q, v, holds, self.loads)
            watched = self.watched
        M = self.placed[1]
        here = watched.placed(q, M)
        around = self._around(here.places, holds, time, pushes)
        frames, first = self._frames(q, M, v, here.places, reference, time)
        aims = self.aims.of(frames, first, here, v)
        nv, most = len(v), len(self.points) + len(around.ball_gap) + 2 * len(around.met.gap)
        out = Room(np.empty(nv), np.empty(nv), np.empty(nv), np.empty(6), np.empty((most, CONTACT_WIDTH)))
        count, told = advise(self.rig, watched.views, Now(q, v, M), around, frames, first, aims, self.weights,
                             self.dual, self.known, out)  # fmt: skip
        self.traces = {"complementarity": told.complementarity, "low_modes": float(told.low),
                       "torques_cut": float(told.cut)}  # fmt: skip
        for w in pushes:
            impulse(w.point, w.force, DT, out.wanted)
        return Decision(watched.views.centre_of_mass.copy(), out.step, out.velocity, out.torque, out.wanted,
                        out.contacts[:count],
                        here.places[self.points.feet :])  # fmt: skip

    def holds(self, q: Array) -> bool:
        """Is the working memory at the pose q (nq,), as after a step that ended there?"""
        return self.placed is not None and (self.placed[0] is q or np.array_equal(self.placed[0], q))

    def notice(self, stage: Stage) -> None:
        """Learn of events on the stage that were not known before."""
        if stage is not self.stage:
            self.stage, self.pushes = stage, [e.at for e in stage.events if isinstance(e, Push)]

    def followed(self, reference: Reference) -> Memory:
        """The memory for another reference: this one, or a fresh one where it is another kind of motion."""
        if _kind(reference) == self.kind and window_for(self.settings.window, reference, DT) == self.window:
            before = self.preview.reference
            if self.walker is not None and before is not None and reference.met not in (None, before.met):
                self.walker.meet()
            return self
        return Memory(self.settings, self.character, reference, self.stage, self.alone)

    def forget(self) -> None:
        """Begin the next plan and its modes anew: a decision that came to nothing leaves no first guess behind."""
        self.dual[:], self.known[:] = 0.0, 0.0

    def _borne(self, q: Array, v: Array, holds: np.ndarray, loads: Loads) -> Array:
        """The velocity (nv,) with what these hands (G,) carry: a load that is seized was at rest."""
        before, light, first = self.placed, loads.masses.sum(), self._first
        self._first = False
        seized = False
        if loads.changed(holds):
            self._bear(loads)
            self.placed = (q, self.watched.place(q))
            seized = self.alone and not first and loads.masses.sum() > light
        if seized and before is not None and self.placed is not None:
            v = np.linalg.solve(self.placed[1], before[1] @ v)
        loads.carry(self.watched.places()[self.points.feet :], DT)
        loads.rate = self.rates(v) * (0.0 if seized else 1.0)
        return v

    def _bear(self, loads: Loads) -> None:
        """Move and plan from now on with what the hands carry."""
        own, points, feet = self.character.model, self.points, self.points.feet
        model = carrying(own, points.bodies[feet:], points.local[feet:], loads.masses) if loads.borne.any() else own
        self.watched = Watched(self.character, points.bodies, points.local, model)
        self.rig = self.rig._replace(mass=float(model.body_mass.sum()))
        self.preview.bear(model)

    def restore(self, packed: packing.Packed, reference: Reference) -> None:
        """Take over what was packed; the working memory is filled anew from the next pose."""
        packing.unpack(self, packed, reference)
        if self.loads is not None:
            followed = self.preview.reference
            self._bear(self.loads)
            self.preview.reference = followed
        self.placed = None

    def rates(self, v: Array) -> Array:
        """Velocities (G, 3) [m/s] of the hands' points in the pose that the working memory holds, at v (nv,)."""
        points, watched = self.points, self.watched
        chosen = range(points.feet, len(points))
        places = watched.places()
        return np.array([engine.jacobian(watched.model, watched.data, int(points.bodies[i]), places[i])[0] @ v
                         for i in chosen]).reshape(-1, 3)  # fmt: skip

    def _around(self, places: Array, holds: np.ndarray, time: float, pushes: Sequence[Wrench]) -> Around:
        """What is round the character now."""
        points, feet = self.points, self.points.feet
        if self.floor.flat is not None:
            gap, turn = places[:feet, 2] - self.floor.flat, self._level
        else:
            gap, turn = self.floor.under(places[:feet])
        slack = self._open[1]
        if points.grips:
            held = np.where(holds[:, None], points.anchor, places[feet:])
            slack = (0.0 if self.rig.soft else RETURN) * (places[feet:] - held)  # another simulator lets hands slide
        if self.loads is not None:
            high = places[feet:, 2] - points.stands
            bears = points.loads > 0.0
            slack[bears] = 0.0
            slack[bears, 0] = np.where(high > 0.0, high, 0.0 if self.rig.soft else RETURN * high)[bears]
            holds = holds & (~bears | (high < _DOWN))
        balls = self.body_contact.near(self.watched.views, self.floor) if self._tumbles else NO_BODY
        push = self._nothing
        for w in pushes:
            push = push + engine.jacobian(self.watched.model, self.watched.data, w.body, w.point)[0].T @ w.force
        met = self.leg_contact.near(self.watched.views) if self._collides else NO_LEGS
        return Around(gap, turn, holds, slack, *balls, self.friction, met, push, self._unaware(time))

    def _frames(self, q: Array, M: Array, v: Array, places: Array, reference: Reference, time: float
                ) -> tuple[Frames, int]:  # fmt: skip
        """The reference ahead, with its footholds moved where that is needed, and its first row."""
        (frames, first), walker = self.preview.frames(reference, time), self.walker
        if walker is None or self._unaware(time):
            return frames, first
        error = walker.error(self.watched.views, self.watched.root, M, v, frames, first)
        if walker.quiet(error):
            return (self.preview.shifted(walker.root), 0) if walker.displaced else (frames, first)
        walker.look(reference, time)
        feet = self.points.feet
        gap, _ = self.floor.under(places[:feet])
        heading = heading_of(frames.q[first])
        walker.sense(places[:feet], gap, error, float(frames.centre[first, 2]), heading)
        offsets = walker.ahead(frames, first, self.window + 2, heading)
        walker.advance()
        return self.preview.edited(offsets, walker), 0

    def _unaware(self, time: float) -> bool:
        late = self.settings.latency
        return late > 0.0 and any(at - 1e-9 <= time < at + late - 1e-9 for at in self.pushes)


def _kind(reference: Reference) -> tuple[bool, bool]:
    """What of a reference decides how it is followed: does it walk, does it stand all the time?"""
    return _walks(reference), bool(reference.baked.contacts.feet().all())


def _walks(reference: Reference) -> bool:
    """Does the clip lift and set down both feet in turn? Else there are no footholds to move."""
    feet = reference.baked.contacts.feet()
    steps = np.any(feet[1:] & ~feet[:-1], axis=0) if reference.baked.cycle is None else ~feet.all(axis=0)
    return bool(steps.all() and feet.any(axis=0).all())


def _check(settings: Settings, reference: Reference, stage: Stage, alone: bool) -> None:
    clip = reference.baked
    if not len(clip.character.contact_points) and not stage.grips:
        raise BadValue(f"{clip.character.name} has no contact points: nothing on it could be pushed by the ground.")
    if not clip.contacts.labels.any() and not stage.grips:
        raise BadValue(f"The clip {clip.name!r} never touches the ground and holds nothing: no force could carry it. "
                       "Look at `clip.contacts`, or at its height above the floor with `poise check`.")  # fmt: skip
    if alone and settings.loads is False and any(isinstance(stage.prop(g.to), Barbell) for g in stage.grips):
        raise BadValue("The modal update moves the body with what it carries and must know of it: a load that comes "
                       "unexpected needs the method modal-torques.")  # fmt: skip
    if alone and (carries(stage.ground) or any(isinstance(e, Ball) for e in stage.events)):
        raise BadValue("The modal update knows grounds at rest, grips and pushes; for balls, platforms and seesaws use "
                       "the method modal-torques, which acts in the simulator.")  # fmt: skip
