"""Every call into MuJoCo whose form depends on its version, in one place. Written for MuJoCo 4."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import NamedTuple

import mujoco
import numpy as np

from poise.maths.rotations import Array

Model = mujoco.MjModel
Data = mujoco.MjData


def data_of(model: Model) -> Data:
    """Fresh working memory for a model."""
    return mujoco.MjData(model)


def place(model: Model, data: Data, q: Array, v: Array) -> None:
    """Put the state in and compute all that depends on positions and velocities, without contacts."""
    data.qpos[:] = q
    data.qvel[:] = v
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)


def mass_matrix(model: Model, data: Data) -> Array:
    """Joint-space inertia (nv, nv); needs `place`."""
    mujoco.mj_makeM(model, data)
    out = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, out)
    return out


def bias(model: Model, data: Data) -> Array:
    """Coriolis, centrifugal and gravity forces (nv,), on the side of the inertia: M a + bias = forces."""
    out = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 0, out)
    return out


def jacobian(model: Model, data: Data, body: int, point: Array) -> tuple[Array, Array]:
    """Jacobians (3, nv) of the velocity of a world point fixed in a body and of the body's angular velocity (world)."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, linear, angular, np.asarray(point, float), body)
    return linear, angular


def jacobian_rate(model: Model, data: Data, body: int, point: Array) -> tuple[Array, Array]:
    """Time derivatives (3, nv) of what `jacobian` gives, at the current velocity."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacDot(model, data, linear, angular, np.asarray(point, float), body)
    return linear, angular


def centre_of_mass_jacobian(model: Model, data: Data) -> Array:
    """Jacobian (3, nv) of the whole centre of mass."""
    out = np.zeros((3, model.nv))
    mujoco.mj_jacSubtreeCom(model, data, out, 0)
    return out


def angular_momentum_matrix(model: Model, data: Data) -> Array:
    """Matrix (3, nv) from velocities to the angular momentum about the centre of mass, world axes."""
    out = np.zeros((3, model.nv))
    mujoco.mj_angmomMat(model, data, out, 0)
    return out


def kinematics(model: Model, data: Data) -> None:
    """Poses of all bodies, geoms and inertias from q alone."""
    mujoco.mj_kinematics(model, data)


def point_velocity(model: Model, data: Data, body: int) -> Array:
    """Velocity (6,) of a body: angular, then that of its centre of mass, world axes; needs `place`."""
    out = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, out, 0)
    return out


STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)  # the smallest state from which a simulation goes on bit for bit


def state_size(model: Model) -> int:
    """How many numbers `get_state` gives."""
    return int(mujoco.mj_stateSize(model, STATE))


def get_state(model: Model, data: Data, out: Array) -> None:
    """Everything that the next step depends on, into out (state_size,)."""
    mujoco.mj_getState(model, data, out, STATE)


def set_state(model: Model, data: Data, state: Array) -> None:
    """Put back what `get_state` gave."""
    mujoco.mj_setState(model, data, state, STATE)


def warnings(data: Data) -> dict[str, int]:
    """MuJoCo's warnings since the last reset that were raised at all: name -> how often."""
    kinds = [k for k in mujoco.mjtWarning.__members__ if k.startswith("mjWARN")]
    counts = np.asarray(data.warning.number)
    return {k.removeprefix("mjWARN_"): int(n) for k in kinds if (n := counts[int(getattr(mujoco.mjtWarning, k))])}


class ContactMemory(NamedTuple):
    """Where MuJoCo keeps contacts, for compiled code that reads them without a Python object a step.

    Byte offsets in mjData of the pointers to the contacts and to the constraint forces, of the number of contacts, and
    the layout of a contact.
    """

    contacts: int  # bytes from the start of mjData
    forces: int
    counter: int  # of the number of contacts
    size: int  # bytes of one contact
    dist: int  # bytes from the start of a contact, here and below
    pos: int
    frame: int
    friction: int
    mu: int
    dim: int
    geom: int
    address: int


_PROBE = """<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .05"><freejoint/><geom size=".1 .1 .1" type="box"/></body>
<body pos="0 .5 .05"><freejoint/><geom size=".1 .1 .1" type="box"/></body></worldbody></mujoco>"""


@cache
def contact_memory() -> ContactMemory:
    """The layout of this build of MuJoCo, found by looking where it put the contacts of two boxes on a plane.

    The struct is searched upwards from its start for pointers that are known to be in it, so nothing outside is read.
    """
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    c = data.contact
    start, size = _address(c.dist), int(c.dist.strides[0])
    forces = _find(data._address, _address(data.efc_force))[-1]
    # contacts lie at the beginning of the arena, whose own pointer comes before theirs, which comes before the forces'
    contacts = _find(data._address, start, forces)[-1]
    offset = {k: _address(getattr(c, k)) - start for k in ("dist", "pos", "frame", "friction", "mu", "dim", "geom")}
    address = _address(c.efc_address) - start
    return ContactMemory(contacts, forces, _counted(model, data, forces), size, **offset, address=address)


def _counted(model: Model, data: Data, end: int) -> int:
    """Bytes from the start of mjData to the number of contacts, known with both boxes down, one lifted, and both."""
    places = range(0, end, 4)
    for lifted in (0, 1, 2):
        data.qpos[2 : 2 + 7 * lifted : 7] = 1.0
        mujoco.mj_forward(model, data)
        places = [p for p in places if ctypes.c_int32.from_address(data._address + p).value == data.ncon]
    if len(places) != 1:
        raise RuntimeError("This version of MuJoCo keeps the number of its contacts in an unknown place.")
    return places[0]


def _address(a: np.ndarray) -> int:
    return int(a.__array_interface__["data"][0])


def _find(start: int, pointer: int, end: int | None = None) -> list[int]:
    """Bytes from `start` to where this pointer is stored: the first place, or all up to `end`."""
    found = []
    for offset in range(0, 1 << 20 if end is None else end, 8):
        if ctypes.c_uint64.from_address(start + offset).value == pointer:
            found.append(offset)
            if end is None:
                break
    if not found:
        raise RuntimeError("This version of MuJoCo stores its contacts in an unknown way.")
    return found


def shape_distance(model: Model, data: Data, first: int, second: int, within: float) -> tuple[float, Array]:
    """Distance [m] of two shapes, `within` where it is more, and the points (6,) nearest to each other."""
    ends = np.zeros(6)
    return float(mujoco.mj_geomDistance(model, data, first, second, within, ends)), ends
