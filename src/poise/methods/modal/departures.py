"""Departures: everything in which modal differs from its document, by name; each can be left out.

`Modal.printed()` has none of them: the document's own form, its printed errors corrected (see `update`, `rigid`,
`actuation`, `step` and `correction` for those), with the document's weights.

What is no departure: what the document leaves open (how contacts are found and how soon a point that comes near is
looked after, how a barbell is carried, what lies beyond the end of a clip), weights, which are settings, and how a
problem is solved. Round friction cones stand for the hexagons that approximate them, and contacts give by 1e-9 m/N,
since four corners of a rigid foot have no unique forces.
"""

from __future__ import annotations

DEPARTURES: dict[str, str] = {
    "targets": "rigid modes are compared at the end of the window in what obeys the laws exactly: the centre of mass "
    "falls freely, angular momentum stays; the document: in the linearised modal coordinates",
    "arms": "lever arms of planned forces go from where the centre of mass will be to where the feet stand or will "
    "stand; the document: all are those of the present pose",
    "products": "the velocity products are kept in b; the document linearises at zero velocity and drops them (11)",
    "velocities": "velocities of the reference are those with which it came to its pose, as the update's are; the "
    "document: those of the reference's state",
    "rest": "springs rest in the reference's present pose; the document: in one pose all the time, here the clip's "
    "first (matters only without effort)",
    "effort": "effort is measured from the forces and impulses that the reference needs by itself (setting "
    "feedforward); the document: from nothing",
    "bear": "joints bear planned ground forces at once (with effort); the document: spread over the window",
    "legs": "legs of the shape that is followed are bent so that the feet stay in the world; the document: the "
    "reference's joint angles, whatever the root does",
    "lift": "legs that stand lift a body that has sunk (with legs); the document: nothing of it",
    "contacts": "contacts of the window are corrected by what is seen now, in the modal update; the document: those of "
    "the reference from the next step on",
    "footholds": "the next foothold is moved where a push asks for it (setting footholds); the document: the reference "
    "stays as it is",
    "pendulum": "the reference of a pushed walker goes as an inverted pendulum can (with footholds); without: it goes "
    "over to the foot that leads within 0.15 s",
    "limits": "joints keep to the character's torque limits, and ground forces that they cannot bear are planned "
    "smaller (setting limits); the document: no limits",
    "blend": "modes near the threshold are planned in part and tracked in part; the document: one or the other",
    "tracked": "modes are those of the step before, turned until springs couple them by less than a "
    "hundred-thousandth; the document: found anew at each step",
    "comply": "all modes yield to what contacts push beyond the plan (settings cancel_low, cancel_high); the document: "
    "joints cancel it in the fast modes, which makes the contact matrix nearly singular, and hardly in slow ones (27)",
    "root": "the root's velocity takes what the linearised step leaves of the momentum, in the modal update; the "
    "document: the linearised step as it is",
    "collide": "shins, feet and toes of the two legs collide in the modal update; the document: legs pass through each "
    "other",
    "tumble": "all of the body can lie on the ground in the modal update; the document: contact points alone touch it",
    "slope": "a clip made for level ground is fitted to a slope before it begins (setting repair); the document: edits "
    "are the user's",
    "repair": "a clip is made physical before it begins (setting repair); the document: followed as recorded",
    "raised": "swinging feet that hardly clear the ground are raised (setting repair); the document: as recorded",
    "apart": "legs that are in each other are led apart (setting repair); the document: as recorded",
}
"""What each departure does, and what the document does instead."""

FLAGS: dict[str, str] = {
    "effort": "feedforward", "footholds": "footholds", "limits": "limits",
    "slope": "repair", "repair": "repair", "raised": "repair", "apart": "repair",
}  # fmt: skip
"""Settings that must be on as well for a departure to have its effect."""
