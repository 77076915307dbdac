"""A twice differentiable curve through configurations: quintic Hermite pieces in the tangent space of each knot.

Between knots k and k+1 the configuration is q_k exp(p(s)), s in [0, 1], with p a polynomial of fifth degree whose
end values match the position, velocity and acceleration of both knots. For a rotation the angular velocity of
exp(p) is J(p) p' with the right Jacobian J; its inverse and its derivative carry the end conditions over exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import BALL, FREE, Layout, quat_difference, quat_exp, quat_mul, rates
from poise.maths.rotations import Array


@njit(cache=True, inline="always")
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@njit(cache=True, inline="always")
def _coefficients(r):
    """B, C of J = 1 - B [r] + C [r]², and their rates per r·p'; series below 0.05 rad, where the forms cancel."""
    x = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if x < 0.0025:
        b = 0.5 - x / 24.0 + x * x / 720.0
        c = 1.0 / 6.0 - x / 120.0 + x * x / 5040.0
        db = -1.0 / 12.0 + x / 180.0 - x * x / 6720.0
        dc = -1.0 / 60.0 + x / 1260.0 - x * x / 60480.0
        return b, c, db, dc
    a = np.sqrt(x)
    s, k = np.sin(a), np.cos(a)
    return (
        (1.0 - k) / x,
        (a - s) / (x * a),
        (a * s - 2.0 * (1.0 - k)) / (x * x),
        (3.0 * s - 2.0 * a - a * k) / (x * x * a),
    )


@njit(cache=True, inline="always")
def rotation_rates(r, dr, ddr, w, dw):
    """Angular velocity w and acceleration dw, in the turned frame, of exp(r) whose vector moves at dr, ddr."""
    b, c, db, dc = _coefficients(r)
    along = r[0] * dr[0] + r[1] * dr[1] + r[2] * dr[2]
    rd, rrd, e, rre, drd = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _cross(r, dr, rd)
    _cross(r, rd, rrd)
    _cross(r, ddr, e)
    _cross(r, e, rre)
    _cross(dr, rd, drd)
    for i in range(3):
        w[i] = dr[i] - b * rd[i] + c * rrd[i]
        dw[i] = ddr[i] - b * e[i] + c * rre[i] - along * db * rd[i] + along * dc * rrd[i] + c * drd[i]


@njit(cache=True)
def _inverse_right_jacobian(r, x, out):
    """out with J(r) out = x, for |r| < 2 pi."""
    n = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if n < 0.0025:
        g = 1.0 / 12.0 + n / 720.0 + n * n / 30240.0
    else:
        a = np.sqrt(n)
        g = 1.0 / n - 0.5 * np.cos(0.5 * a) / (a * np.sin(0.5 * a))
    u, uu = np.empty(3), np.empty(3)
    _cross(r, x, u)
    _cross(r, u, uu)
    for i in range(3):
        out[i] = x[i] + 0.5 * u[i] + g * uu[i]


@njit(cache=True)
def _fit(kind, qadr, vadr, q, v, a, dt, coef):
    nv = v.shape[1]
    end, dend, ddend = np.zeros(nv), np.zeros(nv), np.zeros(nv)
    w, dw, zero = np.empty(3), np.empty(3), np.zeros(3)
    for n in range(q.shape[0] - 1):
        for j in range(kind.shape[0]):
            c, d = qadr[j], vadr[j]
            if kind[j] == FREE:
                for i in range(3):
                    end[d + i] = q[n + 1, c + i] - q[n, c + i]
                    dend[d + i], ddend[d + i] = v[n + 1, d + i], a[n + 1, d + i]
                c += 3
                d += 3
            if kind[j] == FREE or kind[j] == BALL:
                r = end[d : d + 3]
                quat_difference(q[n, c : c + 4], q[n + 1, c : c + 4], r)
                _inverse_right_jacobian(r, v[n + 1, d : d + 3], dend[d : d + 3])
                rotation_rates(r, dend[d : d + 3], zero, w, dw)  # dw: what the rate alone adds to the acceleration
                _inverse_right_jacobian(r, a[n + 1, d : d + 3] - dw, ddend[d : d + 3])
            else:
                end[d] = q[n + 1, c] - q[n, c]
                dend[d], ddend[d] = v[n + 1, d], a[n + 1, d]
        for d in range(nv):
            v0, a0 = dt * v[n, d], 0.5 * dt * dt * a[n, d]
            v1, a1 = dt * dend[d], 0.5 * dt * dt * ddend[d]
            coef[n, 0, d] = v0
            coef[n, 1, d] = a0
            coef[n, 2, d] = 10 * end[d] - 6 * v0 - 4 * v1 - 3 * a0 + a1
            coef[n, 3, d] = -15 * end[d] + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1
            coef[n, 4, d] = 6 * end[d] - 3 * v0 - 3 * v1 - a0 + a1


@njit(cache=True)
def _sample(kind, qadr, vadr, q, coef, dt, t):
    """q, v, a at time t, held at both ends with zero rates."""
    nv = coef.shape[2]
    x = t / dt
    n = int(np.floor(x))
    out_q, out_v, out_a = np.empty(q.shape[1]), np.zeros(nv), np.zeros(nv)
    if n < 0 or x > q.shape[0] - 1.0 or q.shape[0] == 1:
        out_q[:] = q[0] if n < 0 else q[-1]
        return out_q, out_v, out_a
    n = min(n, q.shape[0] - 2)
    s = x - n
    c = coef[n]
    p, turn = np.empty(nv), np.empty(4)
    for d in range(nv):
        c1, c2, c3, c4, c5 = c[0, d], c[1, d], c[2, d], c[3, d], c[4, d]
        p[d] = s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        out_v[d] = (c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / dt
        out_a[d] = (2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (dt * dt)
    w, dw = np.empty(3), np.empty(3)
    for j in range(kind.shape[0]):
        a, d = qadr[j], vadr[j]
        if kind[j] == FREE:
            for i in range(3):
                out_q[a + i] = q[n, a + i] + p[d + i]
            a += 3
            d += 3
        if kind[j] == FREE or kind[j] == BALL:
            quat_exp(p[d : d + 3], turn)
            quat_mul(q[n, a : a + 4], turn, out_q[a : a + 4])
            rotation_rates(p[d : d + 3], out_v[d : d + 3], out_a[d : d + 3], w, dw)
            for i in range(3):
                out_v[d + i], out_a[d + i] = w[i], dw[i]
        else:
            out_q[a] = q[n, a] + p[d]
    return out_q, out_v, out_a


@njit(cache=True)
def _sample_many(kind, qadr, vadr, q, coef, dt, times):
    """Configurations (M, nq) at times (M,)."""
    out = np.empty((times.shape[0], q.shape[1]))
    for m in range(times.shape[0]):
        out[m] = _sample(kind, qadr, vadr, q, coef, dt, times[m])[0]
    return out


@dataclass(frozen=True, eq=False)
class Spline:
    """The curve through knots a time dt apart; `at(t)` gives configuration, velocity and acceleration."""

    layout: Layout
    q: Array  # (N, nq) knots
    coef: Array  # (N-1, 5, nv)
    dt: float  # [s]

    @classmethod
    def through(cls, layout: Layout, q: Array, dt: float, v: Array | None = None, a: Array | None = None) -> Spline:
        """The spline through q (N, nq); v and a (N, nv) by the three-frame stencil where they are not given."""
        q = np.ascontiguousarray(q, float)
        if v is None or a is None:
            v0, a0 = rates(layout, q, dt)
            v, a = v0 if v is None else v, a0 if a is None else a
        coef = np.empty((max(len(q) - 1, 0), 5, layout.nv))
        _fit(layout.kind, layout.qadr, layout.vadr, q, np.ascontiguousarray(v), np.ascontiguousarray(a), dt, coef)
        return cls(layout, q, coef, dt)

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """q (nq,), v (nv,) and a (nv,) at time t [s] after the first knot; outside, the end pose at rest."""
        lay = self.layout
        return _sample(lay.kind, lay.qadr, lay.vadr, self.q, self.coef, self.dt, t)

    def many(self, times: Array) -> Array:
        """Configurations (M, nq) at times (M,) [s] after the first knot; outside, the end pose."""
        lay = self.layout
        times = np.ascontiguousarray(times, float)
        return _sample_many(lay.kind, lay.qadr, lay.vadr, self.q, self.coef, self.dt, times)
