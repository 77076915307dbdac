"""Departures: everything in which momentum differs from its document, by name; each can be left out.

`Momentum.printed()` has none of them: the document's own form, its printed errors corrected (see `model`, `plan`,
`clock`, `forces` and `pose` for those), with the document's weights.
"""

from __future__ import annotations

DEPARTURES: dict[str, str] = {
    "effort": "effort is measured from the forces that the reference needs by itself; the document: from nothing",
    "turning": "where a plan of the least angular momentum would twist the body, as in punches and kicks, it is "
    "measured from the clip's own; the document: from nothing",
    "soft": "gains are taken a little inside the friction cones, so that a corner that carries nothing answers too, "
    "and (30) alone keeps the cones; the document: active faces have no gain, and one step length for all corners "
    "keeps F in its cone",
    "separate": "errors of C and P ask for forces, those of Φ and L for moments, both bounded, and (30) meets moments "
    "first; the document: one gain for all, by which a push beyond what a foot can answer turns the body over",
    "reach": "the body goes down where the leg that carries it would be too short; the document: legs have no length",
    "orientation": "Φ is measured from the pose, as the angular momentum of the step from the reference to it; the "
    "document: the integral of L, which drifts away from the body's real orientation",
    "root": "the root's orientation is tracked softly in the pose; the document: not at all",
    "centre": "the root takes what the linearised step leaves of the centre of mass; the document: the error is left "
    "to the feedback of the next step",
    "arcs": "the pose is solved twice, the second time for what the first, straight step misses of corners and centre "
    "of mass, since limbs move on arcs; the document: once",
    "sagittal": "only what goes on along the way changes the final time; the document: everything, so that a push to "
    "the side holds the clock",
    "still": "the time is free where the body is off or its goal was changed, and as far as its motion tells the time; "
    "a calm body keeps the clip's; the document: any error sets the clock, and a body at rest stops it",
    "support": "t_c stays in the same stance or flight as t_d; the document: wherever the final time fits, so that a "
    "body about to take off takes the forces of flight",
    "ending": "gains no longer grow in the last sixth of a second of a clip that ends; the document: there as at the "
    "end of each step, where the final constraint asks for ever larger forces",
    "pins": "corners that stand are held where they came down; the document: led to where the plan has them",
    "footholds": "the next foothold is moved where a push asks for it; the document: steps stay where they are",
    "hurry": "a step whose foothold is out of reach is taken faster; the document: steps take the time that is left",
    "steady": "the rate of the contacts' clock changes by a fifth in a frame at most; the document: as fast as it "
    "says, which is a jump where a step nears its end",
    "sink": "the body's goal is lower over feet that land further apart than planned; the document: as high as planned",
    "pace": "steps that shall be longer are also taken faster, and the whole plan goes with them; the document: only "
    "the place of the goal changes",
    "limits": "joints keep to their ranges in the pose; the document: no limits",
    "strength": "a pose that asks more of joints than their torque limits is solved once more, with these torques at "
    "their limits; the document: no limits",
    "repair": "a clip is made physical before it begins; the document: followed as recorded",
}
"""What each departure does, and what the document does instead."""

WALKING = frozenset({"separate", "reach", "footholds", "hurry", "still"})
"""Departures that clips which leave the ground do without: runs and hops fell by each of them."""
