"""Plain numbers out of text, compiled: the motion block of a file in one pass over its bytes."""

from __future__ import annotations

import numpy as np
from numba import njit

from poise.maths.rotations import Array

LIMIT = 1e9  # no length, angle or time of a motion is larger; what is comes from a broken file

_POWERS = 10.0 ** np.arange(23)  # exactly representable
_DONE, _WORD, _HUGE = 0, 1, 2


def scan(text: np.ndarray, room: int) -> tuple[Array, int, int]:
    """Numbers separated by white space in text (bytes as uint8, (B,)).

    Gives the first `room` numbers, how many there are in all, and -1; or, where something is not a number of
    magnitude below `LIMIT`, the numbers before it, their count and the place in the text where it begins.
    Up to 15 digits are read exactly, more to the last bit or its neighbour.
    """
    values = np.empty(max(0, min(room, len(text) // 2 + 1)))
    count, status, place = _scan(text, values, _POWERS)
    return values[: min(count, len(values))], count, -1 if status == _DONE else place


def word_at(text: np.ndarray, place: int) -> str:
    """The word that begins at `place`, shortened, for a message."""
    word = bytes(text[place : place + 24]).split()
    return word[0].decode("latin-1") if word else ""


@njit(cache=True)
def _scaled(mantissa, exponent, powers):
    """mantissa × 10^exponent to within one unit in the last place."""
    if mantissa < 9007199254740992 and -22 <= exponent <= 22:  # both exactly representable: one correct rounding
        return mantissa / powers[-exponent] if exponent < 0 else mantissa * powers[exponent]
    high, low = float(mantissa & ~np.uint64(2047)), float(mantissa & np.uint64(2047))
    if -22 <= exponent < 0:
        p = powers[-exponent]
        ratio = (high + low) / p
        # what the quotient missed, by Dekker's exact product of ratio and p
        a, b = 134217729.0 * ratio, 134217729.0 * p
        a_high, b_high = a - (a - ratio), b - (b - p)
        a_low, b_low = ratio - a_high, p - b_high
        product = ratio * p
        error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
        return ratio + (((high - product) - error) + low) / p
    value = high + low
    if value == 0.0:
        return 0.0
    while exponent < -22 and value > 0.0:
        value /= 1e22
        exponent += 22
    while exponent > 22 and value < 1e300:
        value *= 1e22
        exponent -= 22
    if exponent > 22:
        return np.inf
    return value / powers[-exponent] if exponent < 0 else value * powers[exponent]


@njit(cache=True)
def _scan(text, values, powers):
    """Count of numbers, status and, where it stopped early, the place."""
    size, room, i, count = len(text), len(values), 0, 0
    while True:
        while i < size and (text[i] == 32 or 9 <= text[i] <= 13):
            i += 1
        if i == size:
            return count, _DONE, i
        begin, negative = i, text[i] == 45
        if negative or text[i] == 43:
            i += 1
        mantissa, exponent, digits, seen, point = np.uint64(0), 0, 0, False, False
        while i < size:
            c = text[i]
            if 48 <= c <= 57:
                seen = True
                if digits < 19:
                    mantissa = mantissa * np.uint64(10) + np.uint64(c - 48)
                    if mantissa > 0:
                        digits += 1
                    if point:
                        exponent -= 1
                elif not point:
                    exponent += 1
            elif c == 46 and not point:
                point = True
            else:
                break
            i += 1
        if seen and i < size and (text[i] == 101 or text[i] == 69):
            i += 1
            down = i < size and text[i] == 45
            if i < size and (down or text[i] == 43):
                i += 1
            power, seen = 0, False
            while i < size and 48 <= text[i] <= 57:
                seen = True
                power = min(power * 10 + (text[i] - 48), 100000)
                i += 1
            exponent += -power if down else power
        if not seen or (i < size and not (text[i] == 32 or 9 <= text[i] <= 13)):
            return count, _WORD, begin
        value = _scaled(mantissa, exponent, powers)
        if value > LIMIT:
            return count, _HUGE, begin
        if count < room:
            values[count] = -value if negative else value
        count += 1
