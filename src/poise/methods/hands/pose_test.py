"""The kinematic test of a hand, (34)-(36): a pose of all fingers that meets the pairs and penetrates nothing.

Gives the contacts of that pose: rows of `CONTACT` columns with the hand, finger and link, the point on the link in its
own axes, the point on the object, the outward normal there, the link's direction and the gap.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.distance import between_segments, to_piece, to_segment
from poise.methods.hands.finger import pair_slip, place_links, reach

HAND, FINGER, LINK, HAND_POINT, OBJECT_POINT, NORMAL, ALONG, GAP, CONTACT = 0, 1, 2, 3, 6, 9, 12, 15, 16
MOST_CONTACTS = 40  # of both hands
MOST_PAIRS = 5  # of a finger
PASSED, PENETRATES, SLIPS, LOST, FINGERS_MEET = 0, 1, 2, 3, 4  # what a test says
SOFT = 3e-4  # [m] of gap over which the contacts of a link that lies flat are averaged


@njit(cache=True)
def capsules(F, q, R, p, out):
    """Ends and radius (5, 4, 7) of every link's capsule for the pose q (5, 6)."""
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    for f in range(5):
        place_links(F, f, q[f], R, p, turn, place, axes, points)
        for b in range(F.links[f]):
            for i in range(3):
                out[f, b, i] = place[b, i] + turn[b, i, 0] * F.begin[f, b]
                out[f, b, 3 + i] = place[b, i] + turn[b, i, 0] * F.end[f, b]
            out[f, b, 6] = F.radius[f, b]


@njit(cache=True)
def touching(F, solid, hand, f, q, R, p, near, contacts, n):
    """Add the contacts of finger f, links whose gap is less than `near` [m], to rows n and on; gives how many
    there are.
    """
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    a, b, c, g, h = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    place_links(F, f, q, R, p, turn, place, axes, points)
    for link in range(F.links[f]):
        radius = F.radius[f, link]
        for i in range(3):
            a[i] = place[link, i] + turn[link, i, 0] * F.begin[f, link]
            b[i] = place[link, i] + turn[link, i, 0] * F.end[f, link]
        for k in range(solid.kind.shape[0]):
            d, s = to_segment(solid, k, a, b, radius + near, g)
            if d - radius >= near or n >= contacts.shape[0]:
                continue
            weight, where = 2.0, 2.0 * s  # a link that lies flat touches in the middle of what touches
            for m in range(9):
                u = m / 8.0
                du = to_piece(solid, k, a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2]), g)
                w = np.exp(-(du - d) / SOFT)
                weight += w
                where += w * u
            s = where / weight
            for i in range(3):
                c[i] = a[i] + s * (b[i] - a[i])
            d = to_piece(solid, k, c[0], c[1], c[2], g)
            for i in range(3):
                h[i] = c[i] - radius * g[i] - place[link, i]
            contacts[n, HAND], contacts[n, FINGER], contacts[n, LINK], contacts[n, GAP] = hand, f, link, d - radius
            for i in range(3):
                contacts[n, HAND_POINT + i] = (
                    turn[link, 0, i] * h[0] + turn[link, 1, i] * h[1] + turn[link, 2, i] * h[2]
                )
                contacts[n, OBJECT_POINT + i] = c[i] - d * g[i]
                contacts[n, NORMAL + i] = g[i]
                contacts[n, ALONG + i] = turn[link, i, 0]
            n += 1
    return n


@njit(cache=True)
def fingers_meet(caps, f, h, tolerance):
    """Do fingers f and h of one hand lie in one another by more than `tolerance` [m]? Their bases always do."""
    c1, c2 = np.empty(3), np.empty(3)
    for i in range(1, 4):
        for j in range(1, 4):
            if caps[f, i, 6] == 0.0 or caps[h, j, 6] == 0.0 or (i == 1 and j == 1 and abs(f - h) == 1):
                continue
            d = between_segments(caps[f, i, :3], caps[f, i, 3:6], caps[h, j, :3], caps[h, j, 3:6], c1, c2)
            if d - caps[f, i, 6] - caps[h, j, 6] < -tolerance:
                return True
    return False


@njit(cache=True)
def _keeps_pairs(F, f, q, R, p, pairs, count, slip, slips, contacts, first, n, worst):
    """Does a finger keep the pairs that carry a force? Gives the verdict and the pair; worst (1,): the largest slip."""
    pair_slip(F, f, q, R, p, pairs, count, slips)
    for k in range(count):
        worst[0] = max(worst[0], slips[k])
        if slips[k] > slip:
            return SLIPS, k
    for k in range(count):
        there = False
        for c in range(first, n):
            there = there or contacts[c, LINK] == pairs[k, 0]
        if not there:
            return LOST, k
    return PASSED, -1


@njit(cache=True)
def pose_test(
    F, solid, plane, hand, R, p, before, speed, pairs, count, held, rest, others, known, W, most, near, deep, meet,
    slip, q, contacts, n, worst,
):  # fmt: skip
    """Pose q (5, 6) of a hand for pairs (5, MOST_PAIRS, PAIR), count (5,) of them a finger; contacts from row n on.

    before (5, 6): the pose a frame ago, speed (5,) [rad] how far a joint may move, held (5,): pairs that carry a
    force and
    may not be lost, others (known, 7): capsules of the other hand; near, deep, meet, slip [m]: the gap that counts as
    a contact, and what is allowed of penetration, of fingers in one another and of slipping.
    Gives the verdict, the finger and the other finger or pair that failed, and how many contacts there are;
    worst (1,): the largest slip of a held pair [m].
    """
    caps, beside = np.zeros((5, 4, 7)), np.empty((20 + known, 7))
    low, high, slips = np.empty(6), np.empty(6), np.empty(MOST_PAIRS)
    worst[0] = 0.0
    for f in range(5):
        m = 0
        for h in range(f):
            for b in range(1, F.links[h]):
                beside[m] = caps[h, b]
                m += 1
        for o in range(known):
            beside[m] = others[o]
            m += 1
        for j in range(6):
            low[j] = max(F.low[f, j], before[f, j] - speed[f])
            high[j] = min(F.high[f, j], before[f, j] + speed[f])
            q[f, j] = before[f, j]
        _, depth, _ = reach(
            F, solid, plane, f, q[f], low, high, R, p, pairs[f], count[f], before[f], rest[f], beside, m, W, most
        )
        if depth > deep:
            return PENETRATES, f, -1, n
        first = n
        found = touching(F, solid, hand, f, q[f], R, p, near, contacts, n)
        if held[f] == 1:
            said, k = _keeps_pairs(F, f, q[f], R, p, pairs[f], count[f], slip, slips, contacts, first, found, worst)
            if said != PASSED:
                return said, f, k, n if said == SLIPS else found
        n = found
        _one_finger(F, f, q[f], R, p, caps)
        for h in range(f):
            if fingers_meet(caps, f, h, meet):
                return FINGERS_MEET, f, h, n
    return PASSED, -1, -1, n


@njit(cache=True)
def _one_finger(F, f, q, R, p, caps):
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    place_links(F, f, q, R, p, turn, place, axes, points)
    for b in range(F.links[f]):
        for i in range(3):
            caps[f, b, i] = place[b, i] + turn[b, i, 0] * F.begin[f, b]
            caps[f, b, 3 + i] = place[b, i] + turn[b, i, 0] * F.end[f, b]
        caps[f, b, 6] = F.radius[f, b]
