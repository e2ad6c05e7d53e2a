"""What is taken for a path, and for names of files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable

StrOrBytesPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def globs(patterns: str | Iterable[str]) -> list[str]:
    """Globs, or one glob."""
    return [patterns] if isinstance(patterns, str) else list(patterns)


def names(paths: StrOrBytesPath | Iterable[StrOrBytesPath]) -> list[bytes]:
    """Names, or one name."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = (paths,)
    if isinstance(paths, io.IOBase):
        # Its lines are names with a newline at the end, which no file has.
        raise ValueError(f"{getattr(paths, 'name', 'paths')}: is an open file, not a name; of a list of names pass its lines without their ends")
    return [os.fsencode(path) for path in paths]
