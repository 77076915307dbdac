"""runner and monster: the biped and the four-armed monster of Nunes et al. 2012 (vibration).

The paper gives their internal degrees of freedom, 30 and 42, and toes; bodies and stiffness are ours. Waist 3, neck 1,
shoulders 3, elbows 1, wrists 2, hips 3, knees 1, ankles 2, toes 1; the monster has a second pair of arms below the
first. The stiffness puts the slowest vibrations of arms, legs and trunk between one and a few hertz, as running needs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.bodies.anthropometry import Inertial
from poise.character.bodies.assemble import Point, assemble
from poise.character.bodies.humanoid import humanoid_links
from poise.character.bodies.links import Link, Shape
from poise.character.character import Character
from poise.character.library.humans import both, standing
from poise.maths.rotations import Array

HEIGHT, WEIGHT, FOOT = 1.75, 70.0, 0.26  # [m], [kg], [m]
DOFS = {
    "head": "hinge_y",
    **both({"forearm": "hinge_y", "hand": "xy", "shin": "hinge_y", "foot": "yx", "toes": "hinge_y"}),
}
STIFFNESS = {  # [N m/rad]
    "chest": 400.0,
    "head": 60.0,
    **both({"upper_arm": 40.0, "forearm": 25.0, "hand": 6.0}),
    **both({"thigh": 300.0, "shin": 400.0, "foot": 300.0, "toes": 40.0}),
}
TOES = 120.0  # [N m] that they bear, on ligaments more than muscle: 2.5 times the weight, 7 cm ahead of the joint
SECOND_ARMS = np.array([0.03, 0.0, -0.20])  # [m] from the first pair


def _body() -> tuple[list[Link], list[Point]]:
    joints, tips = standing(HEIGHT, FOOT, leave_out=("abdomen", "clavicle"))
    # the waist is the one joint of the spine: lower than a joint below the ribs
    joints["chest"] = joints["chest"] - np.array([0.0, 0.0, 0.04 * HEIGHT])
    links, points, _ = humanoid_links(
        joints, tips=tips, weight=WEIGHT, height=HEIGHT, dofs=DOFS, stiffness=STIFFNESS
    )  # fmt: skip
    return [_on_strong_toes(link) for link in links], points


def _on_strong_toes(link: Link) -> Link:
    """The link; toes with the strength that running on them takes."""
    if not link.name.endswith("toes"):
        return link
    return replace(link, pins=tuple(replace(pin, torque=(TOES,)) for pin in link.pins))


def make() -> Character:
    """The biped: 30 internal degrees of freedom."""
    links, points = _body()
    return assemble("runner", links, points)


def make_monster() -> Character:
    """The four-armed monster: 42 internal degrees of freedom; the second arms are bodies without roles."""
    links, points = _body()
    arms = [link for link in links if link.group.endswith("_arm")]
    links += [_second(arm) for arm in arms]
    return assemble("monster", links, points)


def _second(link: Link) -> Link:
    """A copy of a link of an arm for the arm below: "left_forearm" becomes "left_second_forearm"."""
    rename = lambda name: name.replace("_", "_second_", 1) if name.endswith(("arm", "hand")) else name  # noqa: E731
    mass = link.inertial
    return replace(
        link,
        name=rename(link.name),
        parent=rename(link.parent),
        at=link.at + SECOND_ARMS,
        inertial=Inertial(mass.mass, mass.centre + SECOND_ARMS, mass.inertia),
        shapes=tuple(_moved(shape, SECOND_ARMS) for shape in link.shapes),
    )


def _moved(shape: Shape, by: Array) -> Shape:
    return replace(shape, at=shape.at + by, end=None if shape.end is None else shape.end + by)
