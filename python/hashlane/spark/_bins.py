"""What a task reads: files that follow each other in order of names, and have a certain number of bytes together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator


def listed(source: bytes) -> list[tuple[bytes, int]]:
    """The regular files below a directory with their sizes, in byte order of the names.

    What cannot be listed is among them, so that reading it says why.
    """
    found: list[tuple[bytes, int]] = []
    waiting = [source]
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        found.append((entry.path, _size(entry)))
        except OSError:
            found.append((directory, 0))
    found.sort()
    return found


def _size(entry: os.DirEntry[bytes]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def bins(files: Iterable[tuple[bytes, int]], max_bytes: int, max_files: int) -> Iterator[list[bytes]]:
    """Cuts a listing. A file that is larger than a bin has one of its own."""
    paths: list[bytes] = []
    filled = 0
    for path, size in files:
        if paths and (filled + size > max_bytes or len(paths) == max_files):
            yield paths
            paths, filled = [], 0
        paths.append(path)
        filled += size
    if paths:
        yield paths
