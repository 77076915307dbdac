"""What the audit leaves of takes by several methods: from velocities, from positions alone, and its verdict.

python -m poise.experiments.audit_table [CLIP:METHOD ...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from poise.judge.audit import audit
from poise.methods.balance.method import Balance
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Take

SECONDS = 3.0  # of each clip at most
TAKES = (
    "walk:mcsim", "run:mcsim", "jump:mcsim", "hop:mcsim", "walk:pd", "run:pd", "jump:pd", "walk:modal", "squat:modal",
    "jump:modal", "swing:modal", "run:modal", "walk:modal-torques", "walk:balance", "walk:balance-honest",
)  # fmt: skip


def takes(names: Sequence[str]) -> Iterator[tuple[str, Take]]:
    """The performances, one after the other; "balance-honest" has its slider at 0."""
    for name in names:
        clip, _, method = name.partition(":")
        way = Balance(slider=0.0) if method == "balance-honest" else method or "pd"
        motion = load_clip(clip)
        length = SECONDS if motion.cycle is not None else min(motion.duration, 2 * SECONDS)
        yield name, perform(motion, way, seconds=length)


def line(name: str, take: Take) -> str:
    """One row of the table: forces in body weights W, torques in W · height."""
    report = audit(take)
    weight, scale = report.weight, report.weight * take.character.height
    problems = "; ".join(f.kind if f.body is None else f"{f.kind} {f.body}" for f in report.faults)
    return (f"{name:20s} {report.unexplained_force_share:9.2g} {report.position_force_max.value / weight:9.3f} "
            f"{report.position_force_held.value / weight:9.4f} {report.position_torque_held.value / scale:9.4f} "
            f"{report.velocity_mismatch.value:9.3f}  {'passes' if report.passed else problems}")  # fmt: skip


def main(names: Sequence[str]) -> None:
    """Print the table."""
    print("take                 velocities at worst  force held torque held velocity   verdict", flush=True)
    for name, take in takes(names or TAKES):
        print(line(name, take), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
