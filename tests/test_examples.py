"""Every example runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("[0-9]*.py"))
SHORT = {"02_edit_under_way": {"seconds": 2.0}, "06_live": {"seconds": 0.3}, "04_it_falls": {"seconds": 1.0}}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs_and_leaves_a_picture(path, tmp_path, capsys):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(folder=str(tmp_path), **SHORT.get(path.stem, {}))
    assert list(tmp_path.glob("*.png")) and "written" in capsys.readouterr().out.lower()
    assert len(path.read_text().splitlines()) < 100
