"""What a written page holds, decoded as its player does."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any, NamedTuple

import numpy as np


class Shown(NamedTuple):
    """The head of a page, and its tables by name."""

    about: dict[str, Any]
    tables: dict[str, np.ndarray]

    def track(self, name: str) -> np.ndarray:
        """Places (N, 3) of the parts of a group, such as "prop"; of its first part."""
        part = next(p for p in self.about["parts"] if p["group"] == name)
        return self.tables["places"][:, part["track"]]


def recording(text: str) -> Shown:
    """What the player gets: decoded from the page as the player decodes it."""
    about = json.loads(re.search(r'<script id="about" type="application/json">(.*?)</script>', text, re.S)[1])
    raw = zlib.decompress(base64.b64decode(re.search(r'<script id="data" type="text/plain">([^<]+)<', text)[1]))
    tables = {}
    for name, s in about["sections"].items():
        tables[name] = np.frombuffer(raw, "<" + s["type"], s["length"], s["offset"]).reshape(s["shape"])
    return Shown(about, tables)
