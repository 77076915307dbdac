"""Detection of hands that carry the body: low, slow for a while, and needed.

Hands come near the ground for many reasons; one in a squat or at a box carries nothing. A hand counts as touching only
where physics asks for it: no foot touches and yet the body does not fall, the body is upside down, or it leans so far
beyond its feet that they alone could not hold it. Recorded hands miss the ground by more than feet do, and files seldom
bend wrists: a hand that is stuck in the ground down to its heel lies flat on it, one whose fingertips reach the ground
stands on them.
"""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.maths import GRAVITY
from poise.maths.intervals import close_gaps, frames, hysteresis, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import FootMotion, low_pass, paired, speeds, without_spikes

LOW, STAY = 0.04, 0.065  # [m] above the ground at which a hand may begin to touch, and go on
SLOW, SLIDE = 0.7, 1.1  # [m/s] likewise
FLAT = 0.05  # [m] the heel of a hand that is usually lower than this lies on the ground
SHORTEST, GAP = 0.08, 0.05  # [s] of a contact, and of a gap in it
NEEDED = 0.06  # [s] for which a contact must be needed
FALL = 6.5  # [m/s²] a body without support that falls slower on average is held by something
LEAN = 0.12  # [m] beyond the feet at which they would have to push
OVER = 0.1  # [s] over which the need is averaged
CUTOFF = 20.0  # [Hz] faster movements of hands are noise


def hand_contacts(clip: Clip, foot: FootMotion, labels: np.ndarray) -> np.ndarray:
    """Labels (N, P) of the clip's contact points with those of hands alone; `labels` (N, P) are those of its feet."""
    points = clip.character.contact_points
    out = np.zeros(labels.shape, bool)
    hands = [f"{s}_hand" for s in SIDES if f"{s}_hand" in points.limbs]
    if not hands or len(clip) < 2:
        return out
    raw = clip.character.points(clip.q)
    height = raw[..., 2] - clip.ground.height(raw[..., 0], raw[..., 1])
    near = [h for h in hands if np.any(height[:, points.of(h)] < LOW)]
    if not near:
        return out
    need = needed(clip, foot, labels)
    if need.sum() * clip.dt < NEEDED:
        return out
    places = low_pass(without_spikes(raw, clip.dt), clip.dt, CUTOFF)
    names, _, pairs = paired(points)
    for hand in near:
        own = [pairs[k] for k, name in enumerate(names) if name.startswith(hand)]
        high = np.stack([height[:, p].min(axis=1) for p in own], axis=1)
        fast = speeds(np.stack([places[:, p].mean(axis=1) for p in own], axis=1), clip.dt).min(axis=1)
        for a, e in _contact_spans(high.min(axis=1), fast, need, clip.dt):
            usual = np.median(high[a:e], axis=0)
            down = usual < max(FLAT, usual.min() + 1e-6)
            # a hand that lies flat has touched from when the last part of it is down: its tips were never in the ground
            first, last = _low(high[a:e, down].max(axis=1))
            for pair in (p for p, on in zip(own, down, strict=True) if on):
                out[a + first : a + last, pair] = True
    return out


def _low(high: Array) -> tuple[int, int]:
    """First frame and one past the last in which a height (n,) is low enough to touch; all where it never is."""
    rows = np.flatnonzero(high < STAY)
    return (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, len(high))


def _contact_spans(high: Array, fast: Array, need: np.ndarray, dt: float) -> list[tuple[int, int]]:
    """Stretches in which a hand of this height (N,) and speed (N,) is low, slow and needed."""
    on = hysteresis((high < LOW) & (fast < SLOW), (high < STAY) & (fast < SLIDE))
    return [(int(a), int(e)) for a, e in runs(close_gaps(on, frames(GAP, dt)))
            if (e - a) * dt >= SHORTEST and need[a:e].sum() * dt >= NEEDED]  # fmt: skip


def needed(clip: Clip, foot: FootMotion, labels: np.ndarray) -> np.ndarray:
    """Boolean (N,): feet that touch as labelled (N, P) cannot be all that holds the body."""
    character = clip.character
    pull = averaged(foot.trimmed(foot.pull), clip.dt)
    held = pull[:, 2] > -FALL
    stands = labels.any(axis=1)
    return (held & ~stands) | _upside_down(clip) | (stands & held & leaning(clip, foot, pull, labels, character.height))


def averaged(x: Array, dt: float) -> Array:
    """x (N, 3) averaged over OVER."""
    from scipy.ndimage import uniform_filter1d

    return uniform_filter1d(x, 2 * (frames(OVER, dt) // 2) + 1, axis=0, mode="nearest")


def _upside_down(clip: Clip) -> np.ndarray:
    """Is the head below the hips and a foot above them?"""
    character = clip.character
    feet = [character.body(f"{s}_foot") for s in SIDES if character.has(f"{s}_foot")]
    if not feet or not character.has("head") or not character.has("pelvis"):
        return np.zeros(len(clip), bool)
    z = character.forward(clip.q)[0][..., 2]
    hips = z[:, character.body("pelvis")]
    return (z[:, character.body("head")] < hips) & (z[:, feet].max(axis=1) > hips)


def leaning(clip: Clip, foot: FootMotion, pull: Array, labels: np.ndarray, tall: float) -> np.ndarray:
    """Would the ground have to push further than LEAN beyond the feet that touch?"""
    com = foot.trimmed(foot.com)
    places = clip.character.points(clip.q)[..., :2]
    under = com[:, 2] - clip.ground.height(com[:, 0], com[:, 1])
    push = np.maximum(pull[:, 2] + GRAVITY, 3.0)
    centre = com[:, :2] - np.clip(under, 0.0, tall)[:, None] * pull[:, :2] / push[:, None]
    out = np.full(len(clip), -np.inf)
    for way in np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False):  # out of the hull of the feet, seen from all sides
        d = np.array([np.cos(way), np.sin(way)])
        edge = np.where(labels, places @ d, -np.inf).max(axis=1)
        out = np.maximum(out, np.where(np.isfinite(edge), centre @ d - edge, -np.inf))
    return out > LEAN
