"""performance: a character performs a clip by a method on a stage. `begin` is live, `perform` is begin and run."""

from poise.performance.begin import begin
from poise.performance.perform import perform
from poise.performance.replay import replay
from poise.performance.saving import resume
from poise.performance.show import FRAME, Show

__all__ = ["FRAME", "Show", "begin", "perform", "replay", "resume"]
