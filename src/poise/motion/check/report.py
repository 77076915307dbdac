"""Reports of `poise check` as text: a page for one clip, a table for many."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from poise.printable import printable

WIDTH = 100  # columns
MOST_SPANS = 24  # contact intervals shown; --json gives them all
MOST_DOUBTS = 6  # likewise of stretches whose contacts are not sure


def text(report: Mapping[str, Any]) -> str:
    """The page for one clip, from what `CheckReport.to_dict` gives."""
    r, blocks = _shown(report), []
    blocks.append(_rows("", [
        ("clip", " ".join(filter(None, [r["name"] or "(no name)", f"({r['format']})" if r["format"] else ""]))),
        ("licence", r["licence"] or "unknown"),
        ("length", f"{r['frames']} frames at {r['fps']:.2f} a second, {r['duration']:.2f} s"
                   + (", a loop" if r["loops"] else "")),
        ("frame rate", r["free_fall"]["sentence"]),
    ]))  # fmt: skip
    body = [("height", f"{r['height']:.2f} m"), ("mass", f"{r['mass']:.1f} kg")]
    if r["unit"] is not None:
        body += [("unit", f"{r['unit']:.6g} m"), ("axes", f"{r['up']} up, at rest facing {r['facing']}")]
    body += [("heading", f"{r['heading']:+.0f} degrees from X in the first frame")]
    blocks.append(_rows("body", body))
    blocks.append(_rows("ground", _ground(r)))
    blocks.append(_rows("contacts", _contacts(r)))
    joints = [(role, joint) for role, joint in r["roles"].items()]
    blocks.append(_columns(f"joints ({len(joints)} roles)", [f"{role:<17} {joint}" for role, joint in joints]))
    if r["dropped"]:
        blocks.append(_paragraph("not in the character, played as recorded", ", ".join(r["dropped"])))
    if r["spikes"]:
        worst = r["spikes"][:10]
        lines = [f"{s['joint']:<18} {s['degrees']:5.0f}° after frame {s['frame']:<6} x{s['count']}" for s in worst]
        blocks.append(_columns(f"spikes ({len(r['spikes'])})", lines))
    blocks.append(_list("notes", r["notes"]))
    blocks.append(_list("warnings", r["warnings"]) or "Nothing to warn of.")
    return "\n\n".join(b for b in blocks if b)


def _shown(value: Any) -> Any:
    """The same, with every name such that it can be printed: a file may call a joint anything."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable(k): _shown(v) for k, v in value.items()}
    return [_shown(v) for v in value] if isinstance(value, list | tuple) else value


def _ground(r: Mapping[str, Any]) -> list[tuple[str, str]]:
    floor = r["floor"]
    if not floor["known"]:
        return [("floor", "unknown: no foot stands long enough"), _sinking(r)]
    lean = f", leaning {floor['tilt']:.2f}° ({floor['rise']:.1f} cm a metre)" if floor["rise"] > 0.05 else ", level"
    state = "levelled to z = 0" if floor["levelled"] else f"the clip stands at {100 * floor['remaining']:+.1f} cm"
    rows = [("floor", f"{100 * floor['height']:+.1f} cm in the file{lean}; {state}")]
    if floor["levels"]:
        rows.append(("treads", ", ".join(f"{100 * v:+.0f} cm" for v in floor["levels"]) + " above the floor"))
    return [*rows, ("skating", f"{100 * r['skating']:.1f} cm/s of points in contact"), _sinking(r)]


def _sinking(r: Mapping[str, Any]) -> tuple[str, str]:
    return "sinking", f"{100 * r['penetration']:.1f} cm at most"


def _contacts(r: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for limb in ("left", "right", "left_hand", "right_hand"):
        if limb in r["contacts"]:
            times = r["contacts"][limb]
            spans = "  ".join(f"{a:.2f}-{b:.2f}" for a, b in times[:MOST_SPANS])
            spans += f"  and {len(times) - MOST_SPANS} more" if len(times) > MOST_SPANS else ""
            rows.append((_limb(limb), f"{100 * r['share'][limb]:3.0f} %   {spans + ' s' if spans else 'never'}"))
    for title, key, said in (("not sure", "unsure", ("down", "up")), ("by force", "by_force", ("stands", "is lifted"))):
        told = [f"{_limb(one['limb'])} {said[not one['touches']]} {one['start']:.2f}-{one['end']:.2f} s "
                f"({one['sure']:.2f})" for one in r[key]]  # fmt: skip
        more = f"; and {len(told) - MOST_DOUBTS} more" if len(told) > MOST_DOUBTS else ""
        rows += [(title, "; ".join(told[:MOST_DOUBTS]) + more)] if told else []
    rows += [("holds" if k == 0 else "", hold["words"]) for k, hold in enumerate(r["holds"])]
    rows.append(("in the air", f"{100 * r['flight']:3.0f} %"))
    return rows


def _limb(name: str) -> str:
    return name.replace("_", " ") if name.endswith("hand") else f"{name} foot"


def _rows(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A title over aligned names and wrapped values."""
    lines = [title] if title else []
    for name, value in rows:
        lines += textwrap.wrap(value, WIDTH, initial_indent=f"  {name:<12}", subsequent_indent=" " * 14) or [
            f"  {name}"
        ]
    return "\n".join(lines)


def _columns(title: str, cells: list[str]) -> str:
    """A title over cells in two columns, read downwards."""
    half = (len(cells) + 1) // 2
    left, right = cells[:half], cells[half:] + [""] * (half - len(cells[half:]))
    return "\n".join([title, *(f"  {a:<52}{b}".rstrip() for a, b in zip(left, right, strict=True))])


def _paragraph(title: str, words: str) -> str:
    return "\n".join([title, *textwrap.wrap(words, WIDTH, initial_indent="  ", subsequent_indent="  ")])


def _list(title: str, sentences: Iterable[str]) -> str:
    items = [line for s in sentences
             for line in textwrap.wrap(s, WIDTH, initial_indent="  - ", subsequent_indent="    ")]  # fmt: skip
    return "\n".join([title, *items]) if items else ""


HEAD = ("file", "height", "unit", "up", "fps", "frames", "floor", "tilt", "left", "right", "steps", "air", "skate",
        "sink", "fall", "spikes", "warnings")  # fmt: skip
UNITS = ("", "m", "m", "", "", "", "cm", "cm/m", "%", "%", "", "%", "cm/s", "cm", "m/s²", "", "")


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """One line a clip, from dictionaries of `CheckReport.to_dict` with a "file"; a row with an "error" shows it."""
    cells = [(HEAD, ""), (UNITS, ""), *(_cells(r) for r in rows)]
    widths = [max(len(c[k]) for c, error in cells if not error) for k in range(len(HEAD))]
    widths[0] = max(len(c[0]) for c, _ in cells)
    lines = []
    for row, error in cells:
        first = f"{row[0]:<{widths[0]}}"
        rest = error or "  ".join(f"{c:>{w}}" for c, w in zip(row[1:], widths[1:], strict=True))
        lines.append(f"{first}  {rest}".rstrip())
    return "\n".join(lines)


def _cells(r: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    name = printable(str(r["file"]).replace("\\", "/").rsplit("/", 1)[-1])
    if "error" in r:
        return (name, *[""] * (len(HEAD) - 1)), "cannot be read: " + str(r["error"])
    steps = sum(len(r["contacts"].get(side, ())) for side in ("left", "right"))
    g, floor = r["free_fall"]["g"], r["floor"]
    return (
        name, f"{r['height']:.2f}", "-" if r["unit"] is None else f"{r['unit']:.4g}", r["up"] or "-", f"{r['fps']:.0f}",
        str(r["frames"]), f"{100 * floor['height']:+.1f}" if floor["known"] else "?", f"{floor['rise']:.1f}",
        f"{100 * r['share']['left']:.0f}", f"{100 * r['share']['right']:.0f}", str(steps), f"{100 * r['flight']:.0f}",
        f"{100 * r['skating']:.1f}", f"{100 * r['penetration']:.1f}", "-" if g is None else f"{g:.1f}",
        str(len(r["spikes"])), str(len(r["warnings"])),
    ), ""  # fmt: skip
