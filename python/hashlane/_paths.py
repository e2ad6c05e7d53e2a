"""What is taken for a path."""

from __future__ import annotations

import os

StrOrBytesPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]
