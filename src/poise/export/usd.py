"""USD: a UsdSkel skeleton, its animation and a skinned body (.usda text, .usdc or .usd binary).

The file keeps the units and the up axis of the motion's own file; the layer says both (metersPerUnit, upAxis).
"""

# pyright: reportAttributeAccessIssue=false
# (pxr tells its types at run time only)

from __future__ import annotations

import errno
import shutil
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poise import files
from poise._version import __version__
from poise.errors import MissingExtra
from poise.export.dress import fists_of
from poise.export.moved_props import MovedProp, moved_props
from poise.export.props import Props
from poise.export.rig import Rig, rig_of
from poise.export.skin import Skin, skin
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

if TYPE_CHECKING:
    from pxr import Usd, UsdGeom, Vt


def save(clip: Clip, path: str | PathLike[str], *, level: bool = False, props: Props | None = None) -> None:
    """Write a clip as USD. `level` keeps the levelled floor (see `rig_of`); `props` are those of a take."""
    stage = build(clip, level=level, props=props)
    with files.writing(path) as temporary:
        _export(stage, temporary)


def _export(stage: Usd.Stage, path: Path) -> None:
    from pxr import Tf

    try:
        done = stage.GetRootLayer().Export(str(path))
    except Tf.ErrorException:  # many lines about its inner life, and not always why
        done = False
    if not done:
        full = shutil.disk_usage(path.parent).free < 1_000_000
        raise OSError(errno.ENOSPC if full else errno.EIO, "the USD library could not write it")


def build(clip: Clip, *, level: bool = False, props: Props | None = None) -> Usd.Stage:
    """The stage of a clip, in memory: /Motion (SkelRoot) with Skeleton, Animation and Body, and Props."""
    try:
        from pxr import Usd, UsdSkel
    except ImportError:
        raise MissingExtra("Writing USD", "formats") from None
    rig = rig_of(clip, level)
    if rig.up not in ("y", "z"):  # USD knows no other axis
        rig = rig.converted(up="z")
    stage = Usd.Stage.CreateInMemory()
    root = UsdSkel.Root.Define(stage, "/Motion")
    stage.SetDefaultPrim(root.GetPrim())
    _describe(stage, clip, rig)
    paths = _joint_paths(rig)
    skeleton = UsdSkel.Skeleton.Define(stage, "/Motion/Skeleton")
    skeleton.CreateJointsAttr(paths)
    skeleton.CreateJointNamesAttr(list(rig.names))
    point, turn = rig.skeleton.rest_pose()
    skeleton.CreateBindTransformsAttr(_matrices(point, turn))
    skeleton.CreateRestTransformsAttr(_matrices(rig.skeleton.offsets, rig.skeleton.rest))
    _animate(stage, rig, paths)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/Motion/Animation"])
    body = skin(clip.character, rig, fists_of(clip))
    if len(body.vertices):
        _mesh(stage, body)
    UsdSkel.BindingAPI.Apply(root.GetPrim())
    _extent(stage, rig)
    for prop in moved_props(props, clip, rig):
        _add_prop(stage, prop)
    return stage


def _describe(stage: Usd.Stage, clip: Clip, rig: Rig) -> None:
    """Units, axes, times, and where the motion came from."""
    from pxr import UsdGeom

    UsdGeom.SetStageMetersPerUnit(stage, rig.unit)
    UsdGeom.SetStageUpAxis(stage, rig.up.upper())
    stage.SetTimeCodesPerSecond(1.0 / rig.dt)
    stage.SetFramesPerSecond(1.0 / rig.dt)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(rig) - 1)
    layer = stage.GetRootLayer()
    terms = clip.source.licence
    layer.documentation = f"{clip.name or clip.character.name}, written by poise {__version__}." + (
        f" Licence of the source: {terms}" if terms else ""
    )
    data = {"creator": f"poise {__version__}", "source": clip.name, "licence": terms}
    layer.customLayerData = data | ({"licence_text": clip.source.licence_text} if clip.source.licence_text else {})


def _joint_paths(rig: Rig) -> list[str]:
    """Each joint as a path of valid, unique names from its root: what UsdSkel calls a joint."""
    from pxr import Tf

    paths: list[str] = []
    for j, p in enumerate(rig.parents):
        stem = (paths[p] + "/" if p >= 0 else "") + Tf.MakeValidIdentifier(rig.names[j])
        path, count = stem, 1
        while path in paths:
            count += 1
            path = f"{stem}_{count}"
        paths.append(path)
    return paths


def _matrices(point: Array, turn: Array) -> Vt.Matrix4dArray:
    """USD's row-vector matrices of places (J, 3) and rotations (J, 4)."""
    from pxr import Vt

    rows = np.tile(np.eye(4), (len(point), 1, 1))
    rows[:, :3, :3], rows[:, 3, :3] = rot.to_matrix(turn).transpose(0, 2, 1), point
    return Vt.Matrix4dArray.FromNumpy(rows)


def _animate(stage: Usd.Stage, rig: Rig, paths: list[str]) -> None:
    from pxr import UsdSkel, Vt

    animation = UsdSkel.Animation.Define(stage, "/Motion/Animation")
    animation.CreateJointsAttr(paths)
    turns, moves = animation.CreateRotationsAttr(), animation.CreateTranslationsAttr()
    animation.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(np.ones((len(paths), 3), np.float16)))
    # a quatf lies in memory as x, y, z, w
    quats = rot.normalise(rot.continuous(rig.rotations))[..., [1, 2, 3, 0]].astype(np.float32)
    places = rig.positions.astype(np.float32)
    for k in range(len(rig)):
        turns.Set(Vt.QuatfArray.FromNumpy(np.ascontiguousarray(quats[k])), k)
    for k in range(len(rig)) if rig.moving().any() else range(1):
        moves.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(places[k])), k)


def _triangles(mesh: UsdGeom.Mesh, vertices: Array, normals: Array, faces: np.ndarray, colours: Array) -> None:
    """Points, normals, triangles, colours and extent of a mesh."""
    from pxr import Gf, UsdGeom, Vt

    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(vertices.astype(np.float32)))
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(normals.astype(np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    colour = mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex)
    colour.Set(Vt.Vec3fArray.FromNumpy(colours.astype(np.float32)))
    low, high = vertices.min(0), vertices.max(0)
    mesh.CreateExtentAttr([Gf.Vec3f(*low.tolist()), Gf.Vec3f(*high.tolist())])


def _mesh(stage: Usd.Stage, body: Skin) -> None:
    from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt

    mesh = UsdGeom.Mesh.Define(stage, "/Motion/Body")
    _triangles(mesh, body.vertices, body.normals, body.faces, body.colours)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    joints, weights = body.joints.astype(np.int32).ravel(), body.weights.astype(np.float32).ravel()
    binding.CreateJointIndicesPrimvar(False, 4).Set(Vt.IntArray.FromNumpy(joints))
    binding.CreateJointWeightsPrimvar(False, 4).Set(Vt.FloatArray.FromNumpy(weights))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    binding.CreateSkeletonRel().SetTargets([Sdf.Path("/Motion/Skeleton")])


def _add_prop(stage: Usd.Stage, prop: MovedProp) -> None:
    """A mesh of its own under /Motion/Props, moved by time samples."""
    from pxr import Gf, Tf, UsdGeom

    UsdGeom.Scope.Define(stage, "/Motion/Props")
    mesh = UsdGeom.Mesh.Define(stage, f"/Motion/Props/{Tf.MakeValidIdentifier(prop.name)}")
    _triangles(mesh, prop.vertices, prop.normals, prop.faces, prop.colours)
    form = UsdGeom.Xformable(mesh.GetPrim())
    move, turn = form.AddTranslateOp(), form.AddOrientOp()
    for k, (x, q) in enumerate(zip(prop.places.tolist(), prop.turns.tolist(), strict=True)):
        move.Set(Gf.Vec3d(*x), k)
        turn.Set(Gf.Quatf(*q), k)
    if not prop.there.all():
        seen = UsdGeom.Imageable(mesh.GetPrim()).CreateVisibilityAttr()
        for k in np.flatnonzero(np.diff(prop.there, prepend=not prop.there[0])):
            seen.Set(UsdGeom.Tokens.inherited if prop.there[k] else UsdGeom.Tokens.invisible, int(k))


def _extent(stage: Usd.Stage, rig: Rig) -> None:
    """A box around the whole motion, so that viewers frame it: the joints, and half a metre for the flesh."""
    from pxr import Gf, UsdGeom

    point, _ = rig.forward()
    low, high = point.min((0, 1)) - 0.5 / rig.unit, point.max((0, 1)) + 0.5 / rig.unit
    box = [Gf.Vec3f(*low.tolist()), Gf.Vec3f(*high.tolist())]
    for path in ("/Motion", "/Motion/Skeleton"):
        UsdGeom.Boundable(stage.GetPrimAtPath(path)).CreateExtentAttr(box)
