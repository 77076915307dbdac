"""Run inside the Python that has `bpy`: import a BVH or GLB in Blender and print where its joints are, as npz.

usage: python blender_positions.py FILE OUT.npz FRAMES FPS

OUT.npz holds `names` (J,) and `positions` (N, J, 3): the heads of the bones in Blender's world (Z up), one row a frame.
A BVH is imported with the axes of a Y-up file and unscaled; a GLB as it is.
"""

import sys

import bpy
import numpy as np


def main(path: str, out: str, frames: int, fps: float) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(filepath=path, axis_forward="-Z", axis_up="Y", global_scale=1.0, frame_start=1,
                                use_fps_scale=False, rotate_mode="QUATERNION")  # fmt: skip
        first = 1.0
    else:
        bpy.ops.import_scene.gltf(filepath=path)
        first = 0.0
    rig = next(o for o in scene.objects if o.type == "ARMATURE")
    names = [bone.name for bone in rig.data.bones]
    positions = np.empty((frames, len(names), 3))
    for k in range(frames):
        frame = first + k
        scene.frame_set(int(frame), subframe=frame - int(frame))
        for j, name in enumerate(names):
            positions[k, j] = rig.matrix_world @ rig.pose.bones[name].head
    meshes = [o for o in scene.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    np.savez(out, names=np.array(names), positions=positions, skinned=len(meshes))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
