"""Exit codes: those of ``hashlane check --audit``."""

from __future__ import annotations

from functools import reduce

import hashlane
from hashlane import Verdict

EXTRA = 1
MISSING = 2
MISMATCH = 4
CORRUPT = 8
UNREADABLE = 16
USAGE = 64
INTERNAL = 70
OUTPUT = 74
NOT_JUDGED = 75
INTERRUPTED = 130

_CODES = {
    Verdict.OK: 0,
    Verdict.EXCLUDED: 0,
    Verdict.TOUCHED: 0,
    Verdict.REGISTERED: 0,
    Verdict.IGNORED: 0,
    Verdict.NEW: EXTRA,
    Verdict.COPIED: EXTRA,
    Verdict.MISSING: MISSING,
    Verdict.DUPLICATE_LOST: MISSING,
    Verdict.MOVED: EXTRA | MISSING,
    Verdict.CHANGED: MISMATCH,
    Verdict.COLLISION: MISMATCH,
    Verdict.CORRUPT: CORRUPT,
}


def exit_code(report: hashlane.Report[Verdict]) -> int:
    """What was found, as bits that add up. Whatever is not known to be well is in doubt."""
    codes = (_CODES.get(verdict, UNREADABLE) for verdict in report.counts)
    return reduce(int.__or__, codes, UNREADABLE if report.in_doubt else 0)
