"""Character files for tests, as users bring them: an MJCF with a scene around it, a URDF with a joint per axis."""

from __future__ import annotations

MJCF = """<mujoco model="figure">
  <compiler angle="degree" inertiafromgeom="true"/>
  <default><joint armature="0.01" damping="1" limited="true"/><motor ctrllimited="true" ctrlrange="-0.5 0.5"/></default>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="32" height="32" rgb1="0 0 0" rgb2="1 1 1"/>
    <material name="grid" texture="grid"/>
    <mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/><camera name="far" pos="0 -4 1"/>
    <geom name="floor" type="plane" size="10 10 0.1" material="grid"/>
    <body name="table" pos="2 0 0"><geom type="box" size="0.4 0.4 0.4"/></body>
    <body name="torso" pos="0 0 1.4">
      <joint name="free" type="free" limited="false" armature="0" damping="0"/>
      <geom type="capsule" fromto="0 -0.1 0 0 0.1 0" size="0.08"/><geom type="mesh" mesh="wedge" mass="0.1"/>
      <geom name="skull" type="sphere" pos="0 0 0.2" size="0.1"/>
      <body name="lwaist" pos="0 0 -0.25">
        <joint name="abdomen_z" axis="0 0 1" range="-45 45"/><joint name="abdomen_y" axis="0 1 0" range="-75 30"/>
        <geom type="capsule" fromto="0 -0.06 0 0 0.06 0" size="0.06"/>
        <body name="pelvis" pos="0 0 -0.16">
          <joint name="abdomen_x" axis="1 0 0" range="-35 35"/>
          <geom type="capsule" fromto="0 -0.07 0 0 0.07 0" size="0.09"/>
          {legs}
        </body>
      </body>
      {arms}
    </body>
  </worldbody>
  <tendon>
    <fixed name="hamstring"><joint coef="1" joint="left_hip_y"/><joint coef="-1" joint="left_knee"/></fixed>
  </tendon>
  <actuator><motor joint="left_knee" gear="200"/><motor joint="right_knee" gear="200"/></actuator>
  <sensor><jointpos joint="left_knee"/></sensor>
  <keyframe><key name="up"/></keyframe>
</mujoco>"""

_LEG = """<body name="{s}_thigh" pos="0 {y} -0.04">
  <joint name="{s}_hip_x" axis="1 0 0" range="-25 25"/><joint name="{s}_hip_z" axis="0 0 1" range="-35 35"/>
  <joint name="{s}_hip_y" axis="0 1 0" range="-110 20" stiffness="20"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.36" size="0.06"/>
  <body name="{s}_shin" pos="0 0 -0.4">
    <joint name="{s}_knee" axis="0 1 0" range="0 150"/><geom type="capsule" fromto="0 0 0 0 0 -0.36" size="0.05"/>
    <body name="{s}_foot" pos="0 0 -0.4">
      <joint axis="0 1 0" range="-45 45"/>
      <geom type="capsule" fromto="-0.05 0.02 -0.06 0.16 0.04 -0.06" size="0.025"/>
      <geom type="capsule" fromto="-0.05 -0.02 -0.06 0.16 -0.04 -0.06" size="0.025"/>
    </body></body></body>"""

_ARM = """<body name="{s}_upper_arm" pos="0 {y} 0.06">
  <joint axis="1 0 0" range="-85 60"/><joint axis="0 1 0" range="-85 60"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.26" size="0.04"/>
  <body name="{s}_lower_arm" pos="0 0 -0.28"><joint axis="0 1 0" range="-120 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.24" size="0.03"/></body></body>"""


def mjcf() -> str:
    """A figure whose root is its torso, among a floor, a table, a light, motors, sensors and stored poses."""
    legs = "".join(_LEG.format(s=s, y=y) for s, y in (("left", 0.1), ("right", -0.1)))
    arms = "".join(_ARM.format(s=s, y=y) for s, y in (("left", 0.2), ("right", -0.2)))
    return MJCF.format(legs=legs, arms=arms)


def urdf() -> str:
    """A robot with a link for every hinge of hips, ankles and shoulders, and meshes that are not there."""
    links, joints = [_link("pelvis", 8.0, 0.1)], []

    def add(name: str, parent: str, at: tuple[float, float, float], axis: str, mass: float = 1.0, size: float = 0.05):
        links.append(_link(name, mass, size))
        joints.append(
            f'<joint name="{name.removesuffix("_link")}_joint" type="revolute"><parent link="{parent}"/>'
            f'<child link="{name}"/><origin xyz="{at[0]} {at[1]} {at[2]}"/><axis xyz="{axis}"/>'
            '<limit lower="-1.5" upper="1.5" effort="80" velocity="10"/></joint>'
        )

    add("waist_yaw_link", "pelvis", (0, 0, 0.05), "0 0 1")
    add("torso_link", "waist_yaw_link", (0, 0, 0.05), "0 1 0", 10.0, 0.1)
    add("head_link", "torso_link", (0, 0, 0.4), "0 0 1", 2.0, 0.08)
    for side, y in (("left", 0.1), ("right", -0.1)):
        add(f"{side}_hip_pitch_link", "pelvis", (0, y, -0.05), "0 1 0")
        add(f"{side}_hip_roll_link", f"{side}_hip_pitch_link", (0, 0, -0.02), "1 0 0")
        add(f"{side}_hip_yaw_link", f"{side}_hip_roll_link", (0, 0, -0.03), "0 0 1", 3.0)
        add(f"{side}_knee_link", f"{side}_hip_yaw_link", (0, 0, -0.3), "0 1 0", 2.0)
        add(f"{side}_ankle_pitch_link", f"{side}_knee_link", (0, 0, -0.3), "0 1 0", 0.2)
        links.append(_link(f"{side}_ankle_roll_link", 0.6, 0.04, "0.2 0.08 0.04", "0.03 0 -0.04"))
        joints.append(
            f'<joint name="{side}_ankle_roll_joint" type="revolute"><parent link="{side}_ankle_pitch_link"/>'
            f'<child link="{side}_ankle_roll_link"/><axis xyz="1 0 0"/>'
            '<limit lower="-0.3" upper="0.3" effort="40" velocity="10"/></joint>'
        )
        add(f"{side}_shoulder_pitch_link", "torso_link", (0, 2 * y, 0.35), "0 1 0", 0.5)
        add(f"{side}_shoulder_roll_link", f"{side}_shoulder_pitch_link", (0, 0, 0), "1 0 0", 0.5)
        add(f"{side}_shoulder_yaw_link", f"{side}_shoulder_roll_link", (0, 0, -0.1), "0 0 1", 0.5)
        add(f"{side}_elbow_link", f"{side}_shoulder_yaw_link", (0, 0, -0.12), "0 1 0", 0.5)
    return f'<robot name="robot">{"".join(links)}{"".join(joints)}</robot>'


def _link(name: str, mass: float, size: float, box: str = "", at: str = "0 0 0") -> str:
    shape = f'<box size="{box}"/>' if box else f'<sphere radius="{size}"/>'
    inertia = 0.4 * mass * size**2
    return (
        f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f'<visual><geometry><mesh filename="package://robot/meshes/{name}.STL"/></geometry></visual>'
        f'<collision><origin xyz="{at}"/><geometry>{shape}</geometry></collision></link>'
    )
