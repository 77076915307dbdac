"""Settings of the method, with units, ranges and the document's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poise.methods.momentum.departures import DEPARTURES
from poise.methods.momentum.model import Weights
from poise.methods.pose_rows import PoseRows
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.settings import check, flag, has_departure, names, number, numbers, parts, printed_form, whole
from poise.stage import Slippery, Stage

NO_FRICTION = 0.02  # friction below which feet cannot steer a body


@dataclass(frozen=True)
class Settings:
    """Weights are those of equations (20), (31) and (32) in SI units."""

    force: float = number(1.0, "W1, on contact forces", 1e-6, 1e6, "1/N²", printed=1.0)
    track: float = number(500.0, "w^t, on deviations of C, P and Φ", 0, 1e9, printed=500.0, said="500; squat 20")
    spin: float = number(5000.0, "w^a, on angular momentum", 0, 1e9, printed=500.0, said="500; squat 200")
    pose: float = number(1.0, "w1, on joint velocities", 1e-6, 1e6, printed=1.0)
    feet: float = number(500.0, "w2, on velocities of the feet", 0, 1e7, printed=5.0)
    pushed: float = number(0.01, "w3, on changes of contact forces under a push", 1e-9, 1e6, printed=0.01)
    pose_return: float = number(0.3, "share of a joint's error that one frame takes back", 0, 1, printed=1.0)
    feet_return: float = number(0.3, "the same of the feet", 0, 1, printed=1.0)
    overlap: int = whole(20, "how far a segment reaches into the next", 0, 120, "frames", printed=20)
    late: int = whole(0, "when the next controller takes over after the beginning of its segment, at most the overlap; "
                      "late respects the final constraint better", 0, 120, "frames", printed=0)  # fmt: skip
    free_time: bool = flag(True, "the final time is free; off: figure 14's fixed one", printed=True)
    anticipate: bool = flag(True, "a new goal changes the final constraint ahead; off: the reference is shifted in "
                            "proportion and errors drive, as in figure 15", printed=True)  # fmt: skip
    arm: float = number(0.05, "length that makes a force of a moment in (30)", 0.01, 10, "m", printed=1.0)
    level: float = number(10.0, "factor on the vertical force in (30): or a body that must turn jumps to do so", 1, 1e3,
                          printed=1.0)  # fmt: skip
    soften: float = number(30.0, "barrier at which gains are taken (departure soft)", 1e-6, 1e6, "N")
    root: float = number(0.1, "weight of the root's orientation (departure root)", 0, 1e6, "1 of w1")
    stride: tuple[float, float, float] = numbers((0.0, 0.0, 0.0), "how much longer, further left and higher each step "
                                               "is than the clip's", -2, 2, "m")  # fmt: skip
    upright: float = number(10.0, "rate at which orientation and angular momentum come back (departure separate)", 0,
                            100, "1/s")  # fmt: skip
    lever: float = number(0.1, "the largest moment, of the body's weight (departure separate)", 0, 1, "m")
    hurry: float = number(4.0, "how much faster a step is for each metre by which its foothold is short of where a "
                          "push asks for it (departure hurry)", 0, 100, "1/m")  # fmt: skip
    underway: float = number(0.6, "share of a foothold's shift that the body is still on its way to at the final time "
                             "(departure footholds)", 0, 1)  # fmt: skip
    ahead: float = number(1.0, "how far a foothold may be moved along the way (departure footholds)", 0, 2, "m")
    aside: float = number(0.8, "how far a foothold may be moved across the way (departure footholds)", 0, 2, "m")
    apart: float = number(-0.25, "least distance across the way between the landing foot and the other one; below 0 "
                          "feet may cross (departure footholds)", -1, 1, "m")  # fmt: skip
    friction: float | None = number(None, "friction of the ground; none: that of the stage", 0.001, 10, none=True)
    rows: tuple[PoseRows, ...] = parts(PoseRows, "values that add rows of their own to the pose (31), such as the "
                                       "response of another method")  # fmt: skip
    repair: bool = flag(True, "make the clip physical before it begins (departure repair)", said="off")
    departures: tuple[str, ...] | str = names(
        tuple(DEPARTURES), "departures from the document that are on; a setting that belongs to one has no effect "
        "without it", DEPARTURES, "departure of momentum", printed=())  # fmt: skip

    name = "momentum"
    has = has_departure
    printed = classmethod(printed_form)  # no departure, the document's weights for walks

    def __post_init__(self) -> None:
        check(self, self.name)

    def weights(self) -> Weights:
        """Those of the optimal control problem (20)."""
        return Weights(self.force, self.track, self.spin)

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[tuple[str, str]]]:
        """The reference made physical, and what was done; before the performance begins."""
        reference, notes = prepared(reference, stage.ground, fit=False, repair=self.has("repair"))
        return reference, [*notes, *_left_out(self.name, stage)]

    def follow(self, memory: Any, reference: Reference) -> Any:
        """The memory for another reference: the plan of its clip, taken over where the feet stand."""
        now, before = reference.moved, memory.moved
        if reference.baked is memory.clip and (now.turn, now.shift) == (before.turn, before.shift):
            return memory
        return self.start(memory.character, reference, memory.stage)  # type: ignore[attr-defined]

    def surround(self, memory: Any, reference: Reference, stage: Stage) -> Any:
        """The memory with another ground and friction under the same feet: steps up and down are met while it runs."""
        memory.surround(stage)
        return memory


def _left_out(name: str, stage: Stage) -> list[tuple[str, str]]:
    """What of a stage a performance cannot heed, or only suffer, as kind and sentence for its log."""
    held = sorted({grip.to for grip in stage.grips})
    empty = [("empty hands", f"hands of {name} hold nothing: {' and '.join(held)} is left out")] if held else []
    ice = [e for e in stage.events if isinstance(e, Slippery) and e.friction < NO_FRICTION]
    return empty + [("no friction", f"from {e.at:.2f} s on for {e.duration:.2f} s the ground has a friction of "
                     f"{e.friction:g}: no force along it can steer the body") for e in ice]  # fmt: skip
