"""HONEST: a controller in exact physics, without artificial torque. Its gains are set by hand.

`poise.experiments.balance.honest` is the search along a homotopy that is meant to find better ones; what it finds goes
here.
"""

from __future__ import annotations

from poise.methods.balance.method import Balance

HONEST = Balance(slider=0.0, sole=0.9)
