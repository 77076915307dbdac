"""What the audit says of takes: of built-in clips by several methods, and of recordings followed by servos alone."""

from __future__ import annotations

from typing import Any

from poise.errors import PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.export.sheet import contact_sheet, save_sheet
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


def run(options: Options) -> Table:
    """One row a take: what is left unexplained from velocities and from positions alone, and the verdict."""
    rows = tuple(told(_row(name, _performed(name))) for name in TAKES if options.wants(name))
    columns = ("take", "velocities", "at worst", "force held", "torque held", "velocity [m/s]", "verdict")
    notes = ("Forces as shares of the body's weight W, torques of W times its height. Velocities: unexplained rms "
             "from the take's own; at worst and held: from positions alone.",)  # fmt: skip
    return Table("What the audit leaves unexplained", columns, rows, notes)


def _performed(name: str) -> Take:
    """CLIP:METHOD performed; "balance-honest" has its slider at 0."""
    clip, _, method = name.partition(":")
    motion = load_clip(clip)
    seconds = SECONDS if motion.cycle is not None else min(motion.duration, 2 * SECONDS)
    return perform(motion, Balance(slider=0.0) if method == "balance-honest" else method, seconds=seconds)


def _row(name: str, take: Take) -> tuple[Any, ...]:
    report = audit(take)
    weight, scale = report.weight, report.weight * take.character.height
    faults = "; ".join(f.kind if f.body is None else f"{f.kind} {f.body}" for f in report.faults)
    return (name, report.unexplained_force_share, report.position_force_max.value / weight,
            report.position_force_held.value / weight, report.position_torque_held.value / scale,
            report.velocity_mismatch.value, "passes" if report.passed else faults)  # fmt: skip


def servos(options: Options) -> Table:
    """One row a recording performed by `pd`: when it falls; the sheet shows it below the recording itself."""
    rows, pairs = [], []
    for path in options.files():
        clip = load_clip(path)
        try:
            played, servoed = (perform(clip, m, seconds=min(SECONDS, clip.duration)) for m in ("kinematic", "pd"))
        except PoiseError as error:
            rows.append(told((clip.name, "", str(error), "", "")))
            continue
        ended = servoed.ended
        how = "stays up" if ended.whole else f"{ended} at {ended.time:.2f} s"
        joints, lack = servoed.tracking_error().joints, 100 * audit(servoed).unexplained_force_share
        rows.append(told((clip.name, float(servoed.time[-1]), how, joints, lack)))
        pairs.append((played.as_clip(), servoed.as_clip()))
    fell = sum(row[2] != "stays up" for row in rows if row[1] != "")
    notes = (f"{fell} of {len(pairs)} fall within {SECONDS:g} s.",)
    columns = ("recording", "seconds", "ended", "joint error [rad]", "unexplained [% of weight]")
    return Table("Servos alone on recordings", columns, tuple(rows), notes, _sheet(options, pairs))


def _sheet(options: Options, pairs: list[Any]) -> tuple[str, ...]:
    if options.out is None or not pairs:
        return ()
    title, path = "kinematic above, servos alone (pd) below", options.out / "servos.png"
    names = [played.name for played, _ in pairs]
    save_sheet(contact_sheet(pairs, names, 3, width=1700, frames=6, row_height=110, title=title), path, pairs,
               colours=32)  # fmt: skip
    return (str(path),)
