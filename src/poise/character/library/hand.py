"""hand: 36 degrees of freedom, six of the wrist and six of each finger with its part of the palm; right and left.

The wrist's frame has x along the hand, z out of its back and y to the thumb of a right hand, to the little finger of a
left one: the palm looks down -z. Angles mean the same on both sides: flexion and what brings a finger towards the thumb
are positive. Ye 2012 (figure 20) prints the number of degrees of freedom alone. Lengths are those of a hand of 19 cm
(phalanges: Buryanov & Kotiuk 2010; spread of the knuckles: Tubiana 1981), limits those of the clinic (AAOS), and
every link is a capsule. The back of the hand flexes a little at the fourth and fifth metacarpal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character.character import Character, ContactPoints
from poise.maths.rotations import Array, from_matrix

FINGERS = ("thumb", "index", "middle", "ring", "little")
SIDES = ("right", "left")
LINKS = 4  # links of a finger at most: metacarpal and three phalanges; the thumb has three
CARPUS = (((0.0, 0.009, 0.0), (0.030, 0.008, 0.0), 0.014), ((0.0, -0.009, 0.0), (0.030, -0.008, 0.0), 0.013))
FOREARM = ((-0.10, 0.0, 0.003), (-0.012, 0.0, 0.001), 0.021)
"""Rigid parts at the wrist: from, to, radius [m]. The forearm is drawn and touches nothing."""

DENSITY = 1100.0  # [kg/m³] of a finger
STRENGTH = (2.0, 1.5, 1.5, 1.5, 0.8, 0.4)  # [N m] along a finger
STIFFNESS = (6.0, 4.0, 4.0, 3.0, 1.5, 0.7)  # [N m/rad]


class Fingers(NamedTuple):
    """The five fingers as chains of six hinges, in the wrist's frame; link b of a finger is moved by joints 0 to
    last[b].
    """

    base: Array  # (5, 3) [m] where each chain begins
    turn: Array  # (5, 3, 3) and its axes there
    axis: np.ndarray  # (5, 6) 0, 1 or 2: about x, y or z of the frame that the joints before it made
    sign: Array  # (5, 6) 1, or -1 where a left hand turns the other way
    step: Array  # (5, 6) [m] the way along x after each joint
    last: np.ndarray  # (5, 4) joint after which each link lies; -1 where there is none
    links: np.ndarray  # (5,) how many links
    begin: Array  # (5, 4) [m] of the capsule's axis along the link's x
    end: Array  # (5, 4) [m]
    radius: Array  # (5, 4) [m]
    low: Array  # (5, 6) [rad]
    high: Array  # (5, 6) [rad]
    rest: Array  # (5, 6) [rad] a hand at ease


_ROOTS = np.array([[22, 20, -12], [30, 13, 0], [30, 3, 1], [30, -7, 0], [28, -16, -3]]) * 1e-3
_KNUCKLES = np.array([[0, 0, 0], [90, 25, 0], [93, 4, 2], [87, -17, 0], [79, -36, -5]]) * 1e-3
_PHALANGES = np.array([[46, 33, 27], [44, 26, 21], [49, 30, 22], [46, 28, 22], [36, 21, 19]]) * 1e-3
_RADII = (
    np.array([[12, 10.5, 9.5, 0], [12, 9.5, 8.5, 7.8], [12, 9.5, 8.5, 8], [12, 9, 8.2, 7.6], [11, 8.5, 7.5, 7]]) * 1e-3
)
_THUMB_ALONG, _THUMB_BACK = (0.55, 0.50, -0.67), (-0.72, 0.62, -0.05)
_THUMB_LIMITS = np.array([[-35, 35], [-50, 45], [-30, 30], [-10, 10], [-10, 55], [-10, 75]])
_FINGER_LIMITS = np.array([[-2, 3], [-2, 2], [-15, 15], [-15, 90], [0, 105], [-5, 75]])
_ARCH = (0, 3, 3, 8, 13)  # [degrees] flexion of each metacarpal
_GATHER = 0.7  # share of the knuckles' fan that straight fingers take back, so that they lie side by side


def fingers(side: str = "right") -> Fingers:
    """The fingers of a hand; those of a left hand are the mirror image in y, with the same angles."""
    base, turn = _ROOTS.copy(), np.zeros((5, 3, 3))
    axis, step, last = np.zeros((5, 6), np.int64), np.zeros((5, 6)), np.full((5, LINKS), -1, np.int64)
    begin, end, low, high, rest = (np.zeros((5, n)) for n in (LINKS, LINKS, 6, 6, 6))
    links = np.array([3, 4, 4, 4, 4])
    for f in range(5):
        if f == 0:
            along, back, lengths = np.array(_THUMB_ALONG), np.array(_THUMB_BACK), _PHALANGES[0]
            axis[f], last[f, :3] = (2, 1, 0, 2, 1, 1), (2, 4, 5)
            limits, rest[f] = _THUMB_LIMITS.astype(float), (0, 0, 0, 0, 15, 20)
        else:
            along, back = _KNUCKLES[f] - _ROOTS[f], np.array([0.0, 0.0, 1.0])
            lengths = np.r_[np.linalg.norm(along), _PHALANGES[f]]
            axis[f], last[f] = (1, 2, 2, 1, 1, 1), (1, 3, 4, 5)
            limits, rest[f] = _FINGER_LIMITS.astype(float), (0, 0, 0, 30, 35, 22)
            limits[0, 1] = _ARCH[f]
            fan = np.degrees(np.arctan2(along[1], along[0])) * _GATHER
            limits[2] -= fan
            rest[f, 2] = -fan
        x = along / np.linalg.norm(along)
        z = back - x * (x @ back)
        z /= np.linalg.norm(z)
        turn[f] = np.stack([x, np.cross(z, x), z], 1)
        low[f], high[f] = limits.T
        n = links[f]
        step[f, last[f, :n]] = lengths
        end[f, :n] = lengths
        end[f, n - 1] -= 0.6 * _RADII[f, n - 1]  # the tip's cap stays within the finger's length
    begin[0, 0] = 0.012
    degrees = np.pi / 180.0
    sign = np.ones((5, 6))
    if side == "left":
        mirror = np.diag([1.0, -1.0, 1.0])
        base, turn = base @ mirror, mirror @ turn @ mirror
        sign[axis != 1] = -1.0
    return Fingers(
        base,
        np.ascontiguousarray(turn),
        axis,
        sign,
        step,
        last,
        links,
        begin,
        end,
        _RADII.copy(),
        low * degrees,
        high * degrees,
        rest * degrees,
    )


def joint_names(side: str) -> tuple[str, ...]:
    """The 30 joints of the fingers, in order."""
    parts = {
        0: ("cmc_spread", "cmc_flex", "cmc_roll", "mcp_spread", "mcp_flex", "ip_flex"),
        1: ("cmc_flex", "cmc_spread", "mcp_spread", "mcp_flex", "pip_flex", "dip_flex"),
    }
    return tuple(f"{side}_{name}_{part}" for f, name in enumerate(FINGERS) for part in parts[min(f, 1)])


def link_name(side: str, finger: int, link: int) -> str:
    """Name of a link's body, "right_index_distal"; its geom has the same name."""
    parts = ("metacarpal", "proximal", "distal") if finger == 0 else ("metacarpal", "proximal", "middle", "distal")
    return f"{side}_{FINGERS[finger]}_{parts[link]}"


def body_xml(side: str, *, root: str = "", colours: tuple[str, ...] = (), solid: bool = False) -> str:
    """The wrist's body with all that hangs on it, as MJCF in radians; `root` is put into it (a joint, say)."""
    F, names = fingers(side), iter(joint_names(side))
    tint = colours or ("0.83 0.62 0.52 1", "0.88 0.68 0.58 1", "0.91 0.73 0.64 1", "0.94 0.78 0.70 1")
    touch = "" if solid else ' contype="0" conaffinity="0"'
    mirror = -1.0 if side == "left" else 1.0
    out = [f'<body name="{side}_wrist">{root}']
    for k, (a, b, r) in enumerate((*CARPUS, FOREARM)):
        ends = f"{a[0]:g} {mirror * a[1]:g} {a[2]:g} {b[0]:g} {mirror * b[1]:g} {b[2]:g}"
        rigid = ' contype="0" conaffinity="0"' if k == 2 or not solid else ""
        name = ("carpus_0", "carpus_1", "forearm")[k]
        out.append(
            f'<geom name="{side}_{name}" type="capsule" fromto="{ends}" size="{r:g}" density="{DENSITY:g}" '
            f'rgba="{tint[0]}"{rigid}/>'
        )
    for f in range(5):
        j = 0
        for b in range(F.links[f]):
            q = from_matrix(F.turn[f])
            at = " ".join(f"{v:.9g}" for v in (F.base[f] if b == 0 else (F.step[f, F.last[f, b - 1]], 0, 0)))
            turned = f' quat="{q[0]:.12g} {q[1]:.12g} {q[2]:.12g} {q[3]:.12g}"' if b == 0 else ""
            out.append(f'<body name="{link_name(side, f, b)}" pos="{at}"{turned}>')
            while j <= F.last[f, b]:
                along = [0, 0, 0]
                along[F.axis[f, j]] = int(F.sign[f, j])
                out.append(
                    f'<joint name="{next(names)}" type="hinge" axis="{along[0]} {along[1]} {along[2]}" '
                    f'range="{F.low[f, j]:.9g} {F.high[f, j]:.9g}"/>'
                )
                j += 1
            out.append(
                f'<geom name="{link_name(side, f, b)}" type="capsule" '
                f'fromto="{F.begin[f, b]:.9g} 0 0 {F.end[f, b]:.9g} 0 0" size="{F.radius[f, b]:g}" '
                f'density="{DENSITY:g}" rgba="{tint[b]}"{touch}/>'
            )
        out.append("</body>" * int(F.links[f]))
    return "".join([*out, "</body>"])


def make(side: str = "right") -> Character:
    """The character: a wrist that is free in space, and its fingers."""
    return _made("hand" if side == "right" else "left_hand", {side: "root"})


def make_pair() -> Character:
    """Both hands as one character of 72 degrees of freedom: two wrists that are free in space."""
    return _made("hands", {side: f"{side}_root" for side in SIDES})


def _made(name: str, roots: dict[str, str]) -> Character:
    """Hands by side, each with the name of the joint that frees its wrist."""
    bodies = "".join(body_xml(side, root=f'<freejoint name="{root}"/>') for side, root in roots.items())
    xml = f'<mujoco model="hand"><compiler angle="radian" autolimits="true"/><worldbody>{bodies}</worldbody></mujoco>'
    number = {body: k for k, body in enumerate(_body_names(xml))}
    names, owners, places = [], [], []
    for side in roots:
        F = fingers(side)
        for f, finger in enumerate(FINGERS):
            tip = int(F.links[f]) - 1
            names.append(f"{side}_hand_{finger}")
            owners.append(number[link_name(side, f, tip)])
            places.append([0.7 * F.end[f, tip], 0.0, -F.radius[f, tip]])
    zero, count = np.zeros(6), len(roots)
    return Character(
        name,
        xml,
        {f"{side}_hand": f"{side}_wrist" for side in roots},
        ContactPoints(tuple(names), np.array(owners), np.array(places)),
        np.tile(np.r_[zero, np.tile(STIFFNESS, 5)], count),
        np.tile(np.r_[zero, np.tile(STRENGTH, 5)], count),
    )


def make_left() -> Character:
    """The left hand."""
    return make("left")


def _body_names(xml: str) -> tuple[str, ...]:
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml)
    return tuple(model.body(i).name for i in range(model.nbody))
