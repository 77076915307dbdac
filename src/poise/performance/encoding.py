"""What calls are made with as plain data, for `take.calls` and saved states, and back. No pickle, no foreign code.

Numbers, texts and lists are themselves; arrays keep their bits in base64; clips are what their files hold; frozen
values of poise (edits, grounds, pushes, settings) name their class and fields.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.methods import method as built_in
from poise.methods import names
from poise.motion.clip import Clip
from poise.motion.formats import npz, npz_arrays
from poise.motion.reference import Reference


def plain(value: Any) -> Any:
    """Plain data that JSON can hold and `value` reads."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, np.ndarray):
        bits = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"array": bits, "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, tuple):
        return {"tuple": [plain(v) for v in value]}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {"map": [[plain(k), plain(v)] for k, v in value.items()]}
    if isinstance(value, Clip):
        facts, arrays = npz.pack(value)
        told = json.loads(json.dumps(facts, allow_nan=False))  # lists, as in a file
        return {"clip": told, "arrays": {k: plain(npz_arrays.plain(a)) for k, a in arrays.items()}}
    if isinstance(value, Reference):
        return {"reference": {k: plain(v) for k, v in value.parts().items()}}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _made_of(value)
    return {"text": str(value)[:200]}


def _made_of(value: Any) -> Any:
    inside = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
    name = getattr(value, "name", None)
    if isinstance(name, str) and name in names() and type(built_in(name)) is type(value):
        return {"method": name, "fields": inside}
    return {"kind": f"{type(value).__module__}:{type(value).__qualname__}", "fields": inside}


def value(data: Any, own: Mapping[str, Any] | None = None, character: Character | None = None) -> Any:
    """What plain data stands for. `own`: methods of the user's by the name of their class; `character`: that of clips.

    A clip of the same body gets the character that is given: references are followed by one character alone.
    """

    def inner(x: Any) -> Any:
        return value(x, own, character)

    if isinstance(data, list):
        return [inner(v) for v in data]
    if not isinstance(data, dict):
        return data
    if "float" in data:
        return float(data["float"])
    if "array" in data:
        bits = np.frombuffer(base64.b64decode(data["array"]), np.dtype(data["type"]))
        return bits.reshape(data["shape"]).copy()
    if "tuple" in data:
        return tuple(inner(v) for v in data["tuple"])
    if "map" in data:
        return {inner(k): inner(v) for k, v in data["map"]}
    if "clip" in data:
        clip = npz.unpack(data["clip"], {k: inner(a) for k, a in data["arrays"].items()})
        same = character is not None and clip.character.xml == character.xml
        return dataclasses.replace(clip, character=character) if same else clip
    if "reference" in data:
        return Reference.of_parts({k: inner(v) for k, v in data["reference"].items()})
    if "method" in data:
        return built_in(str(data["method"]), **{k: inner(v) for k, v in data["fields"].items()})
    if "kind" in data:
        return _frozen(str(data["kind"]), {k: inner(v) for k, v in data["fields"].items()}, own or {})
    raise BadValue(f"A call was made with {data.get('text', 'something')!r}, which cannot be made again from data.")


def _frozen(kind: str, fields: dict[str, Any], own: Mapping[str, Any]) -> Any:
    """A frozen value of poise, or a method that the user gives."""
    if kind in own:
        return own[kind]
    module, _, name = kind.partition(":")
    if not module.startswith("poise."):
        raise BadValue(f"{kind} is no part of poise; give it as own={{{kind!r}: ...}} to make this performance again.")
    found = getattr(import_module(module), name, None)
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise BadValue(f"{kind} is no value of this version of poise.")
    return found(**fields)
