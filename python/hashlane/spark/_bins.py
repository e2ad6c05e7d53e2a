"""What a task reads: files that follow each other in order of names, and have a certain number of bytes together."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import hashlane
import pyarrow

if TYPE_CHECKING:
    from hashlane._paths import StrOrBytesPath


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a task reads, at most. A file that is larger has a task of its own."""

    size: int
    files: int

    def __post_init__(self) -> None:
        if self.size < 1 or self.files < 1:
            raise ValueError("bin_bytes and bin_files must be 1 or more")


@dataclass(frozen=True, slots=True)
class Bin:
    """The files of a task. All bins of a listing are in the memory of the driver, so names are compressed."""

    packed: bytes
    size: int
    """Bytes of all files, as far as the listing could tell."""
    files: int
    all_seen: bool
    """Whether the listing could look at all of them. A directory that could not be listed is among those at which it could not."""
    key: str
    """A digest of names, sizes and times: what was read of a bin with this key is still good."""

    def paths(self) -> list[bytes]:
        return zlib.decompress(self.packed).split(b"\0")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files are listed."""

    roots: list[bytes]
    follow: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def bins(self, limits: Limits) -> Iterator[Bin]:
        listing = hashlane.list_files(
            self.roots, follow=self.follow, include=self.include, exclude=self.exclude
        )
        return bins(listing, limits)


def bins(listing: Iterable[pyarrow.RecordBatch], limits: Limits) -> Iterator[Bin]:
    """Cuts a listing."""
    open_bin = _Open()
    for batch in listing:
        for path, size, *times in _rows(batch):
            if open_bin.paths and (
                open_bin.size + (size or 0) > limits.size or len(open_bin.paths) == limits.files
            ):
                yield open_bin.closed()
                open_bin = _Open()
            open_bin.add(path, size, times)
    if open_bin.paths:
        yield open_bin.closed()


def absolute(source: StrOrBytesPath) -> bytes:
    """A source as all nodes know it."""
    name = os.fsencode(source)
    if not name:
        # Of a variable that is not set: it would be the current directory.
        raise ValueError("the source has no name")
    # Where Spark Connect is used, the server has another current directory.
    return name if are_objects(name) else os.path.abspath(name)


def are_objects(source: bytes) -> bool:
    """Whether this names objects of a store, and not files."""
    return re.match(rb"[A-Za-z][A-Za-z0-9+.-]*://", source) is not None


def in_order(roots: Iterable[str]) -> list[bytes]:
    """Roots in the order of what lies below them."""
    return sorted(map(os.fsencode, roots), key=lambda root: root.rstrip(b"/") + b"/")


class _Open:
    def __init__(self) -> None:
        self.paths: list[bytes] = []
        self.size = 0
        self._all_seen = True
        self._key = hashlane.new("blake3")

    def add(self, path: bytes, size: int | None, times: list[int | None]) -> None:
        self.paths.append(path)
        self.size += size or 0
        self._all_seen &= size is not None
        self._key.update(repr((path, size, times)).encode())

    def closed(self) -> Bin:
        packed = zlib.compress(b"\0".join(self.paths), 1)
        return Bin(packed, self.size, len(self.paths), self._all_seen, self._key.hexdigest()[:32])


def _rows(batch: pyarrow.RecordBatch) -> Iterator[tuple[bytes, int | None, *tuple[int | None, ...]]]:
    # Not as times of Python, which end in the year 9999.
    times = ("mtime", "mtime_nanos", "ctime", "ctime_nanos")
    columns = [batch.column(name).cast(pyarrow.int64()) for name in times]
    return zip(*(column.to_pylist() for column in (batch.column("path"), batch.column("size_bytes"), *columns)))
