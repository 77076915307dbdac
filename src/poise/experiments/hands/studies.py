"""The experiments of 5.6.4 and 5.6.5: styles, friction, proxy points, objects swapped, and grips near and far from
the palm.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.library.hand import FINGERS
from poise.experiments.hands.table2 import FIRST, solved
from poise.experiments.reproduce import Options, Table, told
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.scenes import more, table2
from poise.methods.hands.scenes.authoring import turns
from poise.methods.hands.settings import STYLES, Hands
from poise.methods.hands.solution import Solution


def slid(solution: Solution, scene: Scene) -> tuple[float, float, float]:
    """Way [mm] that loaded contact points move over the object a second: all, along its horizontal, along its
    vertical.
    """
    way = np.zeros(3)
    seconds = 0.0
    for before, now in zip(solution.loads[:-1], solution.loads[1:], strict=True):
        old = {tuple(c[:3]): c[6:9] for c in before.contacts}
        for c in now.contacts:
            if tuple(c[:3]) in old:
                d = np.abs(c[6:9] - old[tuple(c[:3])])
                way += (np.linalg.norm(d), np.hypot(d[0], d[1]), d[2])
                seconds += 1 / scene.fps
    return tuple(1e3 * way / max(seconds, 1e-9))


def shares(solutions: list[Solution]) -> tuple[float, ...]:
    """Share of the frames in which each finger carries a force, thumb to little finger."""
    return (
        tuple(float(x) for x in np.mean([s.loaded()[0].mean(0) for s in solutions], axis=0))
        if solutions
        else (0.0,) * 5
    )


def changes(solution: Solution) -> int:
    """How often a finger begins to carry a force."""
    on = solution.loaded()[0].astype(int)
    return int((np.diff(on, axis=0) == 1).sum())


FRICTIONS = (0.2, 0.4, 0.7, 1.2)


def friction(options: Options) -> Table:
    """A box slid on the table: static first and sliding first, gripped from the side and from above, four frictions.

    Three solutions of each of two seeds; the slide's angle is 0 where contacts move along the table, 90 where they go
    up and down.
    """
    rows = []
    for grip, make in (("side", more.sliding_box), ("above", more.slid_from_above)):
        for style in ("steady", "sliding"):
            for mu in FRICTIONS:
                scene = make(friction=mu)
                found = [
                    s
                    for seed in range(FIRST, FIRST + 2)
                    for s in solved(scene, Hands(style=style), seed=seed, count=3, seconds=15.0)[0].solutions[:3]
                ]
                way = np.mean([slid(s, scene) for s in found], axis=0) if found else np.full(3, np.nan)
                angle = float(np.degrees(np.arctan2(way[2], way[1])))
                moved = (round(float(w), 1) for w in way)
                carried = (round(100 * s) for s in shares(found))
                rows.append(told((grip, style, mu, len(found), *moved, round(angle, 0), *carried)))
    columns = ("moved [mm/s]", "horizontally", "vertically", "angle [degrees]", "thumb [% of frames]")
    return Table(
        "A box slid on the table (5.6.4)",
        ("grip", "style", "µ", "solutions", *columns, "index", "middle", "ring", "little"),
        tuple(rows),
    )


def styles(options: Options) -> Table:
    """Styles on one motion: how much contacts move, and how often fingers take over."""
    rows = []
    for style in STYLES:
        scene = table2.small_bottle()
        found, _ = solved(scene, Hands(style=style), count=options.seeds, seconds=30.0)
        moved = [slid(s, scene)[0] for s in found.solutions]
        rows.append(
            told(
                (
                    style,
                    len(found.solutions),
                    float(np.mean(moved)) if moved else float("nan"),
                    float(np.mean([changes(s) for s in found.solutions])) if moved else float("nan"),
                )
            )
        )
    return Table(
        "Styles of a bottle's pick-up (5.4.2, 5.4.4)",
        ("style", "solutions", "contacts move [mm/s]", "times a finger takes load"),
        tuple(rows),
    )


def objects(options: Options) -> Table:
    """Objects swapped on the box's motion, a grip at the fingertips and one in the palm, with and without proxy
    points.
    """
    scenes = {
        "box": more.low_box(),
        "mug on the box's motion": more.mug(),
        "bunny on the box's motion": more.swapped_bunny(),
        "spatula at the fingertips": table2.spatula_1(),
        "spatula in the palm": table2.spatula_2(),
    }
    rows = []
    for name, scene in scenes.items():
        for proxies in (True, False):
            found, _ = solved(scene, Hands(proxies=proxies), count=options.seeds, seconds=30.0)
            links = [c[2] for s in found.solutions for load in s.loads for c in load.contacts]
            palm = 100 * float(np.mean([k <= 1 for k in links])) if links else float("nan")
            rows.append(told((name, "with" if proxies else "without", len(found.solutions), round(found.cpu, 1), palm)))
    return Table(
        "Objects and grips (5.6.5)",
        ("scene", "proxy points", "solutions", "CPU [s]", "loads on palm and first phalanges [%]"),
        tuple(rows),
    )


def cup(options: Options) -> Table:
    """A cup turned by 120 degrees in the hand, at a person's and at constant speed, and a small box fiddled with.

    The first solutions of seed 0, on which these were tried, and of so many others.
    """
    eased = more.cup()
    steady = Track(eased.motion.place, turns((0, 0, 1), 120.0 * np.linspace(0, 1, len(eased))))
    scenes = {
        "cup, eased": eased,
        "cup, constant speed": replace(eased, motion=steady, name="cup at constant speed"),
        "small box, to and fro": more.fiddled_box(),
    }
    rows = []
    for name, scene in scenes.items():
        for seed in (0, *range(FIRST, FIRST + options.seeds)):
            found, _ = solved(scene, seed=seed, count=1, seconds=60.0)
            gaits = float(np.mean([changes(s) for s in found.solutions])) if found.solutions else float("nan")
            rows.append(told((name, seed, len(found.solutions), found.paths, round(found.cpu, 1), gaits)))
    return Table(
        "Things turned in the hand (5.6.4, 5.6.6)",
        ("scene", "seed", "solutions", "of paths", "CPU [s]", "times a finger takes load"),
        tuple(rows),
    )


def timing(options: Options) -> Table:
    """A pepper bottle turned on the table and picked up: automatic timing, and times given for each finger."""
    rows = []
    for name, scene in (("automatic", more.pepper()), ("given", more.timed_pepper())):
        found, _ = solved(scene, count=options.seeds, seconds=40.0)
        on = [s.loaded()[0] for s in found.solutions]
        for f, finger in enumerate(FINGERS):
            first = [np.argmax(x[:, f]) / scene.fps for x in on if x[:, f].any()]
            share = 100 * float(np.mean([x[:, f].mean() for x in on])) if on else float("nan")
            begins = float(np.mean(first)) if first else float("nan")
            rows.append(told((name, len(found.solutions), finger, begins, round(share))))
    return Table(
        "Automatic and given timing of a turned pepper bottle (figure 22)",
        ("timing", "solutions", "finger", "first carries [s]", "carries [% of frames]"),
        tuple(rows),
    )
