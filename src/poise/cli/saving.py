"""What every verb that writes a file has in common: checking the target first, and a bar while it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poise.motion.clip import Clip
    from poise.take import Take

_LEVEL = (".bvh", ".glb", ".usd", ".usda", ".usdc")  # the others show the levelled floor anyway


def check(*targets: str) -> None:
    """Refuse paths that could not be written, before any work is done."""
    from poise.export import check_target

    for target in targets:
        check_target(target)


def save(motion: Clip | Take, target: str, *, level: bool = False) -> None:
    """Write a motion, with a bar where the writer tells how far it is."""
    from poise.export import options_of
    from poise.progress import Bar

    options: dict[str, object] = {"level": True} if level and target.lower().endswith(_LEVEL) else {}
    if "progress" not in options_of(target):
        motion.save(target, **options)
        return
    bar = Bar(f"writing {target}", 1)
    try:
        motion.save(target, progress=bar.reach, **options)
    finally:
        bar.close()
