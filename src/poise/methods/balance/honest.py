"""HONEST: gains that need no artificial torque, as `poise.experiments.balance.honest` found them."""

from __future__ import annotations

from poise.methods.balance.method import Balance

HONEST = Balance(slider=0.0, sole=0.9)
