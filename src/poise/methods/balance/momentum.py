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

from poise.dynamics import compiled
from poise.dynamics.compiled import Terms, apply_inertia
from poise.dynamics.compiled.momentum import MASS
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance.hierarchy import Hierarchy


class Links:
    """Twists, spatial masses and velocities of all links at one state."""

    def __init__(self, hierarchy: Hierarchy):
        self.hierarchy, self.dynamics = hierarchy, compiled.Compiled(hierarchy.character)
        self.terms, self.model = self.dynamics.terms, self.dynamics.model

    def place(self, q: Array, v: Array) -> None:
        """Put a state in."""
        _place(self.dynamics.fields, q, v)

    def lead(self, q: Array, v: Array, a: Array, rate: Array) -> Array:
        """Joint torques (nv,) of a motion beyond those of a rigid body with the same change of momentum `rate` (6,).

        Inverse dynamics of q, v, a less the part of J_comᵀ w that spreads the wrench over all links, w being weight
        and rate: what is left is what links accelerate against each other. Zero on the root.
        """
        self.place(q, v)
        model, data, terms = self.model, self.dynamics.data, self.terms
        data.qacc[:] = a
        out, spread, wrench = np.zeros(model.nv), np.zeros(model.nv), np.zeros((2, 6))
        mujoco.mj_rne(model, data, 1, out)
        wrench[0] = rate
        wrench[0, 3:] -= terms.subtree_inertias[terms.root, MASS] * terms.gravity
        joint_torques(terms, np.zeros_like(self.hierarchy.path), wrench, spread)
        out += model.dof_armature * a - spread
        out[:6] = 0.0
        return out

    def places(self, points: np.ndarray) -> Array:
        """World positions (K, 3) [m] of some contact points of the character."""
        bodies = self.terms.point_bodies[points]
        turned = np.einsum("kij,kj->ki", self.terms.rotations[bodies], self.terms.point_locals[points])
        return self.terms.positions[bodies] + turned

    def velocity_of(self, body: int) -> Array:
        """Velocity (3,) [m/s] of a link's centre of mass, world axes."""
        x = self.terms.velocities[body]
        return x[3:] + np.cross(x[:3], self.terms.link_centres[body] - self.terms.centre_of_mass)

    @property
    def mass_matrix(self) -> Array:
        """Total spatial mass M_c (6, 6), equation (8)."""
        return np.array([product(self.terms.subtree_inertias[self.terms.root], unit) for unit in np.eye(6)]).T


@njit(cache=True)
def _place(fields, q, v):
    place(Terms(*fields), q, v)


@njit(cache=True)
def place(terms, q, v):
    """Put a state q (nq,), v (nv,) in; the mass matrix, which the method never forms, is left out."""
    compiled.place_pose(terms, q)
    compiled.place_velocity(terms, v)
    compiled.place_inertias(terms)
    compiled.fill_bias(terms, terms.bias)


def momentum_jacobian(links: Links, share: Array) -> Array:
    """J_com (6, nv), equation (7), rooted at the feet in the shares (2,) that they carry; zero on the root.

    J_i = M_c⁻¹ A_i - Σ_feet share p_i x_i
    """
    terms = links.terms
    out = np.array([product(terms.subtree_inertias[b], x) for b, x in zip(terms.moved, terms.axes, strict=True)]).T
    out = np.linalg.solve(links.mass_matrix, out)
    return out - (np.asarray(share, float) @ links.hierarchy.path) * terms.axes.T


@njit(cache=True)
def product(mass, x):
    """Spatial mass (10,) times twist (6,)."""
    out = np.empty(6)
    apply_inertia(mass, x, out)
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
def joint_torques(terms, path, carried, out):
    """out (nv,) [N m] = J_comᵀ w, equation (9), without forming J_com; zero on the root.

    τ_i = x_iᵀ (I_i M_c⁻¹ w - Σ_feet p_i w_foot), with I_i the spatial mass of all links beyond joint i. `carried`
    (2, 6) are the parts w_foot of the wrench w, torque [N m] then force [N], that the two feet carry; `path` (2, nv)
    is p.
    """
    mean, part, whole = np.empty(6), np.empty(6), terms.subtree_inertias[terms.root]
    for i in range(6):
        mean[i] = carried[0, i] + carried[1, i]
    mean[:3] = solve3(whole, mean[:3])
    for i in range(3, 6):
        mean[i] /= whole[MASS]
    for k in range(terms.axes.shape[0]):
        if k < 6:
            out[k] = 0.0
            continue
        apply_inertia(terms.subtree_inertias[terms.moved[k]], mean, part)
        for foot in range(2):
            if path[foot, k]:
                for i in range(6):
                    part[i] -= carried[foot, i]
        total = 0.0
        for i in range(6):
            total += terms.axes[k, i] * part[i]
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
def momentum(terms):
    """Total momentum (6,) about the centre of mass, equation (4): angular [kg m²/s], then linear [kg m/s].

    h = Σ_l I_l x_l. Equation (18) prints m_l (ω_l - ω_com) where m_l (v_l - v_com) is meant; the part with v_com sums
    to nothing.
    """
    out, turned = np.empty(6), np.empty(6)
    compiled.momentum(terms, out)
    turned[:3], turned[3:] = out[3:], out[:3]
    return turned
