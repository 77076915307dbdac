"""The two clocks: t_c, the place in the plan that the state is nearest to, and t_d, that of the contacts.

Sections 4.5.1-4.5.3. In a free-final-time controller t_c is where the remaining time of the plan is the remaining time
of the state. Frames are those of the course, unrolled.

Departures: (27) and (29) are ill-conditioned since K^d ẋ* is close to -1 (a state further along needs that much less
time). Solved is what they say, that no change of the final time is left over:

    r(t_c) = K^d(t_c) (x - x*(t_c)) + K^c(t_c) ΔΨ = 0,

of several roots the nearest one to where t_c is expected. Then δx = x - x*(t_c) and δt_f = 0.
"""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array

BACK, AHEAD = 8, 14  # frames around the expected t_c that are looked at
NEARNESS = 0.05  # frames of r that a frame of distance from the expected t_c counts
NOISY = 0.3  # the same in a simulator: where a plan stands still, a millimetre of noise finds any t_c
SLOWEST, FASTEST = 0.4, 2.0  # rates of t_d
STEADY = 0.2  # by which the rate changes in a frame at most (departure `steady`)
SURE = 0.015  # [s] that small errors of the state may change t_c by; where it is more, t_c is believed less
RETURN = 0.1  # share by which t_c comes back to the clip's own time in a frame in which it is not believed
_AWAY = 0.03  # [m] by which a body is off, or its goal changed, from which on its time is wholly free
_PLACE, _SPEED = 0.01, 0.05  # [m], [m/s]: such small errors


def root_of(frames: np.ndarray, left: Array, h: float, expected: float, nearness: float = NEARNESS) -> float:
    """t_c [frames] of candidates (K,), consecutive, with the residuals r [s] of each, near the expected one."""
    cost = np.abs(left) / h + nearness * np.abs(frames - expected)
    best = int(np.argmin(cost))
    for other in (best + 1, best - 1):  # a change of sign beside it: between the two
        if 0 <= other < len(frames) and left[best] * left[other] < 0.0:
            share = left[best] / (left[best] - left[other])
            return float(frames[best] + share * (frames[other] - frames[best]))
    return float(frames[best])


def trust(gain: Array, mass: float) -> float:
    """How far t_c is believed, 0 to 1, where K^d is `gain` (12,) (departure `still`).

    A body that hardly moves looks the same at all times: K^d ẋ* is close to -1, so K^d is large where ẋ* is small, and
    a centimetre of error is seconds.
    """
    doubt = float(np.hypot(_PLACE * np.linalg.norm(gain[:3]), _SPEED * mass * np.linalg.norm(gain[3:6])))
    return 1.0 if doubt <= SURE else (SURE / doubt) ** 2


def disturbed(away: float) -> float:
    """How far, 0 to 1, t_c may leave t_d for a body that is `away` [m] from where it should be or shall go."""
    return min(away / _AWAY, 1.0) ** 2


def rate_of(final: float, td: float, tc: float) -> float:
    """Δ = (t_f - t_d) / (t_f - t_c): frames that t_d goes on in a frame, so that both reach t_f together."""
    return (final - td) / max(final - tc, 1e-9)


def paced(rate: float) -> float:
    """A rate that a body can follow: it goes to infinity as t_c nears t_f."""
    return float(min(max(rate, SLOWEST), FASTEST))
