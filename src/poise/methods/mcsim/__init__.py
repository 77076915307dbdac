"""mcsim: simulation of human motion data by short-horizon model-predictive control (da Silva, Abe & Popović 2008)."""

from poise.methods.mcsim.method import McSim

__all__ = ["McSim"]
