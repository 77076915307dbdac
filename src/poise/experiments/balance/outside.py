"""An animator's wishes: the pelvis dragged (figure 8), and a cup kept upright while punching and while pushed."""

from __future__ import annotations

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.trial import trial, two_feet
from poise.experiments.reproduce import Options, Table
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.balance import Balance, Pull, Upright
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Stage
from poise.stage.events import Push
from poise.take import Take

PUSHES = (Push("chest", (150.0, 0.0, 0.0), 1.5), Push("chest", (0.0, 150.0, 0.0), 2.5))
DRAGS = {"forward": (0.1, 0.0, 0.0), "back": (-0.1, 0.0, 0.0), "left": (0.0, 0.1, 0.0)}


def dragged(clip: Clip, to: tuple[float, float, float], seconds: float = 4.0) -> Take:
    """Somebody whose pelvis is drawn aside by `to` [m] from 0.5 s on."""
    return trial(clip, Balance(pulls=(Pull("pelvis", to, start=0.5, relative=True),)), seconds)


def centre_over_support(take: Take) -> float:
    """Largest horizontal distance [m] of the centre of mass from the middle of the feet in the last second."""
    last = take.time > take.time[-1] - 1.0
    centre, points = take.character.centre_of_mass(take.q[last]), take.character.points(take.q[last])
    feet = np.concatenate([take.character.contact_points.of(s) for s in ("left", "right")]).astype(int)
    return float(np.linalg.norm(centre[:, :2] - points[:, feet, :2].mean(axis=1), axis=1).max())


def cup_axis(clip: Clip, body: str) -> Array:
    """The direction (3,) in a link that is nearest to vertical over a whole clip."""
    _, quat = clip.character.forward(clip.q)
    up = rot.rotate(rot.conjugate(quat[:, clip.character.body(body)]), np.array([0.0, 0.0, 1.0])).mean(axis=0)
    return up / np.linalg.norm(up)


def tilt(take: Take, body: str, axis: Array, q: Array | None = None) -> Array:
    """Angle [degrees] by frame between a link's axis and the vertical."""
    _, quat = take.character.forward(take.q if q is None else q)
    return np.degrees(np.arccos(np.clip(rot.rotate(quat[:, take.character.body(body)], axis)[:, 2], -1.0, 1.0)))


def cup(clip: Clip, body: str, pushes: tuple[Push, ...] = ()) -> tuple[Take, Array]:
    """A clip performed with a cup in a hand, and the cup's axis."""
    axis = cup_axis(clip, body)
    method = Balance(uprights=(Upright(body, tuple(axis)),))
    return perform(clip, method, stage=Stage(ground=clip.ground, events=pushes)), axis


def run(options: Options) -> Table:
    """Drags and cups, one row each."""
    clip, rows, figures = two_feet(load_character("human45")), [], []
    for name, to in DRAGS.items():
        take = dragged(clip, to)
        pelvis = take.character.body("pelvis")
        moved = take.character.forward(take.q[[-1]])[0][0, pelvis] - take.character.forward(take.q[[60]])[0][0, pelvis]
        rows.append((f"pelvis {name}", "stands" if take.ended.whole else take.ended.kind,
                     f"pelvis moved {100 * np.linalg.norm(moved):.1f} cm of {100 * np.linalg.norm(to):.0f}, centre of "
                     f"mass {100 * centre_over_support(take):.1f} cm from the middle of the feet"))  # fmt: skip
        figures += options.film(take, f"balance-pelvis-{name}")
    punch = options.recording("02_05")
    if punch is not None:
        clip = load_clip(punch)
        for hand in ("left_hand", "right_hand"):
            for name, pushes in (("punching", ()), ("punching and pushed", PUSHES)):
                take, axis = cup(clip, hand, pushes)
                late = take.time > 0.3  # the hand of the recording holds no cup: it is brought upright first
                rows.append((f"cup in the {hand}, {name}", "stands" if take.ended.whole else take.ended.kind,
                             f"tilts by {tilt(take, hand, axis)[late].max():.1f} degrees, the recording's hand by "
                             f"{tilt(take, hand, axis, take.q_ref).max():.0f}"))  # fmt: skip
    return Table("External positional controller (24) and upright links", ("what", "stands", "measured"), tuple(rows),
                 (), tuple(figures))  # fmt: skip
