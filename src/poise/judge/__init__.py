"""Judge: how well a take follows its reference, whether it recovered, and whether its physics is true."""

from poise.judge.audit import audit
from poise.judge.finding import Finding
from poise.judge.report import AuditReport
from poise.judge.tolerances import Tolerances

__all__ = ["AuditReport", "Finding", "Tolerances", "audit"]
