"""A pushed body over its feet: what its centre of mass can do in the time of the window, given the room of its soles.

A reference that a push has left behind asks for the impossible: nine centimetres back within a tenth of a second, on a
foot that is nine centimetres wide. The plan of the rigid modes would pay with tilt and hops. So the reference of the
centre of mass begins where the body really is and goes as an inverted pendulum can, with c its place, p the centre of
pressure and ω = √(g / height),

    c'' = ω² (c - p),

where p leads the divergent component c + c'/ω back over the foot as far as the sole goes. What is left is for the next
foothold to do (`footholds`).

Departures: not in the paper, whose reference stays where it was.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit

_LEADS = 2.0  # factor by which the centre of pressure leads the divergent component
_EDGE = 0.01  # [m] from the edge of a sole that the centre of pressure keeps


@njit(cache=True)
def _room(frames, row, shift, foot_of, feet, heading, out):
    """Fill out (2, 2), lowest and highest offset of the centre of pressure along and across; gives whether it stands.

    shift (2, 2): how far the feet are moved; foot_of (F,) tells the foot of each contact point, -1: neither.
    """
    c, s = np.cos(heading), np.sin(heading)
    total, px, py = 0.0, 0.0, 0.0
    stands = False
    out[:, 0], out[:, 1] = np.inf, -np.inf
    for i in range(feet):
        if not frames.touching[row, i]:
            continue
        stands = True
        x, y = frames.places[row, i, 0], frames.places[row, i, 1]
        n = max(frames.force[row, i, 0], 0.0)
        total += n
        px += n * (c * x + s * y)
        py += n * (c * y - s * x)
        f = foot_of[i]
        if f >= 0:
            x += shift[f, 0]
            y += shift[f, 1]
        along, across = c * x + s * y, c * y - s * x
        out[0, 0], out[0, 1] = min(out[0, 0], along), max(out[0, 1], along)
        out[1, 0], out[1, 1] = min(out[1, 0], across), max(out[1, 1], across)
    if not stands or total <= 0.0:
        return False
    for k in range(2):
        own = (px if k == 0 else py) / total
        middle = 0.5 * (out[k, 0] + out[k, 1])
        out[k, 0] = min(out[k, 0] + _EDGE, middle) - own
        out[k, 1] = max(out[k, 1] - _EDGE, middle) - own
    return True


@njit(cache=True)
def sway(frames, first, shifts, leads, foot_of, feet, heading, frequency, off, drift, dt, out):
    """Fill out (L, 2) with the offsets of the centre of mass from the reference, from off and drift (2,) now.

    shifts (L, 2, 2): offsets of the feet; leads (L, 2): that of the foot which is gone over; world axes.
    """
    c, s = np.cos(heading), np.sin(heading)
    turn = np.array([[c, s], [-s, c]])
    x, u, room = turn @ off, turn @ drift, np.empty((2, 2))
    grow, shrink = np.exp(frequency * dt), np.exp(-frequency * dt)
    for n in range(len(out)):
        for k in range(2):
            out[n, k] = turn[0, k] * x[0] + turn[1, k] * x[1]
        row = first + min(n, len(frames.q) - 1 - first)
        stands = _room(frames, row, shifts[n], foot_of, feet, heading, room)
        goal = turn @ leads[n]
        for k in range(2):
            if not stands:
                x[k] += dt * u[k]
                continue
            ahead = x[k] + u[k] / frequency
            p = goal[k] + _LEADS * (ahead - goal[k])
            p = min(max(p, room[k, 0]), room[k, 1])
            behind = x[k] - u[k] / frequency
            ahead, behind = p + grow * (ahead - p), p + shrink * (behind - p)
            x[k], u[k] = 0.5 * (ahead + behind), 0.5 * frequency * (ahead - behind)
