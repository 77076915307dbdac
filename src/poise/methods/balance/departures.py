"""Departures: everything in which balance differs from its document, by name; each can be left out.

`Balance.printed()` has none of them: the document's own form, its printed errors corrected (see `virtual`, `contact`,
`sensor` and `outside` for those). Where the document leaves a thing to the user (gains, cylinder, zones, the tolerance
below which balance is given up) a value of ours is no departure. That feet have no friction while the recording has
them in the air is the document's own (section 6.1).
"""

from __future__ import annotations

DEPARTURES: dict[str, str] = {
    "implicit": "servos (1) give the torque of the state one decision ahead, so that light links do not shake; the "
    "document: of the state now",
    "smooth": "rates of a recording are those of a parabola over 50 ms to either side; the document: finite "
    "differences from frame to frame",
    "feed": "the recording's change of momentum is added to the virtual wrench, and the joint torques that its links "
    "need against each other to the servos; the document: neither",
    "answered": "the part of a foot's torque that a ground force in the middle of what touches answers is left on it; "
    "the document takes off all of it (22)",
    "bounded": "the vertical part of a foot's torque is taken off up to the cylinder's torque; the document: always "
    "wholly",
    "ankle": "artificial torque is never more than the strongest axis of an ankle gives, and the slider ends there; "
    "the document: no such bound",
    "ease": "joints are brought from a careless start to the pose within `ease` seconds; the document: at once",
    "load": "both feet share the wrench by where it meets the ground between them; the document has no formula: half "
    "each",
    "linger": "a foot that lost the ground counts as pressing on it for `linger` seconds more; the document: not at "
    "all",
    "tread": "a foot that the recording has down and that hovers within `reach` of the ground carries its share; the "
    "document: only one on which the ground presses",
    "floating": "a foot without a label that is as low as the other one and at rest stands too; the document: by the "
    "labels alone",
    "posed": "without a recording, a foot that the pose holds in the air never supports, and (23) acts only where the "
    "pose stands on both; the document: by pressure and zones alone",
    "lean": "what ankles are too weak for is taken off the torque of the wrench, up to `swing` N m: the trunk gives "
    "way; the document: no limits",
    "limits": "joints give no more than the character's strength, balance before the servo, and limbs that stand on "
    "nothing are not spun up; the document: no limits",
    "hopeless": "balance is given up when the centre of mass is further from the support point than it is high; the "
    "document: by the share (21) alone",
}
"""What each departure does, and what the document does instead."""
