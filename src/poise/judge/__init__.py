"""Judge: how well a take follows its reference, whether it recovered, and whether its physics is true."""

from poise.judge.audit import audit
from poise.judge.report import AuditReport, Tolerances

__all__ = ["AuditReport", "Tolerances", "audit"]
