"""Exit codes: those of ``hashlane check --audit``."""

from __future__ import annotations

from functools import reduce

import hashlane
from hashlane import Verdict, _hashlane

UNREADABLE = 16
USAGE = 64
INTERNAL = 70
OUTPUT = 74
NOT_JUDGED = 75
INTERRUPTED = 130

_BITS = _hashlane.verdict_bits()


def exit_code(report: hashlane.Report[Verdict]) -> int:
    """What was found, as bits that add up. Whatever is not known to be well is in doubt."""
    codes = (_BITS[verdict.value] for verdict in report.counts)
    return reduce(int.__or__, codes, UNREADABLE if report.in_doubt else 0)
