"""A motion on a body of your own: an MJCF file whose parts have names of your own.

poise finds the roles by names and by shape; here the names say nothing, so one is given by hand to show how. The walk
is then retargeted, and what the feet do is measured.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import poise
from poise.motion.check.check import penetration, skating


def limb(names: tuple[str, str, str], y: float, z: float, lengths: tuple[float, float], foot: bool) -> str:
    """Three bodies in a row: ball, hinge, ball."""
    a, b, c = names
    end = '<geom type="box" size="0.12 0.04 0.02" pos="0.06 0 -0.05"/>' if foot else '<geom type="sphere" size="0.04"/>'
    return f"""
    <body name="{a}" pos="0 {y} {z}"><joint type="ball"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 {-lengths[0]}"/>
      <body name="{b}" pos="0 0 {-lengths[0]}"><joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0 0 {-lengths[1]}"/>
        <body name="{c}" pos="0 0 {-lengths[1]}"><joint type="ball"/>{end}</body></body></body>"""


def body() -> str:
    """A plain robot, 1.5 m tall, its parts named in Spanish."""
    legs = "".join(limb((f"muslo_{s}", f"pantorrilla_{s}", f"pie_{s}"), y, -0.05, (0.36, 0.36), True)
                   for s, y in (("izq", 0.09), ("der", -0.09)))  # fmt: skip
    arms = "".join(limb((f"brazo_{s}", f"antebrazo_{s}", f"mano_{s}"), y, 0.38, (0.26, 0.24), False)
                   for s, y in (("izq", 0.2), ("der", -0.2)))  # fmt: skip
    return f"""<mujoco><compiler angle="radian"/><worldbody><body name="cadera" pos="0 0 0.84"><freejoint/>
      <geom type="capsule" size="0.1" fromto="0 -0.06 0 0 0.06 0"/>
      <body name="torso" pos="0 0 0.12"><joint type="ball"/><geom type="capsule" size="0.12" fromto="0 0 0 0 0 0.25"/>
        <body name="cabeza" pos="0 0 0.45"><joint type="ball"/><geom type="sphere" size="0.1" pos="0 0 0.08"/></body>
        {arms}</body>{legs}</body></worldbody></mujoco>"""


ROLES = {"pelvis": "cadera", "chest": "torso", "head": "cabeza",
         **{f"{side}_{part}": f"{own}_{s}" for side, s in (("left", "izq"), ("right", "der"))
            for part, own in (("thigh", "muslo"), ("shin", "pantorrilla"), ("foot", "pie"), ("upper_arm", "brazo"),
                              ("forearm", "antebrazo"), ("hand", "mano"))}}  # fmt: skip


def main(folder: str = "demo") -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "robot.xml"
        path.write_text(body())
        robot = poise.load_character(path, roles=ROLES)
    print(f"{robot.name}: {robot.height:.2f} m, {robot.mass:.0f} kg, {robot.model.nv} degrees of freedom")
    walk = poise.load_clip("walk").repeat(2).retarget(robot)
    print(f"feet skate {100 * skating(walk):.2f} cm/s in contact and sink {1000 * penetration(walk):.1f} mm at most")
    walk.save(out / "robot.png")
    print(f"written: {out / 'robot.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
