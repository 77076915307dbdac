"""The settings of the search for finger motion, with the thesis's values where it prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poise.methods.hands.finger import Weights
from poise.settings import check, choice, flag, number, whole
from poise.settings import printed as printed_values

STYLES = ("free", "steady", "sliding", "busy", "restless", "reluctant")
"""free: any; steady: contacts stay; sliding: they slide where they may; busy: they move most; restless: fingers take
turns; reluctant: a finger that let go comes back only where it is needed (5.4.2, 5.4.4)."""


@dataclass(frozen=True)
class Hands:
    """How finger motion is searched for; Ye 2012, chapter 5."""

    speed: float = number(0.12, "how far a joint may turn in a frame, δq of (36)", 0.01, 2.0, "rad")
    branches: int = whole(3, "tries at a node before going back", 1, 50, printed=3)
    after_success: float = number(
        0.5, "ε₁, the chance to go back one decision more after a solution", 0.0, 1.0, printed=0.5
    )
    decisions: float = number(10.0, "ε₃ T, how many new actions there are in a motion", 0.1, 500.0, printed=10.0)
    improved: bool = flag(
        True, "5.4: sparse exploration and informed backtracking; off: every fifth frame, depth first", printed=True
    )
    spacing: int = whole(5, "frames between branches of the plain search", 1, 100, "frames", printed=5)
    style: str = choice("free", "what fingers like to do", STYLES, "style", printed="free")
    proxies: bool = flag(True, "forces at two or three points beside a contact", printed=True)
    offset: float = number(4e-3, "how far these are from it", 1e-4, 0.02, "m")
    closing: bool = flag(
        True, "first contacts by closing the hand; off: points of the surface within reach", printed=False
    )
    reallocate: bool = flag(True, "when a loaded finger fails, try the frame before without its force", printed=False)
    settle: bool = flag(
        True, "contacts that stay where they are carry more readily than those that move", printed=False
    )
    look_ahead: bool = flag(True, "first contacts must be able to carry the object later on", printed=False)
    horizon: int = whole(
        10, "frames ahead at which a finger must still reach its contact; 0: none", 0, 100, "frames", printed=0
    )
    spread: bool = flag(True, "after a solution go on from any decision; off: from the last ones, by ε₁", printed=False)
    most_force: float = number(80.0, "all normal forces of a hand together", 1.0, 1000.0, "N")
    near: float = number(6e-4, "gap below which a link touches", 1e-5, 5e-3, "m")
    deep: float = number(3e-4, "penetration that is allowed", 0.0, 5e-3, "m")
    slip: float = number(2e-4, "slip of a loaded contact in a frame that is allowed", 1e-5, 5e-3, "m")
    steps: int = whole(25, "steps of the pose solver at most", 3, 200)
    natural: float = number(0.15, "weight of a hand at ease", 0.0, 10.0, "1/rad")
    couple: float = number(0.3, "weight of the last joint bending with the one before", 0.0, 10.0, "1/rad")
    round_nodes: int = whole(1500, "nodes after which the search begins anew", 50, 10**7)
    round_solutions: int = whole(4, "solutions after which it begins anew", 1, 10**6)

    name = "hands"

    def __post_init__(self) -> None:
        check(self, self.name)

    @classmethod
    def printed(cls, **changes: Any) -> Hands:
        """The thesis's form, without our additions."""
        return cls(**{**printed_values(cls), **changes})

    def weights(self) -> Weights:
        """What a pose is weighed by."""
        return Weights(
            position=1e3,
            facing=3.0,
            facing_least=0.2 if self.closing else 0.0,
            penetration=8e3,
            gap=3e3,
            apart=4e3,
            keep=0.5,
            rest=self.natural,
            couple=self.couple,
            margin=1e-4,
            apart_margin=2e-4,
        )
