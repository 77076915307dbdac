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
from poise.experiments.modal.trial import TRACKING, WAYS, tracking_row
from poise.experiments.reproduce import Options, Table
from poise.maths import rotations as rot
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.edit.limb import limb, reach
from poise.motion.edit.window import fade, smooth
from poise.motion.hold import Hold
from poise.motion.load import load_clip
from poise.performance import perform
from poise.simulate.guard import BlowUp
from poise.stage import Barbell, Grip, Push, Stage
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


def stage_for(clip: Clip, mass: float = MASS, events: tuple[Push, ...] = ()) -> Stage:
    """A floor with the barbell where the hands take it."""
    hold = clip.grips[0]
    frame = round(hold.start / clip.dt)
    x, _, z = np.mean([h.path(clip)[frame] for h in clip.grips], axis=0)
    bell = Barbell("barbell", mass, (float(x), 0.0, float(z)), plate_radius=float(z), solid=False)
    grips = tuple(Grip(h.hand, "barbell", start=h.start, point=tuple(h.local(clip.character)), reach=0.1)
                  for h in clip.grips)  # fmt: skip
    return Stage(props=(bell,), grips=grips, events=events)


CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as edited, window 12", {"window": 12, "repair": False, "loads": True}),
    ("as edited, window 36", {"window": 36, "repair": False, "loads": True}),
    ("made physical, window 12", {"window": 12, "loads": True}),
    ("made physical, window 36", {"window": 36, "loads": True}),
)


def _lifted(clip: Clip, method: object, mass: float, seconds: float, own: Clip | None = None) -> Take | None:
    """The take, or None where the simulation blew up; the barbell lies where the hands of `own` take it."""
    try:
        return perform(clip, method, stage=stage_for(own or clip, mass), seconds=seconds)
    except BlowUp:
        return None


def _lost(way: str) -> tuple[object, ...]:
    """Cells for a simulation that blew up."""
    return (way, "blew up", *["-"] * (len(TRACKING) - 2))


def run(options: Options) -> Table:
    """One row a setting and a way, then loads known and unexpected; the seed count does not matter here."""
    rows: list[tuple[object, ...]] = []
    character = load_clip("squat").character
    clip = lift(character)
    seconds = clip.duration + HOLD
    for name, settings in CASES:
        for way, kind in WAYS.items():
            what = f"{name}, {MASS:g} kg"
            take = _lifted(clip, kind(**settings), MASS, seconds)
            rows.append((what, *(tracking_row(take, way) if take else _lost(way))))
            if options.out is not None and take is not None:
                take.save(options.out / f"{name.replace(' ', '-').replace(',', '')}-{way.split()[0]}.png")
    way = "torques in MuJoCo"
    for mass in LIGHTER:
        own = lift(character, mass)
        for known in (True, False):
            clip = own if known else replace(own, holds=())
            take = _lifted(clip, WAYS[way](window=16, loads=known), mass, seconds, own)
            what = f"{mass:.0f} kg, {'known' if known else 'unexpected'}, window 16"
            rows.append((what, *(tracking_row(take, way) if take else _lost(way))))
            if options.out is not None and take is not None:
                take.save(options.out / f"{what.replace(' ', '-').replace(',', '')}.png")
    return Table("A squat edited to lift a barbell", ("what", *TRACKING), tuple(rows))


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()
