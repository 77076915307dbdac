"""The dynamic test, (37)-(40): forces at the contacts that give the object its recorded motion, at proxy points.

A contact pushes at two proxy points beside it along the link where the surface is flat, at three where an edge is
near: the point itself and the two neighbours whose normals differ most. So an edge gives the forces of both its faces.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.distance import onto_surface
from poise.methods.hands.pose_test import ALONG, NORMAL, OBJECT_POINT
from poise.solve.cone_lp import least_forces

MOST_PROXIES = 160
OWNER, POINT, INWARD, PROXY = 0, 1, 4, 7  # columns of a proxy: its contact, its point, the inward normal; how many
POINTS_ALONE, THESIS = 0, 1  # without proxies, and with
FLAT = 0.94  # cosine of normals above which a surface is flat


@njit(cache=True)
def proxies(solid, contacts, count, offset, mode, out):
    """Proxy points (n, PROXY) of the contacts, `offset` [m] away from them; gives n."""
    n, normal, p = 0, np.empty(3), np.empty(3)
    t1, t2, beside = np.empty(3), np.empty(3), np.empty((4, 6))
    for c in range(count):
        nx, ny, nz = contacts[c, NORMAL], contacts[c, NORMAL + 1], contacts[c, NORMAL + 2]
        if mode == POINTS_ALONE:
            n = _add(out, n, c, contacts, -1, beside)
            continue
        along = contacts[c, ALONG] * nx + contacts[c, ALONG + 1] * ny + contacts[c, ALONG + 2] * nz
        length = 0.0
        for i in range(3):
            t1[i] = contacts[c, ALONG + i] - along * contacts[c, NORMAL + i]
            length += t1[i] * t1[i]
        if length < 0.01:
            k = 0 if abs(nx) < 0.8 else 1
            for i in range(3):
                t1[i] = -contacts[c, NORMAL + k] * contacts[c, NORMAL + i]
            t1[k] += 1.0
            length = t1[0] ** 2 + t1[1] ** 2 + t1[2] ** 2
        for i in range(3):
            t1[i] /= np.sqrt(length)
        t2[0], t2[1], t2[2] = ny * t1[2] - nz * t1[1], nz * t1[0] - nx * t1[2], nx * t1[1] - ny * t1[0]
        least, first, second = 2.0, -1, -1
        for k in range(4):
            s = offset if k % 2 == 0 else -offset
            for i in range(3):
                p[i] = contacts[c, OBJECT_POINT + i] + s * (t1[i] if k < 2 else t2[i])
            onto_surface(solid, p, normal)
            for i in range(3):
                beside[k, i], beside[k, 3 + i] = p[i], normal[i]
            cosine = normal[0] * nx + normal[1] * ny + normal[2] * nz
            if cosine < least:
                least, second, first = cosine, first, k
            elif second < 0 or cosine < beside[second, 3] * nx + beside[second, 4] * ny + beside[second, 5] * nz:
                second = k
        if least < FLAT:
            n = _add(out, n, c, contacts, -1, beside)
            n = _add(out, n, c, contacts, first, beside)
            n = _add(out, n, c, contacts, second, beside)
        else:
            n = _add(out, n, c, contacts, 0, beside)
            n = _add(out, n, c, contacts, 1, beside)
    return n


@njit(cache=True)
def _add(out, n, c, contacts, k, beside):
    if n >= out.shape[0]:
        return n
    out[n, OWNER] = c
    for i in range(3):
        out[n, POINT + i] = contacts[c, OBJECT_POINT + i] if k < 0 else beside[k, i]
        out[n, INWARD + i] = -contacts[c, NORMAL + i] if k < 0 else -beside[k, 3 + i]
    return n + 1


@njit(cache=True)
def force_test(
    solid,
    contacts,
    count,
    cost,
    friction,
    rail,
    table,
    table_count,
    table_friction,
    table_cost,
    wrench,
    rho,
    offset,
    mode,
    out,
    forces,
):
    """Forces of least weighted normal part that give the wrench (6,) at contacts and table; gives status, cost,
    proxies.

    cost (count,) of each contact; rail (count, 4): 1 and the direction of friction where a contact slides, else 0;
    table (table_count, 10): point, normal and rail of each point on the table; out (MOST_PROXIES, PROXY) gets the
    proxies, forces (MOST_PROXIES + table points, 3) [N] those at them and then the table's, all in the object's frame.
    """
    n = proxies(solid, contacts, count, offset, mode, out)
    K = n + table_count
    points, normals, mu, price, slide = np.empty((K, 3)), np.empty((K, 3)), np.empty(K), np.empty(K), np.zeros((K, 4))
    for k in range(n):
        c = int(out[k, OWNER])
        mu[k], price[k] = friction, cost[c]
        for i in range(3):
            points[k, i], normals[k, i] = out[k, POINT + i], out[k, INWARD + i]
        if rail[c, 0] > 0:
            along = rail[c, 1] * normals[k, 0] + rail[c, 2] * normals[k, 1] + rail[c, 3] * normals[k, 2]
            size = 1e-12
            for i in range(3):
                slide[k, 1 + i] = rail[c, 1 + i] - along * normals[k, i]
                size += slide[k, 1 + i] ** 2
            slide[k, 0] = 1.0
            for i in range(3):
                slide[k, 1 + i] /= np.sqrt(size)
    for e in range(table_count):
        mu[n + e], price[n + e] = table_friction, table_cost
        for i in range(3):
            points[n + e, i], normals[n + e, i] = table[e, i], table[e, 3 + i]
        for i in range(4):
            slide[n + e, i] = table[e, 6 + i]
    status, _, total, _ = least_forces(points, normals, mu, price, slide, K, wrench, rho, forces, 160, 1e-5)
    return status, total, n
