"""When contacts will really be there: the reference's schedule, corrected by what is seen.

The plan takes contacts from the reference (section 5.1). A corner of a foot that should stand but is in the air cannot
push until it has come down, and a foot that has landed early will not leave before it was to land.
"""

from __future__ import annotations

from poise.kernels import njit

TOUCHES = 0.002  # [m] above the ground up to which a point touches now
_SINK = 0.5  # [m/s] at which a raised corner comes down


@njit(cache=True)
def expect(touching, gap, dt):
    """Change touching (n, P), the contacts in the n steps of dt ahead, for points whose first are gap (F,) [m] up."""
    n = len(touching)
    for i in range(len(gap)):
        down = gap[i] < TOUCHES
        if down == touching[0, i]:
            continue
        if not down:
            for k in range(min(n, int(gap[i] / (_SINK * dt)) + 1)):
                touching[k, i] = False
            continue
        lands = 0
        while lands < n and not touching[lands, i]:
            lands += 1
        if lands < n:
            touching[:lands, i] = True
