"""Progress bars: what they say when work is over."""

import pytest

from poise import progress
from poise.progress import Bar


def test_long_work_tells_its_time_unless_it_failed(monkeypatch, capsys):
    """A failure is told in one sentence by whoever meets it; the bar adds none, even if it was full."""
    monkeypatch.setattr(progress, "_LONG", -1.0)
    bar = Bar("writing", 1)
    bar.reach(3, 3)
    bar.close()
    assert capsys.readouterr().err.startswith("writing: 3 in ")
    failed = Bar("writing", 1)
    with pytest.raises(OSError, match="full"):
        try:
            failed.reach(3, 3)
            raise OSError("full")
        finally:
            failed.close()
    assert capsys.readouterr().err == ""
