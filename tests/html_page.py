"""What a written page holds, decoded as its player does."""

from __future__ import annotations

import base64
import re

import msgspec
import zstandard


def recording(text: str) -> dict:
    """What the player gets: decoded from the page as the player decodes it."""
    raw = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([^"]+)"', text)[1])
    inner = zstandard.ZstdDecompressor().decompress(raw[8:], max_output_size=int.from_bytes(raw[:8], "little"))
    size = int.from_bytes(inner[:8], "little")
    return msgspec.msgpack.decode(inner[8 : 8 + size])
