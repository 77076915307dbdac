"""Settings of the method, with units, ranges and the document's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poise.dynamics.response_space import KINDS, ResponseSpace
from poise.methods.posture.departures import DEPARTURES
from poise.methods.upright import Upright
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.settings import check, choice, flag, has_departure, names, number, parts, printed_form, special, whole
from poise.stage import Stage


def _space(value: Any) -> ResponseSpace:
    if not isinstance(value, ResponseSpace):
        raise ValueError
    return value


@dataclass(frozen=True)
class Settings:
    """Weights are those of equation (10); angles in rad, torques in N m."""

    k: int = whole(10, "how many coordinates are near-unactuated and give way", 0, 500, printed=10,
                   said="10; tai-chi 5")  # fmt: skip
    space: ResponseSpace | None = special(  # noqa: RUF009
        None, "the response space of another clip or person; none: that of the clip itself",
        "a ResponseSpace, or on the command line the file of one", _space, ResponseSpace.load, none=True)  # fmt: skip
    kind: str = choice("torques", "what the space is made of: torques, torques less their mean (13), or the joints' "
                       "motion (14)-(16)", KINDS, "kind of response space", printed="torques")  # fmt: skip
    zero: bool = flag(False, "near-unactuated coordinates have no torque at all, as (6) is printed (with kind mean "
                      "that of (13)); off: the small ones that they have in the clip", printed=False,
                      said="on by (6), off by section 3.4")  # fmt: skip
    pose: float = number(400.0, "W1, on deviations of the pose", 0, 1e6, printed=200.0)
    damping: float = number(1.0, "W2, on deviations of joint velocities", 0, 1e6, "s²", printed=10.0)
    spine: float = number(1.0, "W2 of the spine's first joint", 0, 1e6, "s²", printed=30.0)
    latency: float = number(2e-6, "W3, on changes of torque in all other coordinates when a push begins", 0, 1e3,
                            "s²/(N m)²", printed=1 / 30)  # fmt: skip
    lag: float = number(0.2, "time in which W3 fades to nothing", 0, 2, "s", printed=0.2)
    interval: float = number(1 / 120, "time step, 1/120 or 1/60", 1 / 120, 1 / 60, "s", printed=1 / 60)
    stiffness: float = number(5.0, "springs of resting muscles in the coordinates that give way (departure tone)", 0,
                              1e4, "N m/rad")  # fmt: skip
    damper: float = number(0.2, "dampers of resting muscles (departure tone)", 0, 1e3, "N m s/rad")
    tone: float = number(4.0, "rate at which springs and dampers in proportion to each joint's inertia bring it back "
                         "(departure tone)", 0, 100, "1/s")  # fmt: skip
    root_return: float = number(4.0, "rate at which the root comes back (departure return)", 0, 100, "1/s")
    uprights: tuple[Upright, ...] = parts(Upright, "links that stay upright in the world, such as a hand with a cup; "
                                          "stiffness and damping of a link are not used")  # fmt: skip
    upright: float = number(1e6, "weight on the tilt of such links", 0, 1e9, said="not told")
    clearance: float = number(0.1, "distance from things that stand about, below which the body is repelled", 0, 1, "m",
                              said="not told")  # fmt: skip
    repulsion: float = number(1e6, "weight of the repulsion; 0: none", 0, 1e9, "1/m²", said="not told")
    hardness: float = number(4000.0, "stiffness of what is hit", 0, 1e6, "N/m", said="not told")
    repair: bool = flag(True, "make the clip physical before it begins (departure repair)", said="off")
    departures: tuple[str, ...] | str = names(
        tuple(DEPARTURES), "departures from the document that are on; a setting that belongs to one has no effect "
        "without it", DEPARTURES, "departure of posture", printed=())  # fmt: skip

    name = "posture"
    has = has_departure
    printed = classmethod(printed_form)  # no departure, the document's weights, steps of 1/60 s

    def __post_init__(self) -> None:
        check(self, self.name)

    @property
    def frames(self) -> int:
        """Recorded frames of 1/120 s in a step."""
        return 2 if self.interval > 1 / 90 else 1

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[tuple[str, str]]]:
        """The reference made physical, and what was done; before the performance begins."""
        return prepared(reference, stage.ground, fit=True, repair=self.has("repair"))
