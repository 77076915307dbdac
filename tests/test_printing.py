"""Values print as one useful line, and as a small table with a picture in a notebook."""

from __future__ import annotations

import base64
import io
import re

import pytest
from PIL import Image

import poise
from poise.judge.verdict import verdict


@pytest.fixture(scope="module")
def take() -> poise.Take:
    return poise.perform(poise.load_clip("walk"), "pd", seconds=1.2)


@pytest.fixture(scope="module")
def values(take) -> dict[str, object]:
    walk = poise.load_clip("walk")
    return {"clip": walk, "character": walk.character, "take": take, "audit": poise.audit(take),
            "audit of a clip": poise.audit(walk), "verdict": verdict(take), "check": poise.check(walk)}  # fmt: skip


def test_each_prints_as_one_line(values):
    for name, value in values.items():
        line = repr(value)
        assert "\n" not in line and 20 < len(line) < 240 and "array(" not in line, name
    assert "fell at" in repr(values["take"]) and "explained" in repr(values["audit"])
    assert " N " in repr(values["audit"]) and "kg" in repr(values["character"])


def test_a_notebook_shows_a_table_and_a_picture(values):
    for name in ("clip", "character", "take", "audit"):
        shown = values[name]._repr_html_()
        assert shown.startswith("<table>") and "</th>" in shown and len(shown) < 400_000
        found = re.search(r"base64,([^\"]+)", shown)
        assert (found is None) == (name == "audit")
        if found:
            picture = Image.open(io.BytesIO(base64.b64decode(found[1])))
            assert picture.width <= 760 and len(picture.convert("RGB").getcolors(1 << 16)) > 20
    assert "fell at" in values["take"]._repr_html_()
