"""Take: the record of one performance, streamed to disk."""

from poise.take.ended import Ended
from poise.take.record import CONTACT_COLUMNS, WRENCH_COLUMNS, ContactRecord, LogEntry, WrenchRecord
from poise.take.recorder import Recorder, TakeInterrupted
from poise.take.segments import Call, Segment
from poise.take.store import is_take
from poise.take.take import Take

__all__ = [
    "CONTACT_COLUMNS", "WRENCH_COLUMNS", "Call", "ContactRecord", "Ended", "LogEntry", "Recorder", "Segment", "Take",
    "TakeInterrupted", "WrenchRecord", "is_take",
]  # fmt: skip
