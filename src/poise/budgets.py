"""Budgets: how large what comes from a file may be, in one place, with the reason for each number.

A reader refuses what is beyond, in one sentence and before the work is done, so that no file holds up a computer for
more than some seconds or fills its memory. Every limit is several times what the largest honest files have.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from poise.errors import BadFile, BadValue
from poise.printable import shortened

NAME = 255  # letters of a name: as long as file systems allow; the longest seen in recordings has 60

# motion
FILE_JOINTS = 5000  # joints a motion file may declare; a face and body of a film has 1500
BODY_JOINTS = 2000  # of those, joints among which a body is searched: that takes some seconds
BODY_DEPTH = 150  # joints or bodies hanging one on another; hair and ropes have 60
BODY_PATHS = 20_000  # sum over all joints of how many they hang on; a face and body of a film has 18 000
LEAST_STEP, MOST_STEP = 1e-6, 10.0  # [s] between frames; high-speed cameras reach 1e-5, time lapses are no motion
LONGEST = 86400.0  # [s] of a motion: a day, 10 million frames at 120 a second

EXPANSION = 50  # bytes of memory for each byte of a motion file, beyond SMALL_MEMORY; 10 are usual
SMALL_MEMORY = 300_000_000  # bytes that any motion may take

# files
AMC_BYTES, AMC_WORDS = 100_000_000, 15_000_000  # of an AMC; the longest of the CMU database has 10 MB
JSON_BYTES = 50_000_000  # of a DeepMimic motion, or of the description in an npz; they have less than 1 MB
UNPACKED = 5  # times the size of an npz that its arrays may have, beyond SMALL_MEMORY; poise writes them unpacked
MODEL_BYTES = 50_000_000  # of one MJCF or URDF text; with inline meshes some reach 10 MB
ASSET_BYTES = 150_000_000  # of all meshes and pictures of a model; humanoid robots have 10 to 60 MB
PICTURE_PIXELS = 64_000_000  # of all pictures of a model together: one of 8000 x 8000
ELEMENTS = 100_000  # XML elements of a model with all that it includes; large scenes have 5000
XML_DEPTH = 250  # elements inside each other; MuJoCo itself stops at 500
INCLUDES = 200  # files that a model includes or attaches

# models, as MuJoCo would build them, with replicates multiplied out
OBJECTS = 6000  # bodies, geoms, joints and sites; taking them apart costs the square of their number, some seconds
BODIES = 2000  # of the whole scene
CHARACTER_GEOMS = 2000  # shapes of a character; robots with a shape for every screw have 300
HEAVIEST, FARTHEST = 1e6, 1e4  # [kg] and [m] of a character: a blue whale has 2e5 kg and 30 m
FLATTEST = 1e-3  # [m] that counts as the height of a character without any: torques are weighed by it
FREEDOMS = 400  # degrees of freedom of a character; a body with two hands and muscles has about 150
HEIGHT_SAMPLES = 4_000_000  # of all height fields: one of 2000 x 2000
GRID_POINTS = 20_000  # of all soft bodies and generated meshes

# FBX, read in a process of its own; `fbx_child` has its own limits of nodes and frames
FBX_SECONDS = 20.0  # [s] for the parser, and as much again for every 20 MB of the file


def check_names(what: str, names: Iterable[str]) -> None:
    """Refuse names that are too long to be shown, searched or written again."""
    for name in names:
        if len(name) > NAME:
            raise BadValue(f"{what} has a name of {len(name)} letters ({shortened(name, 24)!r}); {NAME} are allowed.")


def check_step(dt: float, frames: int) -> None:
    """Refuse a time between frames [s] that no motion has, and motions longer than a day."""
    if not dt > 0.0:
        raise BadValue(f"The time between frames must be positive, not {dt}.")
    if not LEAST_STEP <= dt <= MOST_STEP:
        raise BadValue(f"The time between frames must be from {LEAST_STEP:g} to {MOST_STEP:g} s, not {dt:g} s.")
    if dt * frames > LONGEST:
        raise BadValue(f"{frames} frames of {dt:g} s last longer than a day; that is no motion.")


def check_memory(path: Path, frames: int, joints: int) -> None:
    """Refuse a motion that would take far more memory than its file is large: frames without numbers."""
    needed = 56 * frames * joints  # a rotation and a place in doubles
    if needed > SMALL_MEMORY and needed > EXPANSION * path.stat().st_size:
        raise BadFile(path, f"{frames} frames of {joints} joints are far more than a file of this size holds.")


def check_quaternions(what: str, quaternions: np.ndarray) -> None:
    """Refuse rotations (..., 4) that are none: of a length far from 1 (what is near is scaled where it is used)."""
    size = np.sqrt(np.einsum("...i,...i->...", quaternions, quaternions))
    if not np.all((size > 0.1) & (size < 10.0)):
        raise BadValue(f"{what} holds a rotation that is not a unit quaternion.")


def depths(parents: Iterable[int]) -> list[int]:
    """How many joints each hangs on, itself counted, from the parent of each (-1: none), parents first."""
    levels: list[int] = []
    for p in parents:
        levels.append(1 + (levels[p] if p >= 0 else 0))
    return levels
