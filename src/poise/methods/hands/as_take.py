"""A solution as a take: the hands and the object as they moved, every contact with its force, for audit and export.

The motion is read as one step a frame, v_{k+1} = v_k + h a_k and q_{k+1} = q_k + h v_{k+1}: so the forces of frame k
are those of the interval that begins there. Torques of the fingers are what inverse dynamics asks for beside the
contacts. A hand alone hangs in the air: what its arm would do at the wrist is recorded as the external wrench "arm".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.character import Character
from poise.character.library.hand import link_name, make, make_pair
from poise.dynamics import Dynamics, Wrench
from poise.ground.flat import Flat
from poise.maths import configuration as conf
from poise.maths.rotations import Array, conjugate, rotate
from poise.methods.hands.pose_test import FINGER, GAP, HAND, LINK
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.settings import Hands
from poise.methods.hands.solution import Load, Solution
from poise.motion.clip import Clip
from poise.motion.recording import Source
from poise.stage import Box, Compound, Stage
from poise.stage.stage import RESERVED
from poise.take.description import describe, versions
from poise.take.ended import Ended
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH, ContactRecord, WrenchRecord
from poise.take.take import Take

NO_TABLE = 2.0  # [m] below the object at which the ground is drawn where there is no table
_ON = 5e-3  # [m] above a stand at which a point of the object stands on it


def hands_clip(scene: Scene, solution: Solution) -> Clip:
    """The motion of one or both hands, as one character."""
    T, parts = len(scene), []
    for h, side in enumerate(scene.sides):
        wrist = scene.wrists[side]
        parts.append(np.concatenate([wrist.place, wrist.turn, solution.q[h].reshape(T, 30)], axis=1))
    first, *more = scene.sides
    hands = make_pair() if more else make(first)
    source = Source(scene.name, licence=scene.licence)
    labels = np.zeros((T, len(hands.contact_points)), bool)
    return Clip(hands, np.concatenate(parts, axis=1), 1 / scene.fps, source, _ground(scene), labels=labels, holds=())


def stage_of(scene: Scene) -> Stage:
    """Table, stands and the object of a scene on a stage, the object in the frame of its centre of mass."""
    thing, c = scene.thing, scene.centre
    pieces = tuple(replace(p, place=tuple(np.asarray(p.place, float) - thing.centre)) for p in thing.pieces)
    parts = tuple((v - thing.centre).tolist() for v, _ in thing.hulls)
    held = Compound(object_name(scene), pieces, parts, thing.mass, tuple(c.place[0]), tuple(c.turn[0]))
    stands = [Box(_stand(k), s.size, 1.0, s.place, fixed=True) for k, s in enumerate(scene.stands)]
    return Stage(_ground(scene), (held, *stands), friction=scene.friction)


def object_name(scene: Scene) -> str:
    """The name of the object among the props of a take."""
    name = scene.thing.name
    taken = name in RESERVED or name.startswith(("ball_", "block_", "stand_"))
    return f"the {name}" if taken else name


def take_of(scene: Scene, solution: Solution, settings: Hands | None = None, *, seed: int = 0) -> Take:
    """The take of a solution: `take.contacts` of fingers and object, `take.prop_contacts` of object and table."""
    clip, c = hands_clip(scene, solution), scene.centre
    hands, h, T = clip.character, 1 / scene.fps, len(scene)
    steps = conf.difference(hands.layout, clip.q[:-1], clip.q[1:]) / h
    v = np.concatenate([steps[:1], steps])
    others = ("ground", object_name(scene), *(_stand(k) for k in range(len(scene.stands))))
    touches = [_touches(scene, clip, load, t) for t, load in enumerate(solution.loads[:-1])]
    beneath = [_beneath(scene, load, t) for t, load in enumerate(solution.loads[:-1])]
    torque, arms = _driven(hands, clip.q, v, h, touches)
    contacts = ContactRecord.from_rows(_frames(touches), np.concatenate([*touches, _none(CONTACT_WIDTH)]), others)
    below = ContactRecord.from_rows(_frames(beneath), np.concatenate([*beneath, _none(CONTACT_WIDTH)]), others)
    external = WrenchRecord.from_rows(_frames(arms), np.concatenate([*arms, _none(WRENCH_WIDTH)]), ("arm",))
    assist = WrenchRecord.from_rows(np.zeros(0, int), _none(WRENCH_WIDTH))
    time, rests = np.arange(T) * h, {_stand(k): _still(s.place, T) for k, s in enumerate(scene.stands)}
    return Take(
        clip, "hands", time, clip.q.copy(), v, torque, contacts, external, assist, clip.q.copy(), v.copy(),
        np.array(clip.contacts.labels), step=h, props={object_name(scene): np.c_[c.place, c.turn], **rests},
        stage=describe(stage_of(scene)), settings=describe(settings or Hands()), seed=seed, versions=versions(),
        run_ended=Ended("whole", float(time[-1])), prop_contacts=below,
    )  # fmt: skip


def _ground(scene: Scene) -> Flat:
    return Flat(float(scene.motion.place[:, 2].min()) - NO_TABLE if scene.table is None else scene.table)


def _stand(k: int) -> str:
    return f"stand_{k}"


def _none(width: int) -> Array:
    return np.zeros((0, width))


def _still(place: tuple[float, float, float], frames: int) -> Array:
    return np.tile(np.r_[place, 1.0, 0.0, 0.0, 0.0], (frames, 1))


def _frames(rows: list[Array]) -> np.ndarray:
    return np.repeat(np.arange(len(rows)), [len(r) for r in rows])


def _touches(scene: Scene, clip: Clip, load: Load, t: int) -> Array:
    """Rows (K, 18) of the contacts of a frame: one for each proxy point that carries a force."""
    c, hands, fps = scene.centre, clip.character, scene.fps
    rows = np.zeros((len(load.owner), CONTACT_WIDTH))
    if not len(rows):
        return rows
    owners = load.contacts[load.owner]
    rows[:, 0] = [hands.body(link_name(scene.sides[int(o[HAND])], int(o[FINGER]), int(o[LINK]))) for o in owners]
    rows[:, 1] = 1  # the object
    rows[:, 2:5] = c.place[t] + load.points @ c.matrix[t].T
    rows[:, 5:8], rows[:, 8:11] = -load.normals @ c.matrix[t].T, -load.forces @ c.matrix[t].T
    rows[:, 14], rows[:, 15] = scene.friction, -owners[:, GAP]
    body, own = rows[:, 0].astype(int), Track(c.place[t : t + 2], c.turn[t : t + 2])
    pos, quat = hands.forward(clip.q[t : t + 2])
    local = rotate(conjugate(quat[0, body]), rows[:, 2:5] - pos[0, body])
    way = pos[1, body] + rotate(quat[1, body], local) - (own.place[1] + load.points @ own.matrix[1].T)
    way -= np.einsum("ki,ki->k", way, rows[:, 5:8])[:, None] * rows[:, 5:8]
    rows[:, 16] = np.linalg.norm(way, axis=1) * fps
    return rows


def _beneath(scene: Scene, load: Load, t: int) -> Array:
    """Rows (K, 18) of what table and stands do to the object in a frame."""
    c, up = scene.centre, np.array([0.0, 0.0, 1.0])
    on = np.linalg.norm(load.table_forces, axis=1) > 0.0
    rows = np.zeros((int(on.sum()), CONTACT_WIDTH))
    rows[:, 0] = 1
    rows[:, 2:5] = c.place[t] + load.table_points[on] @ c.matrix[t].T
    rows[:, 5:8], rows[:, 8:11] = up, load.table_forces[on] @ c.matrix[t].T
    rows[:, 14] = scene.table_friction
    for k, stand in enumerate(scene.stands):
        rows[stand.under(rows[:, 2:5]) & (np.abs(rows[:, 4] - stand.top) < _ON), 1] = 2 + k
    return rows


def _driven(hands: Character, q: Array, v: Array, h: float, touches: list[Array]) -> tuple[Array, list[Array]]:
    """Torques (T, nv) [N m] of the fingers, zero at the wrists, and what arms do there: rows (wrists, 11) a frame."""
    dynamics, torque, arms = Dynamics(hands), np.zeros(v.shape), []
    wrists = [(hands.body(name), 36 * k) for k, name in enumerate(hands.roles)]
    for k, rows in enumerate(touches):
        now = dynamics.at(q[k], v[k])
        pushes = [Wrench(int(r[0]), r[2:5], r[8:11], r[11:14]) for r in rows]
        needed = now.inverse_dynamics((v[k + 1] - v[k]) / h, pushes)
        held = np.zeros((len(wrists), WRENCH_WIDTH))
        for row, (body, first) in zip(held, wrists, strict=True):
            row[0], row[2:5], row[5:8] = body, now.positions[body], needed[first : first + 3]
            row[8:11] = now.rotations[body] @ needed[first + 3 : first + 6]
            needed[first : first + 6] = 0.0
        torque[k] = needed
        arms.append(held)
    return torque, arms
