"""The cooking scene (5.6.2, figures 17 and 21): a whole body takes three things in turn, with fingers on all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import poise
from poise.experiments.hands.table2 import solved
from poise.experiments.reproduce import Options, Table, told
from poise.judge.hands.validity import Checker
from poise.maths.rotations import Array, conjugate, from_matrix, multiply
from poise.methods.hands.on_body import WRIST_AXES, with_fingers, wrist_track
from poise.methods.hands.scenes.authoring import ease
from poise.methods.hands.scenes.kitchen import Kitchen, kitchen
from poise.methods.hands.solution import Load, Solution
from poise.motion.clip import Clip
from poise.motion.ik import ik

FPS = 30.0


def reaching(scene: Kitchen) -> Clip:
    """The body that stands and reaches, so that its right wrist goes along its way."""
    clip = poise.load_clip("stand")
    body, N = clip.character, len(scene.wrist)
    q = np.tile(clip.q[0], (N, 1))
    hand = body.body("right_hand")
    points = [ik.PointTarget(hand, np.zeros(3), scene.wrist.place, 100.0)]
    place, turn = body.forward(q[:1])
    turns = [ik.TurnTarget(hand, multiply(scene.wrist.turn, conjugate(from_matrix(WRIST_AXES["right"]))), 20.0)]
    for side in ("left", "right"):
        foot = body.body(f"{side}_foot")
        points.append(ik.PointTarget(foot, np.zeros(3), place[0, foot], 100.0))
        turns.append(ik.TurnTarget(foot, turn[0, foot], 20.0))
    found = ik.solve(body, q, points, turns, limits=1.0)
    labels = np.ones((N, len(body.contact_points)), bool)
    return replace(clip, q=found, dt=1 / FPS, labels=labels, holds=(), cycle=None, recording=None)


def fingers_of(scene: Kitchen, poses: list[Array | None]) -> Array:
    """(N, 5, 6) fingers of the whole sequence: those of the pieces, and from one to the next."""
    q = np.zeros((len(scene.wrist), 5, 6))
    last = None
    for (a, b), pose in zip(scene.spans, poses, strict=True):
        assert pose is not None
        q[a:b] = pose
        if last is not None:
            u = ease((np.arange(last, a) - last + 1) / (a - last + 1))[:, None, None]
            q[last:a] = (1 - u) * q[last - 1] + u * pose[0]
        last = b
    return q


def penetration(scene: Kitchen, clip: Clip, q: Array) -> float:
    """[m] the deepest of the hand in any of the things or the table, in all frames, by MuJoCo."""
    none = Load(
        np.zeros((0, 16)), np.zeros(0, bool), np.zeros(0, int), *(np.zeros((0, 3)) for _ in range(5))
    )  # distances alone are asked
    wrist, worst = wrist_track(clip, "right"), 0.0
    for k in range(len(scene.things)):
        found = Checker(scene.scene(k, wrist))(Solution(q[None], (none,) * len(q), 0))
        worst = max(worst, found.penetration, found.table, found.fingers)
    return worst


def run(options: Options) -> Table:
    """Every piece with its solutions; then the first of each on the whole body, from the first frame to the last."""
    scene = kitchen()
    clip = reaching(scene)
    wrist = wrist_track(clip, "right")
    off = float(np.linalg.norm(wrist.place - scene.wrist.place, axis=1).max())
    rows, poses = [], []
    for k, thing in enumerate(scene.things):
        found, _ = solved(scene.piece(k, wrist), count=options.seeds, seconds=60.0)
        poses.append(found.solutions[0].q[0] if found.solutions else None)
        rows.append(told((thing.name, *scene.spans[k], len(found.solutions), round(found.cpu, 1))))
    notes = (f"The body's wrist is at most {1e3 * off:.1f} mm off its way; the pieces are searched with where it is.",)
    figures = ()
    if all(p is not None for p in poses):
        q = fingers_of(scene, poses)
        notes += (f"Deepest penetration in all {len(q)} frames: {1e3 * penetration(scene, clip, q):.2f} mm.",)
        if options.out is not None:
            figures = (_film(scene, clip, q, options),)
    return Table("A cooking scene", ("thing", "from frame", "to", "solutions", "CPU [s]"), tuple(rows), notes, figures)


def _film(scene: Kitchen, clip: Clip, q: Array, options: Options) -> str:
    """Stills of the whole body with the things; gives the file."""
    from PIL import Image

    from poise.export.hands import body_still

    assert options.out is not None
    body = with_fingers(clip.character)
    whole = poise.with_hands(clip)
    first = int(body.model.joint("right_thumb_cmc_spread").qposadr[0])
    posed = whole.q.copy()
    posed[:, first : first + 30] = q.reshape(len(q), 30)
    times = [(a + b) // 2 for a, b in scene.spans] + [b + 17 for _, b in scene.spans[:-1]]
    things = [scene.scene(k) for k in range(len(scene.things))]
    views = [body_still(whole.with_q(posed), things, t, around=a) for a in (40.0, -60.0) for t in sorted(times)]
    n = len(times)
    path = options.out / "cooking.png"
    Image.fromarray(np.concatenate([np.concatenate(views[i : i + n], axis=1) for i in (0, n)])).save(path)
    return str(path)
