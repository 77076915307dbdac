"""What poise uses of Clarabel, whose compiled module carries no types."""

from typing import Any

class ZeroConeT:
    def __init__(self, dim: int) -> None: ...

class SecondOrderConeT:
    def __init__(self, dim: int) -> None: ...

class DefaultSettings:
    verbose: bool
    tol_gap_abs: float
    tol_gap_rel: float
    tol_feas: float

class DefaultSolver:
    def __init__(self, P: Any, q: Any, A: Any, b: Any, cones: list[Any], settings: DefaultSettings) -> None: ...
    def solve(self) -> Any: ...
