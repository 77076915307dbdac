"""Plain numbers out of text, compiled: the motion block of a file in one pass over its bytes."""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

LIMIT = 1e9  # no length, angle or time of a motion is larger; what is comes from a broken file

_POWERS = 10.0 ** np.arange(23)  # exactly representable
_DONE, _WORD, _HUGE = 0, 1, 2


def scan(text: np.ndarray, room: int) -> tuple[Array, int, int]:
    """Numbers separated by white space in text (bytes as uint8, (B,)).

    Gives the first `room` numbers, how many there are in all, and -1; or, where something is not a number of
    magnitude below `LIMIT`, the numbers before it, their count and the place in the text where it begins.
    Up to 15 digits are read exactly, more to within two units in the last place (of a number above 1e-25).
    """
    values = np.empty(max(0, min(room, len(text) // 2 + 1)))
    count, status, place = _scan(text, values, _POWERS)
    return values[: min(int(count), len(values))], int(count), -1 if status == _DONE else int(place)


def word_at(text: np.ndarray, place: int) -> str:
    """The word that begins at `place`, shortened, for a message."""
    word = bytes(text[place : place + 24]).split()
    return word[0].decode("latin-1") if word else ""


@njit(cache=True, error_model="numpy")
def _scaled(mantissa, exponent, powers):
    """mantissa × 10^exponent to within two units in the last place where it is above 1e-25."""
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
    while exponent < -22 and value > 0.0:
        value /= 1e22
        exponent += 22
    while exponent > 22 and 0.0 < value < 1e300:
        value *= 1e22
        exponent -= 22
    if abs(exponent) > 22:  # too small or too large for any power to matter
        return 0.0 if value == 0.0 else np.inf
    return value / powers[-exponent] if exponent < 0 else value * powers[exponent]


@njit(cache=True, error_model="numpy")
def _any_number(text, i, powers):
    """The number that begins at i, of any length and notation: its value, its end, and is it one?"""
    size, negative = len(text), text[i] == 45
    if negative or text[i] == 43:
        i += 1
    mantissa, exponent, digits, seen, point = np.uint64(0), 0, 0, False, False
    while i < size:
        c = text[i]
        if 48 <= c <= 57:
            seen = True
            if digits < 19:  # what 64 bits hold; later digits only count
                mantissa = mantissa * np.uint64(10) + np.uint64(c - 48)
                digits += 1 if mantissa > 0 else 0
                exponent -= 1 if point else 0
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
    value = _scaled(mantissa, exponent, powers)
    return -value if negative else value, i, seen and (i == size or text[i] == 32 or 9 <= text[i] <= 13)


@njit(cache=True, error_model="numpy")
def _scan(text, values, powers):
    """Count of numbers, status and, where it stopped early, the place."""
    one, ten = np.uint64(1), np.uint64(10)  # unsigned, since a signed index costs a test for each byte
    size, room, i, count = np.uint64(len(text)), np.uint64(len(values)), np.uint64(0), np.uint64(0)
    while True:
        while i < size and (text[i] == 32 or np.uint8(text[i] - np.uint8(9)) < 5):
            i += one
        if i == size:
            return np.int64(count), _DONE, np.int64(i)
        begin, negative = i, text[i] == 45
        if negative:
            i += one
        first, mantissa, places = i, np.uint64(0), np.uint64(0)
        while i < size and np.uint8(text[i] - np.uint8(48)) < 10:
            mantissa = mantissa * ten + np.uint64(text[i] - np.uint8(48))
            i += one
        if i < size and text[i] == 46:
            i += one
            point = i
            while i < size and np.uint8(text[i] - np.uint8(48)) < 10:
                mantissa = mantissa * ten + np.uint64(text[i] - np.uint8(48))
                i += one
            places = i - point
        # short and plain numbers, nearly all there are, are exact by one division; the others go the long way
        if 2 <= i - first <= 16 and (i == size or text[i] == 32 or np.uint8(text[i] - np.uint8(9)) < 5):
            value = np.float64(mantissa) / powers[places]
            if negative:
                value = -value
        else:
            value, end, good = _any_number(text, np.int64(begin), powers)
            if not good:
                return np.int64(count), _WORD, np.int64(begin)
            i = np.uint64(end)
        if not abs(value) < LIMIT:
            return np.int64(count), _HUGE, np.int64(begin)
        if count < room:
            values[count] = value
        count += one
