"""Columns: tables that grow row by row in memory and move to raw files on disk when told."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from poise.maths.rotations import Array


class Column:
    """Rows of `width` numbers: the newest in memory, older ones in a file once `flush` was called.

    The memory doubles when it is full, so a row costs one copy. A file holds nothing but the rows; one that was cut
    short by a crash or a full disk is whole up to its last complete row.
    """

    __slots__ = ("count", "data", "name", "shape", "width", "written")

    def __init__(self, name: str, shape: tuple[int, ...], capacity: int = 256):
        self.name, self.shape = name, shape
        self.width = int(np.prod(shape, dtype=int))
        self.data = np.empty((capacity, self.width))
        self.count = 0  # rows in memory
        self.written = 0  # rows in the file

    def __len__(self) -> int:
        return self.written + self.count

    def row(self, values: Array | float) -> None:
        """Append one row, of the column's shape or flat."""
        if self.count == len(self.data):
            self._grow(self.count + 1)
        self.data[self.count] = values if self.width == 1 or len(self.shape) == 1 else np.ravel(values)
        self.count += 1

    def rows(self, mark: float, values: Array) -> None:
        """Append rows (K, width - 1), each after the number `mark`."""
        new = self.count + len(values)
        if new > len(self.data):
            self._grow(new)
        block = self.data[self.count : new]
        block[:, 0] = mark
        block[:, 1:] = values
        self.count = new

    def fill(self, rows: int) -> None:
        """Append rows of NaN until there are `rows` of them."""
        missing = rows - len(self)
        if missing > 0:
            self._grow(self.count + missing)
            self.data[self.count : self.count + missing] = np.nan
            self.count += missing

    def _grow(self, needed: int) -> None:
        if needed > len(self.data):
            larger = np.empty((max(needed, 2 * len(self.data)), self.width))
            larger[: self.count] = self.data[: self.count]
            self.data = larger

    def flush(self, folder: Path) -> None:
        """Move the rows in memory to the end of the file; when that fails they stay, and the file is as it was."""
        if not self.count:
            return
        file, whole = folder / f"{self.name}.raw", 8 * self.width * self.written
        with open(file, "r+b" if file.exists() else "wb", buffering=0) as stream:
            try:
                stream.seek(whole)  # an earlier attempt may have been interrupted after its bytes were written
                _write(stream.fileno(), self.data[: self.count].data.cast("B"))
            except OSError:
                os.ftruncate(stream.fileno(), whole)
                raise
        self.written, self.count = self.written + self.count, 0  # nothing can come between the two

    @property
    def unwritten(self) -> int:
        """Bytes that `flush` would write now."""
        return 8 * self.width * self.count

    def array(self, folder: Path | None) -> Array:
        """All rows (N, *shape): those of the file, then those in memory."""
        parts = [] if folder is None or not self.written else [read(folder, self.name, self.width)[: self.written]]
        out = np.concatenate([*parts, self.data[: self.count]])
        return out.reshape(len(out), *self.shape)


def read(folder: Path, name: str, width: int) -> Array:
    """The whole rows (N, width) in a column's file; none where there is no file."""
    file = folder / f"{name}.raw"
    if not file.exists():
        return np.empty((0, width))
    numbers = np.fromfile(file, np.float64, count=file.stat().st_size // (8 * width) * width)
    return numbers.reshape(-1, width)


def _write(descriptor: int, data: memoryview) -> None:
    """All of the bytes, however little the system takes at once."""
    while len(data):
        data = data[os.write(descriptor, data) :]
