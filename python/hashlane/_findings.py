"""What checks, audits and comparisons find."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

    from hashlane import _hashlane


class Verdict(StrEnum):
    """What happened to a file, as ``check`` and ``audit`` judge it. Only ``OK`` and ``TOUCHED`` are passes."""

    OK = "ok"
    CHANGED = "changed"
    CORRUPT = "corrupt"
    MOVED = "moved"
    COPIED = "copied"
    DUPLICATE_LOST = "duplicate-lost"
    NEW = "new"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    COLLISION = "collision"
    SIZE_ONLY = "size-only"
    UNVERIFIED = "unverified"
    EXCLUDED = "excluded"
    UNSTABLE = "unstable"
    TOUCHED = "touched"
    REGISTERED = "registered"
    IGNORED = "ignored"
    NOT_CHECKED = "not-checked"


class Difference(StrEnum):
    """How a name differs between A and B, as ``diff`` compares them. From ``UNREADABLE`` on it cannot be decided."""

    SAME = "same"
    CHANGED = "changed"
    CORRUPT = "corrupt"
    COLLISION = "collision"
    NEW = "new"
    MISSING = "missing"
    CONFLICT = "conflict"
    UNREADABLE = "unreadable"
    SIZE_ONLY = "size-only"
    UNVERIFIED = "unverified"
    EXCLUDED = "excluded"
    UNSTABLE = "unstable"


class CollectionVerdict(StrEnum):
    """What an audit of a collection says of a file."""

    CORRUPT = "corrupt"
    COLLISION = "collision"
    MISSING = "missing"
    CHANGED = "changed"
    UNREADABLE = "unreadable"
    UNSTABLE = "unstable"
    UNSTABLE_MEDIUM = "unstable-medium"
    SUSPECT = "suspect"
    CONTRADICTED = "contradicted"
    MISREAD = "misread"
    NEW = "new"
    MOVED = "moved"
    MOVED_AWAY = "moved-away"
    COPIED = "copied"
    TOUCHED = "touched"
    GROWN = "grown"
    NOT_FOUND_YET = "not-found-yet"
    NOT_CHECKED = "not-checked"
    IGNORED = "ignored"
    OFFLINE = "offline"
    HELD = "held"
    REGISTERED = "registered"
    INTACT = "intact"


V = TypeVar("V", bound=StrEnum)


class Content(NamedTuple):
    """Size and digests of a file."""

    size: int | None
    """In bytes."""
    digests: dict[str, str]
    """In hexadecimal, by algorithm."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[V]):
    """What was found of one file."""

    path: str
    """Its name. One that is not UTF-8 is in the form of ``os.fsdecode``, which ``open`` takes."""
    verdict: V
    reason: str | None
    """Why it was not read, or what else there is to say of it."""
    errno: int | None
    """The system's number of the error, if it was one."""
    other: str | None
    """The other file that the verdict refers to: from where it was moved or copied."""
    known: Content | None
    """What was known of its content; of a difference, what A has."""
    seen: Content | None
    """What was read; of a difference, what B has."""


@dataclass(frozen=True, slots=True)
class Report(Generic[V]):
    """What it all came to."""

    passed: bool
    """Something was verified, nothing differs, and nothing is in doubt."""
    in_doubt: bool
    """Something is in doubt that no finding shows: it did not come to its end, nothing was compared, or there are such problems."""
    ended: str
    """How it ended: ``complete``, or why it was not."""
    counts: dict[V, int]
    """How many files got which verdict."""
    problems: list[str]
    """What no finding shows: lines that cannot be parsed, directories that cannot be searched."""
    files: int
    """Files that were read."""
    size: int
    """Their bytes."""


class Findings(Iterator[Finding[V]]):
    """Findings, one after the other as they become available. Reading goes on in threads of its own, and ends when this is dropped."""

    def __init__(self, native: _hashlane.Findings, verdict: type[V]) -> None:
        self._native = native
        self._verdict = verdict

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Finding[V]:
        path, verdict, reason, errno, other, known, seen = next(self._native)
        return Finding(path, self._verdict(verdict), reason, errno, other, _content(known), _content(seen))

    def report(self) -> Report[V]:
        """What it all came to. Findings that were not taken are dropped."""
        for _ in self._native:
            pass
        report = self._native.report()
        if report is None:
            raise ValueError("it did not come to its end")
        counts = {self._verdict(verdict): files for verdict, files in report["counts"].items()}
        return Report(
            report["passed"],
            report["in_doubt"],
            report["ended"],
            counts,
            report["problems"],
            report["files"],
            report["size"],
        )


def _content(content: tuple[int | None, list[tuple[str, str]]] | None) -> Content | None:
    if content is None:
        return None
    size, digests = content
    return Content(size, {sys.intern(algorithm): digest for algorithm, digest in digests})
