"""Departures: everything in which posture differs from its document, by name; each can be left out.

`Posture.printed()` has none of them: the document's own form, its printed errors corrected: (8) is measured from the
reference's velocity, without which the reference is no minimiser; (12) divides a generalised force by the inertia M_rr
that belongs to it and not by the mass; (5) has as many eigenvalues as degrees of freedom; (6) wants the torques that
near-unactuated coordinates have in the clip and not none, without which the clip is not "the minimizer by construction"
that section 3.4 calls it (the setting `zero` has it to the letter).
"""

from __future__ import annotations

DEPARTURES: dict[str, str] = {
    "tone": "near-unactuated coordinates have the springs and dampers of resting muscles; the document: none, and a "
    "balanced head or a twisted forearm never comes back",
    "inertia": "deviations are weighed by the inertia that they move; the document: all joints alike",
    "own_latency": "the torques that wait in the first 200 ms are those beyond the clip's own; the document: all "
    "torques, so that the clip's own motion is held up too",
    "return": "the root comes back to the reference; the document: what (12) gives it stays, and it drifts",
    "reach": "the root is lowered where a leg that stands would not reach; the document: not told",
    "repair": "a clip is made physical before it begins; the document: followed as recorded",
}
"""What each departure does, and what the document does instead."""
