"""Contacts of a step read out of MuJoCo's memory and summed over a frame: compiled, with no Python object a contact.

A sum keeps impulses, so a frame's mean force is exact however often a contact opens and closes in it. Its point is
the mean of the contact points weighted by normal force, its moment what remains about that point, so force and moment
together are exact too; its friction is weighted likewise, so a mean force lies in its cone as the parts do in theirs.
"""

from __future__ import annotations

import numpy as np
from numba import carray  # pyright: ignore[reportPrivateImportUsage]

from poise.dynamics import engine
from poise.dynamics.native import pointer
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.take import record as column
from poise.take.record import CONTACT_WIDTH

MOST_TOUCHES, MOST_SUMS = 512, 512
# columns of a sum: whom and what it is of, the normal by which it is told apart, the weight, then weighted by it or
# by time: point, normal, force, moment, friction; the deepest depth; slip; steps; whether it is a grip
(BODY, OTHER, GEOM_OWN, GEOM_OTHER, FACING, WEIGHT, POINT, NORMAL, FORCE, MOMENT, ROUGH, DEPTH, SLIP, STEPS,
 BILATERAL, SUM_WIDTH) = (0, 1, 2, 3, 4, 7, 8, 11, 14, 17, 20, 21, 22, 23, 24, 25)  # fmt: skip
FASTEST = 1e5  # [m/s, rad/s]: nothing moves so fast that is not blowing up
# entries of `where`: addresses, counts and the layout of a contact in doubles and in ints
(CONTACTS, FORCES, CVEL, COM, QVEL, QACC, NV, BODIES, OWN, SIZE, DIST, POS, FRAME, FRICTION, MU, DIM, GEOM,
 ADDRESS, WARNINGS, KINDS, GEOMS, COUNT, TOUCHES, SUMS, COUNTS) = range(25)  # fmt: skip
_HOLDS = 0.8  # share of its friction below which a contact should hold
WARNED = -2  # what `read` gives when MuJoCo has warned


def addresses(model: engine.Model, data: engine.Data, own_bodies: int, geoms: np.ndarray, touches: Array, sums: Array,
              counts: np.ndarray) -> np.ndarray:  # fmt: skip
    """The table `where` that the compiled functions below need; good as long as all that is given lives.

    It spares a call its arrays: handing over one array costs more than reading a contact.
    """
    m, start = engine.contact_memory(), data._address
    at = lambda a: a.__array_interface__["data"][0]  # noqa: E731
    return np.array(
        [start + m.contacts, start + m.forces, at(data.cvel), at(data.subtree_com), at(data.qvel), at(data.qacc),
         model.nv, model.nbody, own_bodies, m.size // 8, m.dist // 8, m.pos // 8, m.frame // 8, m.friction // 8,
         m.mu // 8, m.dim // 4, m.geom // 4, m.address // 4, at(data.warning.number), len(data.warning.number),
         at(geoms), len(geoms), at(touches), at(sums), at(counts)],
        np.int64,
    )  # fmt: skip


def geoms_of(model: engine.Model, label: np.ndarray) -> np.ndarray:
    """For each geom (G, 3): its body, the label of that body, and the root of that body's tree."""
    body = model.geom_bodyid.astype(np.int64)
    return np.stack([body, label[body], model.body_rootid[body].astype(np.int64)], 1)


@njit(cache=True)
def put(torque, root, steps, target, total):
    """Write torques into `target` and add them to `total` for so many steps.

    Gives -1, or the index of one that is not finite, or of one that is not zero among the first `root`.
    """
    for i in range(torque.shape[0]):
        if not np.isfinite(torque[i]) or (i < root and torque[i] != 0.0):
            return i
    for i in range(torque.shape[0]):
        target[i] = torque[i]
        total[i] += steps * torque[i]
    return -1


@njit(cache=True)
def worst(where):
    """Index of the first velocity or acceleration that is not a sensible number, -1 if all are."""
    nv = where[NV]
    v = carray(pointer(where[QVEL]), (nv,), np.float64)
    a = carray(pointer(where[QACC]), (nv,), np.float64)
    for i in range(nv):
        if not (abs(v[i]) < FASTEST) or not np.isfinite(a[i]):
            return i
    return -1


@njit(cache=True, inline="always")
def _add(sums, count, row, gc, go, dt):
    """Add a touch (18,) of two geoms to the sums; gives the new number of rows."""
    k = -1
    for j in range(count):
        facing = _dot(sums[j], FACING, row, column.NORMAL)
        same = sums[j, GEOM_OWN] == gc and sums[j, GEOM_OTHER] == go and sums[j, BODY] == row[column.BODY]
        if same and (facing > 0.98 or row[column.BILATERAL] != 0.0):
            k = j
            break
    if k < 0:
        k = min(count, sums.shape[0] - 1)  # a full table merges what comes last
        if k == count:
            count += 1
            sums[k, :] = 0.0
            sums[k, BODY], sums[k, OTHER] = row[column.BODY], row[column.OTHER]
            sums[k, GEOM_OWN], sums[k, GEOM_OTHER] = gc, go
            for i in range(3):
                sums[k, FACING + i] = row[column.NORMAL + i]
            sums[k, BILATERAL] = row[column.BILATERAL]
    push = _dot(row, column.NORMAL, row, column.FORCE)
    w = dt * (max(push, 0.0) + 1e-9)
    sums[k, WEIGHT] += w
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        arm = row[column.POINT + a] * row[column.FORCE + b] - row[column.POINT + b] * row[column.FORCE + a]
        sums[k, POINT + i] += w * row[column.POINT + i]
        sums[k, NORMAL + i] += w * row[column.NORMAL + i]
        sums[k, FORCE + i] += dt * row[column.FORCE + i]
        sums[k, MOMENT + i] += dt * (row[column.MOMENT + i] + arm)
    sums[k, ROUGH] += w * row[column.FRICTION]
    sums[k, DEPTH] = max(sums[k, DEPTH], row[column.DEPTH])
    sums[k, SLIP] += w * row[column.SLIP]
    sums[k, STEPS] += 1.0
    return count


@njit(cache=True, inline="always")
def _dot(one, a, other, b):
    """Product of the three numbers from a and from b on."""
    return one[a] * other[b] + one[a + 1] * other[b + 1] + one[a + 2] * other[b + 2]


@njit(cache=True, inline="always")
def _speed(cvel, com, body, root, x, y, z):
    """Velocity of the point x, y, z of a body; cvel is about the centre of mass of the body's tree."""
    rx, ry, rz = x - com[root, 0], y - com[root, 1], z - com[root, 2]
    wx, wy, wz = cvel[body, 0], cvel[body, 1], cvel[body, 2]
    return cvel[body, 3] + wy * rz - wz * ry, cvel[body, 4] + wz * rx - wx * rz, cvel[body, 5] + wx * ry - wy * rx


@njit(cache=True, inline="always")
def opened(where, ncon):
    """MuJoCo's contacts as numbers (C, size) and as whole numbers (C, 2 size), and the geoms (G, 3) they are of."""
    start = carray(pointer(where[CONTACTS]), (1,), np.int64)[0]
    numbers = carray(pointer(start), (ncon, where[SIZE]), np.float64)
    whole = carray(pointer(start), (ncon, 2 * where[SIZE]), np.int32)
    return numbers, whole, carray(pointer(where[GEOMS]), (where[COUNT], 3), np.int64)


@njit(cache=True, inline="always")
def _moving(where):
    """The forces of all constraints, velocities (B, 6) of bodies and the centres of mass (B, 3) that they are about."""
    forces = carray(pointer(carray(pointer(where[FORCES]), (1,), np.int64)[0]), (1 << 30,), np.float64)
    cvel = carray(pointer(where[CVEL]), (where[BODIES], 6), np.float64)
    return forces, cvel, carray(pointer(where[COM]), (where[BODIES], 3), np.float64)


@njit(cache=True, error_model="numpy")
def read(where, ncon, dt):
    """Read the contacts of the step just taken into the touches (K, 18) and add them to the sums.

    What things on the stage touch that is not the character goes to the sums alone, with the number of their label
    after those of the character's bodies; see `apart`.

    counts: [rows in touches, rows in sums]. Gives what `worst` gives, or WARNED.
    """
    touches = carray(pointer(where[TOUCHES]), (MOST_TOUCHES, CONTACT_WIDTH), np.float64)
    sums = carray(pointer(where[SUMS]), (MOST_SUMS, SUM_WIDTH), np.float64)
    counts = carray(pointer(where[COUNTS]), (2,), np.int64)
    bad = worst(where)
    if bad >= 0:
        return bad
    own = where[OWN]
    numbers, whole, geoms = opened(where, ncon)
    forces, cvel, com = _moving(where)
    count, rows, thing = 0, counts[1], touches[MOST_TOUCHES - 1]
    for c in range(ncon):
        first, dim = whole[c, where[ADDRESS]], whole[c, where[DIM]]
        g0, g1 = whole[c, where[GEOM]], whole[c, where[GEOM] + 1]
        if first < 0 or g0 < 0 or g1 < 0:
            continue
        with_character = 0 < geoms[g0, 0] < own or 0 < geoms[g1, 0] < own
        at, f = where[POS], where[FRAME]
        px, py, pz = numbers[c, at], numbers[c, at + 1], numbers[c, at + 2]
        nx, ny, nz = numbers[c, f], numbers[c, f + 1], numbers[c, f + 2]
        ax, ay, az = _speed(cvel, com, geoms[g0, 0], geoms[g0, 2], px, py, pz)
        bx, by, bz = _speed(cvel, com, geoms[g1, 0], geoms[g1, 2], px, py, pz)
        ax, ay, az = bx - ax, by - ay, bz - az
        along = ax * nx + ay * ny + az * nz
        fast = np.sqrt((ax - along * nx) ** 2 + (ay - along * ny) ** 2 + (az - along * nz) ** 2)
        for side in range(2):  # the normal points from the first geom to the second: the force is on the second
            mine, his, sign = (g1, g0, 1.0) if side == 0 else (g0, g1, -1.0)
            body = geoms[mine, 0]
            if body == 0 or (body >= own and with_character):
                continue
            if body < own:
                row = touches[min(count, MOST_TOUCHES - 1)]  # the last row is overwritten when there are too many
                count = min(count + 1, MOST_TOUCHES)
                row[column.BODY], row[column.OTHER] = body, geoms[his, 1]
            else:
                row = thing
                row[column.BODY], row[column.OTHER] = own + geoms[mine, 1], geoms[his, 1]
            row[column.POINT], row[column.POINT + 1], row[column.POINT + 2] = px, py, pz
            row[column.NORMAL], row[column.NORMAL + 1], row[column.NORMAL + 2] = sign * nx, sign * ny, sign * nz
            for i in range(3):
                push, turn = 0.0, 0.0
                for j in range(min(dim, 3)):
                    push += numbers[c, f + 3 * j + i] * forces[first + j]
                for j in range(3, dim):
                    turn += numbers[c, f + 3 * (j - 3) + i] * forces[first + j]
                row[column.FORCE + i], row[column.MOMENT + i] = sign * push, sign * turn
            row[column.FRICTION], row[column.DEPTH] = numbers[c, where[FRICTION]], -numbers[c, where[DIST]]
            row[column.SLIP], row[column.BILATERAL] = fast, 0.0
            rows = _add(sums, rows, row, mine, his, dt)
    counts[0], counts[1] = count, rows
    warned = carray(pointer(where[WARNINGS]), (where[KINDS], 2), np.int32)  # how often, beside other facts
    for i in range(where[KINDS]):
        if warned[i, 0] != 0:
            return WARNED
    return -1


@njit(cache=True, error_model="numpy")
def touched(where, ncon, limb, least, out):
    """Which limbs press on something that is not the character; gives the fastest slip [m/s] of one that should hold.

    limb (bodies,) has the limb of each body, or -1. A contact should hold that carries `least` [N] or more with less
    than its friction.
    """
    out[:] = False
    own = where[OWN]
    numbers, whole, geoms = opened(where, ncon)
    forces, cvel, com = _moving(where)
    slip, p, f = 0.0, where[POS], where[FRAME]
    for c in range(ncon):
        first, g0, g1 = whole[c, where[ADDRESS]], whole[c, where[GEOM]], whole[c, where[GEOM] + 1]
        if first < 0 or g0 < 0 or g1 < 0 or not forces[first] > 0.0:
            continue
        a, b = geoms[g0, 0], geoms[g1, 0]
        outer_a, outer_b = a == 0 or a >= own, b == 0 or b >= own
        if outer_a == outer_b:
            continue
        mine = b if outer_a else a
        if limb[mine] >= 0:
            out[limb[mine]] = True
        across = np.sqrt(forces[first + 1] ** 2 + forces[first + 2] ** 2) if whole[c, where[DIM]] > 2 else 0.0
        if forces[first] < least or across > _HOLDS * numbers[c, where[FRICTION]] * forces[first]:
            continue
        ax, ay, az = _speed(cvel, com, a, geoms[g0, 2], numbers[c, p], numbers[c, p + 1], numbers[c, p + 2])
        bx, by, bz = _speed(cvel, com, b, geoms[g1, 2], numbers[c, p], numbers[c, p + 1], numbers[c, p + 2])
        ax, ay, az = bx - ax, by - ay, bz - az
        along = ax * numbers[c, f] + ay * numbers[c, f + 1] + az * numbers[c, f + 2]
        slip = max(slip, np.sqrt(max(ax * ax + ay * ay + az * az - along * along, 0.0)))
    return slip


@njit(cache=True)
def add_rows(extra, dt, touches, sums, counts):
    """Append more touches (K, 18), those of grips, to the touches and to the sums; body and label tell them apart."""
    for k in range(extra.shape[0]):
        if counts[0] < touches.shape[0]:
            touches[counts[0], :] = extra[k]
            counts[0] += 1
        counts[1] = _add(sums, counts[1], extra[k], -1 - extra[k, column.OTHER], -1 - extra[k, column.BODY], dt)


@njit(cache=True)
def add_sums(extra, dt, sums, counts):
    """Add more rows (K, 18), pushes on props, to the sums alone."""
    for k in range(extra.shape[0]):
        counts[1] = _add(sums, counts[1], extra[k], -1 - extra[k, column.OTHER], -1 - extra[k, column.BODY], dt)


@njit(cache=True)
def mean_rows(sums, count, torque, steps, dt, out, mean):
    """Rows (count, 18) of means over some steps of dt from the sums, and the mean (nv,) of the summed torques.

    The sum of the torques begins anew.
    """
    seconds = steps * dt
    for i in range(torque.shape[0]):
        mean[i] = torque[i] / steps
        torque[i] = 0.0
    for k in range(count):
        s, row = sums[k], out[k]
        row[column.BODY], row[column.OTHER] = s[BODY], s[OTHER]
        long = 0.0
        for i in range(3):
            row[column.POINT + i] = s[POINT + i] / s[WEIGHT]
            row[column.NORMAL + i] = s[NORMAL + i]
            row[column.FORCE + i] = s[FORCE + i] / seconds
            long += s[NORMAL + i] ** 2
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            arm = row[column.POINT + a] * row[column.FORCE + b] - row[column.POINT + b] * row[column.FORCE + a]
            row[column.NORMAL + i] /= max(np.sqrt(long), 1e-300)
            row[column.MOMENT + i] = s[MOMENT + i] / seconds - arm
        row[column.FRICTION], row[column.DEPTH] = s[ROUGH] / s[WEIGHT], s[DEPTH]
        row[column.SLIP], row[column.BILATERAL] = s[SLIP] / s[WEIGHT], s[BILATERAL]


def apart(rows: Array, own_bodies: int) -> tuple[Array, Array]:
    """Rows (K, 18) of the character, and those of things on the stage, whose body is the number of their label."""
    others = rows[:, column.BODY] >= own_bodies
    if not others.any():
        return rows, rows[:0]
    things = rows[others]
    things[:, column.BODY] -= own_bodies
    return rows[~others], things


@njit(cache=True, inline="always")
def scale_friction(numbers, c, where, factor):
    """Scale both sliding coefficients of MuJoCo's contact c, and that of its regularised cone, by a factor."""
    numbers[c, where[FRICTION]] *= factor
    numbers[c, where[FRICTION] + 1] *= factor
    numbers[c, where[MU]] *= factor


@njit(cache=True)
def repaint(where, ncon, patches):
    """Give contacts with the ground (label 0) that lie on a patch the friction of that patch.

    Between MuJoCo's collision and its solver: the friction of a contact and that of its regularised cone are scaled
    alike, which is what another coefficient of the geoms would have done.
    """
    numbers, whole, geoms = opened(where, ncon)
    for c in range(ncon):
        g0, g1 = whole[c, where[GEOM]], whole[c, where[GEOM] + 1]
        if g0 < 0 or g1 < 0 or whole[c, where[ADDRESS]] < 0 or (geoms[g0, 1] != 0 and geoms[g1, 1] != 0):
            continue
        x, y = numbers[c, where[POS]], numbers[c, where[POS] + 1]
        for k in range(patches.shape[0] - 1, -1, -1):
            if abs(x - patches[k, 0]) <= patches[k, 2] and abs(y - patches[k, 1]) <= patches[k, 3]:
                scale_friction(numbers, c, where, patches[k, 4] / numbers[c, where[FRICTION]])
                break
