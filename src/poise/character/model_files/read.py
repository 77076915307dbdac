"""Reading MJCF and URDF: the articulated body of a file alone, without floor, props, motors and files beside it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from poise import budgets, files
from poise.character import mujoco_log
from poise.character.model_files import scan
from poise.errors import BadFile
from poise.maths import rotations as rot
from poise.printable import shortened

_MOST_VERTICES = 2000  # a mesh with more is kept as its convex hull
_SINGULAR = 1e-13  # least eigenvalue of the mass matrix with a diagonal of 1; a chain of 150 links has 1e-9
_MOST_FOLDERS = 40  # in the name of a mesh
_MESHES = (".stl", ".obj", ".msh")


class FileModel(NamedTuple):
    """A body ready for a character: its MJCF, what its file says of motors, and remarks for the user."""

    xml: str
    model: mujoco.MjModel
    torque: dict[str, float]  # joint name -> greatest torque [N m] of its motors
    notes: tuple[str, ...]


def read(path: Path) -> FileModel:
    """The largest tree of bodies in an MJCF or URDF file, with a free joint "root"."""
    text = _text(path)
    notes: list[str] = []
    try:
        with mujoco_log.gathered() as warnings:
            robot = ET.fromstring(text)
            spec = _urdf(path, robot, notes) if robot.tag == "robot" else _mjcf(path, text)
            _without_sizes(spec)
            _name_everything(spec)
            whole = spec.compile()
            torque = _motor_torques(whole)
            _inline_assets(spec, whole)
            _strip(spec)
            _keep_one_tree(spec, path, notes)
            spec.compile()
            xml = spec.to_xml()
            model = mujoco.MjModel.from_xml_string(xml)
        wrong = too_large(model) or cannot_move(model)
        if wrong:
            raise BadFile(path, f"its body {wrong}.")
        notes += [f"MuJoCo: {_one_line(w)}." for w in warnings]
    except (ValueError, RuntimeError, MemoryError, KeyError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        raise BadFile(path, f"MuJoCo cannot build this model ({_one_line(error)}).") from error
    return FileModel(xml, model, torque, tuple(notes))


def too_large(model: mujoco.MjModel) -> str:
    """What of a body is more than a character may have, as the end of a sentence; empty where nothing is."""
    deep = max(budgets.depths(model.body_parentid[1:] - 1), default=0)
    for count, most, what in (
        (model.nv, budgets.FREEDOMS, "degrees of freedom"),
        (model.ngeom, budgets.CHARACTER_GEOMS, "shapes"),
        (deep, budgets.BODY_DEPTH, "bodies one on another"),
    ):
        if count > most:
            return f"has {count} {what}; a character has at most {most}"
    return ""


def cannot_move(model: mujoco.MjModel) -> str:
    """Why the equations of motion of a body cannot be solved, as the end of a sentence; empty where they can."""
    mass = float(model.body_mass.sum())
    if not 1e-6 < mass < budgets.HEAVIEST:
        return f"weighs {mass:.3g} kg; a character weighs less than {budgets.HEAVIEST:g} kg, and more than nothing"
    data, full = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fullM(model, data, full)
    scale = np.sqrt(np.maximum(np.diag(full), 0.0))
    far = max(np.abs(data.xpos).max(), np.abs(data.geom_xpos).max(initial=0.0), model.geom_rbound.max(initial=0.0))
    if not (far < budgets.FARTHEST and np.all(np.isfinite(full)) and np.all(scale > 0.0)):
        return f"reaches farther than {budgets.FARTHEST:g} m, or has a part without any inertia"
    least = float(np.linalg.eigvalsh(full / scale / scale[:, None])[0])
    return "" if least > _SINGULAR else "has parts of such unlike masses that no motion of it can be computed"


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def _text(path: Path) -> str:
    """The text of a model that is within budget, with all files that it names."""
    data = files.read_bytes(files.must_exist(path), budgets.MODEL_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(path, "this is no text; expected an MJCF or URDF file (XML).") from None
    tag = scan.check(path, data)
    if tag not in ("mujoco", "robot"):
        outermost = f"the outermost element is <{shortened(tag, 24)}>"
        raise BadFile(path, f"{outermost}; expected <mujoco> (MJCF) or <robot> (URDF).")
    return text


def _mjcf(path: Path, text: str) -> mujoco.MjSpec:
    if path.suffix == ".xml":
        return mujoco.MjSpec.from_file(str(path))
    spec = mujoco.MjSpec.from_string(text)  # MuJoCo knows files by their ending, and only this one
    spec.modelfiledir = str(path.parent)
    return spec


def _urdf(path: Path, robot: ET.Element, notes: list[str]) -> mujoco.MjSpec:
    """MuJoCo welds the first link of a URDF to the world and drops what it cannot load: give it a floating base."""
    base = _base(path, robot)
    floats = any(j.get("type") == "floating" for j in robot.findall("joint"))
    if not floats and base != "world":
        joint = ET.SubElement(robot, "joint", name="root", type="floating")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=base)
        ET.SubElement(robot, "link", name="world")
    for old in robot.findall("mujoco"):
        robot.remove(old)
    options = ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler")
    options.attrib |= {"fusestatic": "false", "discardvisual": "false", "strippath": "false", "balanceinertia": "true"}
    lost = weight = 0
    for link in robot.findall("link"):
        for kind in ("visual", "collision"):
            for part in link.findall(kind):
                mesh = part.find("geometry/mesh")
                if mesh is not None and not _resolve(mesh, path):
                    link.remove(part)
                    lost += 1
                elif mesh is not None:
                    weight += os.stat(mesh.get("filename") or "").st_size
    if weight > budgets.ASSET_BYTES:
        raise BadFile(path, f"its meshes have {weight / 1e6:.0f} MB, more than {budgets.ASSET_BYTES // 1_000_000} MB.")
    if lost:
        notes.append(f"{lost} meshes of the URDF were not found or are not {', '.join(_MESHES)}: left out.")
    return mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))


def _base(path: Path, robot: ET.Element) -> str:
    """The link on which all others hang; refuses links in a circle, doubled ones and chains without an end."""
    links = {link.get("name") or "" for link in robot.findall("link")}
    above: dict[str, str] = {}
    for joint in robot.findall("joint"):
        ends = [joint.find(end) for end in ("parent", "child")]
        upper, lower = ("" if e is None else e.get("link") or "" for e in ends)
        if lower in above:
            raise BadFile(path, f"the link {shortened(lower)!r} is the child of two joints.")
        above[lower] = upper
    bases = sorted(name for name in links - set(above) if name)
    if len(bases) != 1:
        raise BadFile(path, f"a URDF has one link that is no joint's child; this one has {len(bases)}.")
    for link in links:
        way = 0
        while link in above and way <= budgets.BODY_DEPTH:
            link, way = above[link], way + 1
        if way > budgets.BODY_DEPTH:
            most = f"a chain of links has at most {budgets.BODY_DEPTH}"
            raise BadFile(path, f"its links hang in a circle, or more than that one on another: {most}.")
    return bases[0]


def _resolve(mesh: ET.Element, path: Path) -> bool:
    """Point a mesh element at its file beside or above the URDF, as package:// names mean; False without a file."""
    name = (mesh.get("filename") or "").removeprefix("file://")
    parts = Path(name.removeprefix("package://")).parts
    if Path(name).suffix.lower() not in _MESHES:
        return False
    if len(parts) > _MOST_FOLDERS:
        return False
    for folder in (path.parent, *path.resolve().parents):
        for skip in range(len(parts)):
            candidate = folder.joinpath(*parts[skip:])
            if os.path.isfile(candidate):  # unlike Path.is_file, False for names that cannot be
                mesh.set("filename", str(candidate.resolve()))
                return True
    return False


def _without_sizes(spec: mujoco.MjSpec) -> None:
    """How much memory a simulation needs is for MuJoCo to find out, not for a file to say."""
    spec.memory = spec.njmax = spec.nconmax = spec.nstack = -1
    spec.nuserdata = spec.nkey = 0
    for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor"):
        setattr(spec, f"nuser_{kind}", -1)


def _name_everything(spec: mujoco.MjSpec) -> None:
    bodies = {b.name for b in spec.bodies}
    for k, body in enumerate(spec.bodies):
        if not body.name and k:
            body.name = _free_name(f"body_{k}", bodies)
    joints = {j.name for j in spec.joints}
    for k, joint in enumerate(spec.joints):
        if not joint.name:
            joint.name = _free_name(f"joint_{k}", joints)


def _free_name(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish += "_"
    taken.add(wish)
    return wish


def _motor_torques(model: mujoco.MjModel) -> dict[str, float]:
    """Greatest torque [N m] that the actuators or the joint itself allow, where they say so."""
    out: dict[str, float] = {}
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        gear = float(np.abs(model.actuator_gear[a]).max())
        if model.actuator_forcelimited[a]:
            most = gear * float(np.abs(model.actuator_forcerange[a]).max())
        elif model.actuator_ctrllimited[a] and model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
            most = gear * abs(float(model.actuator_gainprm[a, 0])) * float(np.abs(model.actuator_ctrlrange[a]).max())
        else:
            continue
        name = model.joint(int(model.actuator_trnid[a, 0])).name
        out[name] = max(out.get(name, 0.0), most)
    for j in np.flatnonzero(model.jnt_actfrclimited):
        out[model.joint(int(j)).name] = float(np.abs(model.jnt_actfrcrange[j]).max())
    return {name: most for name, most in out.items() if most > 0}


def _inline_assets(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Meshes as numbers in the text, no textures: a character is one piece of text."""
    for mesh in spec.meshes:
        k = model.mesh(mesh.name).id
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        vertices = rot.rotate(model.mesh_quat[k], model.mesh_vert[first : first + count]) + model.mesh_pos[k]
        if count > _MOST_VERTICES:
            from scipy.spatial import ConvexHull

            vertices, faces = vertices[ConvexHull(vertices).vertices], np.zeros(0, int)
        else:
            start, number = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
            faces = model.mesh_face[start : start + number].ravel()
        mesh.file, mesh.scale, mesh.refpos, mesh.refquat = "", [1, 1, 1], [0, 0, 0], [1, 0, 0, 0]
        mesh.uservert, mesh.userface = vertices.ravel().tolist(), faces.tolist()
        mesh.usernormal, mesh.usertexcoord = [], []
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for asset in [*spec.textures, *spec.skins]:
        spec.delete(asset)


def _strip(spec: mujoco.MjSpec) -> None:
    """Without floor, lights, cameras of the scene, motors, sensors and stored poses."""
    world = spec.worldbody
    scene = [*world.geoms, *world.lights, *world.cameras, *world.sites]
    for thing in [*spec.keys, *spec.sensors, *spec.actuators, *scene, *spec.hfields]:
        spec.delete(thing)


def _keep_one_tree(spec: mujoco.MjSpec, path: Path, notes: list[str]) -> None:
    """Drop all bodies that are not of the largest tree, and what ties them; float its root."""
    trees = {body.name: _size(body) for body in spec.worldbody.bodies}
    if not trees:
        raise BadFile(path, "this model has no bodies.")
    keep = max(trees, key=lambda name: trees[name])
    ties = [*spec.equalities, *spec.tendons, *spec.pairs, *spec.excludes] if len(trees) > 1 else []
    for thing in ties:
        spec.delete(thing)
    for name in trees:
        if name != keep:
            spec.delete(spec.body(name))
    if len(trees) > 1:
        notes.append(f"Kept the tree of bodies below {keep!r}; left out {', '.join(sorted(set(trees) - {keep}))}.")
    root = spec.body(keep)
    joints = list(root.joints)
    if len(joints) == 1 and joints[0].type == mujoco.mjtJoint.mjJNT_FREE:
        joints[0].name = "root"
        return
    for tie in [*spec.equalities, *spec.tendons] if joints else []:
        spec.delete(tie)  # they may name the joints that go
    for joint in joints:
        spec.delete(joint)
    root.add_joint(name="root", type=mujoco.mjtJoint.mjJNT_FREE)
    notes.append(f"The body {keep!r} got a free joint: the file ties it to the world.")


def _size(body) -> int:
    return 1 + sum(_size(child) for child in body.bodies)
