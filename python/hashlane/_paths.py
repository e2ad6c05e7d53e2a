"""What is taken for a path, and for names of files."""

from __future__ import annotations

import os
from collections.abc import Iterable

StrOrBytesPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def globs(patterns: str | Iterable[str]) -> list[str]:
    """Globs, or one glob."""
    return [patterns] if isinstance(patterns, str) else list(patterns)
