"""Section 7.3, weight lifting: a squat whose hands are led to a barbell of 30 kg and carry it up.

The squat is edited by hand: its trunk bends further at the bottom (forward kinematics), its hands go to the bar, hold
it and, once the arms are straight, take it along (inverse kinematics). The edit knows nothing of the weight. Followed
as it is, with a short and a long window; made physical first, as is the default; and, in the simulator, with a load of
which the plan knows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.experiments.modal.trial import BUT, BUT_NAME, PRINTED, WAYS, medians, performed
from poise.experiments.reproduce import Options, Table, told
from poise.judge import audit
from poise.maths import rotations as rot
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.fades import fade, smooth
from poise.motion.hold import Hold
from poise.motion.ik.limb import limb, reach
from poise.motion.load import load_clip
from poise.stage import Barbell, Grip, Stage
from poise.take import Take

MASS = 30.0  # [kg]
PLATES = 0.225  # [m] radius: as high the bar lies
AHEAD, WIDE = 0.16, 0.27  # [m] of the bar ahead of the ankles, of each hand from the middle
LONG = 0.985  # share of an arm's length at which it takes the bar along
DOWN, WAIT, UP = 1.35, 0.5, 2.2  # [s] going down, at the bar, and up
HOLD = 2.0  # [s]
LIGHTER = (10.0, 20.0, 30.0)  # [kg] known and unexpected


@dataclass(frozen=True)
class Hands:
    """Both hands led to a bar until `taken` [s], and with it on straight arms from then on."""

    taken: float  # [s]
    place: tuple[float, float]  # [m] of the bar: ahead in the world, and above the floor

    def apply(self, clip: Clip) -> Clip:
        """The clip with its arms changed alone."""
        character, q, t = clip.character, np.array(clip.q), clip.times
        near = fade(t / (self.taken - 0.15))[:, None]
        goals = []
        for side in SIDES:
            hold, sign = Hold(f"{side}_hand"), 1.0 if side == "left" else -1.0
            pos, _ = character.forward(q)
            shoulder = pos[:, character.body(f"{side}_upper_arm")]
            x, y = self.place[0], sign * WIDE
            far = LONG * _arm(character, side)
            flat = far**2 - (shoulder[:, 0] - x) ** 2 - (shoulder[:, 1] - y) ** 2
            up = shoulder[:, 2] - np.sqrt(np.maximum(flat, 0.0))
            high = np.where(t > self.taken, np.maximum(up, self.place[1]), self.place[1])
            bar = np.stack([np.full(len(t), x), np.full(len(t), y), high], axis=1)
            goals.append((1.0 - near) * hold.path(clip) + near * bar)
        even = 0.5 * (goals[0][:, 2] + goals[1][:, 2])
        for side, goal in zip(SIDES, goals, strict=True):
            chain, hold = limb(character, f"{side}_hand"), Hold(f"{side}_hand")
            if chain is not None:
                goal[:, 2] = np.where(t > self.taken, even, goal[:, 2])
                q = reach(character, q, chain, smooth(goal, 12), local=hold.local(character))
        return clip.with_q(q, labels=clip.contacts.labels, holds=clip.grips)


def _arm(character: Character, side: str) -> float:
    """Length [m] of a straight arm, from the shoulder to the middle of the palm."""
    pos, quat = character.forward(character.zero_pose())
    hand = character.body(f"{side}_hand")
    palm = pos[0, hand] + rot.rotate(quat[0, hand], Hold(f"{side}_hand").local(character))
    up, mid = pos[0, character.body(f"{side}_upper_arm")], pos[0, character.body(f"{side}_forearm")]
    return float(np.linalg.norm(mid - up) + np.linalg.norm(palm - mid))


def lift(character: Character, mass: float = MASS) -> Clip:
    """The squat edited to lift a barbell; its holds say how heavy it is."""
    squat = load_clip("squat", character=character, depth=115.0)
    half = squat.duration
    low = float(squat.times[np.argmin(squat.q[:, 2])])
    taken = DOWN + 0.15
    paced = replace(squat, cycle=None).edit(edit.Warp(times=((0.0, 0.0), (low, DOWN), (low + 0.05, DOWN + WAIT),
                                                              (half, DOWN + WAIT + UP))))  # fmt: skip
    bent = paced.edit(edit.Offset("chest", (0.0, 14.0, 0.0), start=DOWN - 0.2, end=DOWN + WAIT, fade=0.9))
    ankles = character.forward(bent.q[:1])[0][0, [character.body(f"{s}_foot") for s in SIDES], 0].mean()
    made = Hands(taken, (float(ankles) + AHEAD, PLATES)).apply(bent)
    holds = tuple(Hold(f"{s}_hand", start=taken, mass=0.5 * mass) for s in SIDES)
    return replace(made, holds=holds)


def stage_for(clip: Clip, mass: float = MASS) -> Stage:
    """A floor with the barbell where the hands take it."""
    hold = clip.grips[0]
    frame = round(hold.start / clip.dt)
    x, _, z = np.mean([h.path(clip)[frame] for h in clip.grips], axis=0)
    bell = Barbell("barbell", mass, (float(x), 0.0, float(z)), plate_radius=float(z), solid=False)
    grips = tuple(Grip(h.hand, "barbell", start=h.start, point=tuple(h.local(clip.character)), reach=0.1)
                  for h in clip.grips)  # fmt: skip
    return Stage(props=(bell,), grips=grips)


CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ours, as edited", {"repair": False, "loads": True}),
    ("ours, made physical first", {"loads": True}),
    ("printed", PRINTED),
    (BUT_NAME, {**BUT, "loads": True}),
)
WINDOWS = (12, 36)  # [steps] of the paper's figure 3
NOISE = 0.05  # of the velocities at the start
COLUMNS = ("what", "way", "stayed up", "by start", "joints [deg]", "root [cm]", "tilt [deg]", "penetration [mm]")


def _row(what: str, way: str, takes: list[Take]) -> tuple[Any, ...]:
    """How many stayed up with the bar, when the others ended, and medians of their errors up to there."""
    ends = ["+" if take.ended.whole else f"{take.ended.time:.1f}" for take in takes]
    deep = float(np.median([1000.0 * audit(take).penetration for take in takes]))
    return told((what, way, f"{ends.count('+')}/{len(takes)}", " ".join(ends), *medians(takes), deep))


def _starts(clip: Clip, way: str, settings: dict[str, Any], mass: float, seeds: int, own: Clip | None = None
            ) -> list[Take]:  # fmt: skip
    """Takes from starts with disturbed velocities; the barbell lies where the hands of `own` take it."""
    stage, seconds = stage_for(own or clip, mass), clip.duration + HOLD
    return [performed(clip, way, seconds, stage=stage, noise=NOISE, seed=seed, settings=settings)
            for seed in range(seeds)]  # fmt: skip


def run(options: Options) -> Table:
    """One row a form, a window and a way; as many starts as there are seeds."""
    rows, figures = [], []
    clip = lift(load_clip("squat").character)
    for name, settings in CASES:
        for window in WINDOWS:
            for way in WAYS:
                what = f"{name}, window {window}"
                takes = _starts(clip, way, {**settings, "window": window}, MASS, options.seeds)
                rows.append(_row(what, way, takes))
                figures += options.film(takes[0], f"{what}-{way.split()[0]}")
    return Table(f"A squat edited to lift a barbell of {MASS:g} kg", COLUMNS, tuple(rows), _NOTES, tuple(figures))


_NOTES = ("By start: + for the whole clip and two seconds more on its feet, else when it ended [s].",
          f"Velocities at the start are disturbed by {NOISE:g}.",
          "Printed: `Modal.printed()`, the clip as edited; in MuJoCo `ModalTorques.printed()`.")  # fmt: skip


def loads(options: Options) -> Table:
    """Lighter and as heavy loads in MuJoCo, known to the plan and unexpected."""
    rows, figures, way = [], [], "torques in MuJoCo"
    character = load_clip("squat").character
    for mass in LIGHTER:
        own = lift(character, mass)
        for known in (True, False):
            clip = own if known else replace(own, holds=())
            what = f"{mass:.0f} kg, {'known' if known else 'unexpected'}, window 16"
            takes = _starts(clip, way, {"window": 16, "loads": known}, mass, options.seeds, own)
            rows.append(_row(what, way, takes))
            figures += options.film(takes[0], f"{what}-{way.split()[0]}")
    return Table("Loads in the simulator, known and unexpected", COLUMNS, tuple(rows), _NOTES[:2], tuple(figures))
