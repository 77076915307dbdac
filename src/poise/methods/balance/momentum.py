"""The Jacobian of the total momentum over all links, rooted at the feet that stand: section 5.1, equations (2)-(10).

With the character's links as end effectors, the total momentum about the centre of mass is A v, A (6, nv); the total
spatial mass M_c turns it into a mean twist of the whole body, J_com = M_c⁻¹ A. Rooted at a foot that stands still, the
root moves as the joints between them tell it: if x_i is the twist of joint i and p_i says whether joint i lies between
root and foot,

    J_i = M_c⁻¹ A_i - p_i x_i ,    A_i = (spatial mass of all links beyond joint i) x_i .

So re-rooting the hierarchy costs a subtraction, and no table of joints and links is needed. All twists and wrenches are
angular first, about the centre of mass, in world axes.

Departures (`load`): the paper speaks of a hierarchy rooted at both feet without a formula; here each foot carries
a part of the wrench, and the transposed Jacobian rooted at that foot turns it into torques (`carry`). Joints are of any
kind, not only balls.
"""

from __future__ import annotations

import mujoco
import numpy as np

from poise.dynamics import engine
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance.body import Body


class Links:
    """Twists, spatial masses and velocities of all links at one state, kept in MuJoCo's own memory."""

    def __init__(self, body: Body):
        model = body.character.model
        self.body, self.model, self.data = body, model, engine.data_of(model)
        self.bias = np.zeros(model.nv)  # Coriolis, centrifugal and gravity forces
        d = self.data
        # views that stay where they are: twist of each degree of freedom, mass of all beyond it, velocity of each body
        self.twists, self.beyond, self.velocity, self.own = d.cdof, d.crb, d.cvel, d.cinert
        self.centre, self.centres, self.turns = d.subtree_com, d.xipos, d.xquat

    def place(self, q: Array, v: Array) -> None:
        """Put a state in."""
        engine.place(self.model, self.data, q, v)
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_rne(self.model, self.data, 0, self.bias)

    def lead(self, q: Array, v: Array, a: Array, rate: Array) -> Array:
        """Joint torques (nv,) of a motion beyond those of a rigid body with the same change of momentum `rate` (6,).

        Inverse dynamics of q, v, a less the part of J_comᵀ w that spreads the wrench over all links, w being weight
        and rate: what is left is what links accelerate against each other. Zero on the root.
        """
        self.place(q, v)
        self.data.qacc[:] = a
        out, spread, wrench = np.zeros(self.model.nv), np.zeros(self.model.nv), np.zeros((2, 6))
        mujoco.mj_rne(self.model, self.data, 1, out)
        wrench[0] = rate
        wrench[0, 3:] -= self.beyond[1, 9] * self.model.opt.gravity
        joint_torques(self.twists, self.beyond, self.body.moved, np.zeros_like(self.body.path), wrench, spread)
        out += self.model.dof_armature * a - spread
        out[:6] = 0.0
        return out

    def places(self, points: np.ndarray) -> Array:
        """World positions (K, 3) [m] of some contact points of the character."""
        own = self.body.character.contact_points
        bodies = own.bodies[points]
        turns = self.data.xmat[bodies].reshape(-1, 3, 3)
        return self.data.xpos[bodies] + np.einsum("kij,kj->ki", turns, own.positions[points])

    def velocity_of(self, body: int) -> Array:
        """Velocity (3,) [m/s] of a link's centre of mass, world axes."""
        x = self.velocity[body]
        return x[3:] + np.cross(x[:3], self.centres[body] - self.centre[1])

    @property
    def mass_matrix(self) -> Array:
        """Total spatial mass (6, 6), equation (8)."""
        return np.array([product(self.beyond[1], unit) for unit in np.eye(6)]).T


def momentum_jacobian(links: Links, share: Array) -> Array:
    """J_com (6, nv), equation (7), rooted at the feet in the shares (2,) that they carry; zero on the root."""
    body = links.body
    out = np.array([product(links.beyond[b], x) for b, x in zip(body.moved, links.twists, strict=True)]).T
    out = np.linalg.solve(links.mass_matrix, out)
    return out - (np.asarray(share, float) @ body.path) * links.twists.T


@njit(cache=True, inline="always")
def _product(mass, x, out):
    """out = spatial mass (10,) times twist x (6,), both about one point: MuJoCo's packing of an inertia."""
    out[0] = mass[0] * x[0] + mass[3] * x[1] + mass[4] * x[2] - mass[8] * x[4] + mass[7] * x[5]
    out[1] = mass[3] * x[0] + mass[1] * x[1] + mass[5] * x[2] + mass[8] * x[3] - mass[6] * x[5]
    out[2] = mass[4] * x[0] + mass[5] * x[1] + mass[2] * x[2] - mass[7] * x[3] + mass[6] * x[4]
    out[3] = mass[8] * x[1] - mass[7] * x[2] + mass[9] * x[3]
    out[4] = mass[6] * x[2] - mass[8] * x[0] + mass[9] * x[4]
    out[5] = mass[7] * x[0] - mass[6] * x[1] + mass[9] * x[5]


@njit(cache=True)
def product(mass, x):
    """Spatial mass (10,) times twist (6,)."""
    out = np.empty(6)
    _product(mass, x, out)
    return out


@njit(cache=True)
def solve3(s, b):
    """Solution (3,) of a symmetric system, its matrix packed as xx, yy, zz, xy, xz, yz."""
    c0, c1, c2 = s[1] * s[2] - s[5] * s[5], s[4] * s[5] - s[3] * s[2], s[3] * s[5] - s[4] * s[1]
    det = s[0] * c0 + s[3] * c1 + s[4] * c2
    c4, c5, c8 = s[0] * s[2] - s[4] * s[4], s[3] * s[4] - s[0] * s[5], s[0] * s[1] - s[3] * s[3]
    out = np.empty(3)
    out[0] = (c0 * b[0] + c1 * b[1] + c2 * b[2]) / det
    out[1] = (c1 * b[0] + c4 * b[1] + c5 * b[2]) / det
    out[2] = (c2 * b[0] + c5 * b[1] + c8 * b[2]) / det
    return out


@njit(cache=True)
def joint_torques(twists, beyond, moved, path, carried, out):
    """out (nv,) = J_comᵀ w, equation (9), without forming J_com.

    `carried` (2, 6) are the parts of the wrench w, torque then force, that the two feet carry; their sum is w.
    """
    mean, part = np.empty(6), np.empty(6)
    for i in range(6):
        mean[i] = carried[0, i] + carried[1, i]
    mean[:3] = solve3(beyond[1], mean[:3])
    for i in range(3, 6):
        mean[i] /= beyond[1, 9]
    for k in range(twists.shape[0]):
        if k < 6:
            out[k] = 0.0
            continue
        _product(beyond[moved[k]], mean, part)
        for foot in range(2):
            if path[foot, k]:
                for i in range(6):
                    part[i] -= carried[foot, i]
        total = 0.0
        for i in range(6):
            total += twists[k, i] * part[i]
        out[k] = total


@njit(cache=True)
def carry(wrench, held, support, centre, feet, ground, even, out):
    """out (2, 6): the part of the virtual wrench (6,) that each supporting foot carries; gives the right foot's share.

    Shares go by where the wrench, as a force of the ground, meets the line between the feet: the leg that is nearer
    carries more, so both legs work as they do in a person who shifts his weight. What is left of the torque about that
    point goes to both feet in the same shares. The ground bears `held` [N] besides: weight that the wrench leaves to
    the servos. Places (3,), (2, 3) in the world; `ground` [m] is their height. With `even`
    each foot gets half of the wrench about the centre of mass, as a plain mean of two hierarchies does; the two ankles
    then work against each other.
    """
    out[:] = 0.0
    if not (support[0] and support[1]):
        out[0 if support[0] else 1] = wrench
        return 0.0 if support[0] else 1.0
    if even:
        out[0], out[1] = 0.5 * wrench, 0.5 * wrench
        return 0.5
    x, y, high = centre[0], centre[1], centre[2] - ground
    push = wrench[5] + held
    if push > 1.0:
        x -= (high * wrench[3] + wrench[1]) / push
        y -= (high * wrench[4] - wrench[0]) / push
    dx, dy = feet[1, 0] - feet[0, 0], feet[1, 1] - feet[0, 1]
    along = ((x - feet[0, 0]) * dx + (y - feet[0, 1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    along = min(max(along, 0.0), 1.0)
    for foot in range(2):
        share = along if foot == 1 else 1.0 - along
        # from this foot to where the feet together stand
        rx, ry = feet[0, 0] + along * dx - feet[foot, 0], feet[0, 1] + along * dy - feet[foot, 1]
        for i in range(6):
            out[foot, i] = share * wrench[i]
        out[foot, 0] -= share * ry * wrench[5]
        out[foot, 1] += share * rx * wrench[5]
        out[foot, 2] -= share * (rx * wrench[4] - ry * wrench[3])
    return along


@njit(cache=True)
def momentum(own, velocity):
    """Total momentum (6,) about the centre of mass, equation (4): angular, then linear.

    Equation (18) prints m_l (ω_l - ω_com) where m_l (v_l - v_com) is meant; the part with v_com sums to nothing.
    """
    total, one = np.zeros(6), np.empty(6)
    for b in range(1, own.shape[0]):
        _product(own[b], velocity[b], one)
        for i in range(6):
            total[i] += one[i]
    return total
