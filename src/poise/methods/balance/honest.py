"""HONEST: a controller in exact physics, without artificial torque.

Its gains were found by a search along a homotopy that lowers the slider to zero, the paper's future work:

    poise reproduce balance/search-honest --seeds 1
"""

from __future__ import annotations

from poise.methods.balance.method import Balance

HONEST = Balance(
    slider=0.0, kfs=1396.0, kfd=134.7, kP=0.9078, kts=356.5, ktd=112.4, kL=0.7189, stiffness=0.9496, damping=0.03842,
    sole=0.9115, give=0.5955,
)  # fmt: skip
