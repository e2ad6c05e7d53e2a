"""Checks and audits: what is known against what is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hashlane import _hashlane
from hashlane._findings import CollectionVerdict, Difference, Findings, Verdict
from hashlane._paths import globs, names

if TYPE_CHECKING:
    from hashlane._paths import StrOrBytesPath


def check(
    manifest: StrOrBytesPath | Iterable[StrOrBytesPath],
    base: StrOrBytesPath | None = None,
    *,
    strip_prefix: StrOrBytesPath | None = None,
    algorithm: str | None = None,
    format: str | None = None,
    complete: bool = False,
    jobs: int | None = None,
) -> Findings[Verdict]:
    """Reads the files that manifests list, and compares them with their digests.

    Listed names are relative to the directory ``base``, or to a prefix of objects (``s3://BUCKET/PREFIX``), and must not lead out of it;
    without one they are relative to the current directory, as for ``sha256sum -c``, or whole names of objects. Absolute names that begin with ``base``
    are relative to it. ``strip_prefix`` is taken off names that begin with it. ``algorithm`` and ``format`` are needed only for manifests that do not tell them. With ``complete``
    files are looked for that are not listed; their verdict is ``new``.
    """
    return Findings(
        _hashlane.check(
            names(manifest),
            None if base is None else os.fsencode(base),
            strip_prefix=None if strip_prefix is None else os.fsencode(strip_prefix),
            algorithm=algorithm,
            format=format,
            complete=complete,
            jobs=jobs,
        ),
        Verdict,
    )


def audit(
    manifest: StrOrBytesPath | Iterable[StrOrBytesPath],
    source: StrOrBytesPath | None = None,
    *,
    seen: StrOrBytesPath | Iterable[StrOrBytesPath] | None = None,
    strip_prefix: StrOrBytesPath | None = None,
    algorithm: str | None = None,
    format: str | None = None,
    follow: bool = False,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    jobs: int | None = None,
) -> Findings[Verdict]:
    """Reads all files of a tree, and says what became of those that manifests list: which are as they were, changed, moved, copied, missing
    or new.

    Listed names are relative to the directory ``source``, or to a prefix of objects (``s3://BUCKET/PREFIX``), also absolute or whole ones that begin with it,
    as those of ``sum_files(source)`` do. Without a source they are relative to the current directory, and the trees are those that the
    manifests were made of, as their headers say. ``strip_prefix`` is taken off names that begin with it: those of a tree that has moved.

    ``seen`` are manifests that other machines have written of the same source, by the algorithms that are listed, in a format that has sizes,
    such as tables of ``sum_files``. Then nothing is read but listed files that they did not come to. Verdicts are by the same rules.
    """
    return Findings(
        _hashlane.audit(
            names(manifest),
            None if source is None else os.fsencode(source),
            seen=None if seen is None else names(seen),
            strip_prefix=None if strip_prefix is None else os.fsencode(strip_prefix),
            algorithm=algorithm,
            format=format,
            follow=follow,
            include=globs(include),
            exclude=globs(exclude),
            jobs=jobs,
        ),
        Verdict,
    )


def diff(
    a: StrOrBytesPath,
    b: StrOrBytesPath,
    base: StrOrBytesPath | None = None,
    *,
    strip_prefix: StrOrBytesPath | None = None,
    algorithm: str | None = None,
    format: str | None = None,
    jobs: int | None = None,
) -> Findings[Difference]:
    """Compares two manifests, or a manifest and a directory, name by name, and yields what differs. ``known`` is what A has, and ``seen`` what
    B has.

    Of a directory, names are compared as ``hashlane sum`` would write them; with ``base``, listed names are relative to that directory, or
    begin with it. ``strip_prefix`` is taken off names that begin with it.
    """
    return Findings(
        _hashlane.diff(
            os.fsencode(a),
            os.fsencode(b),
            None if base is None else os.fsencode(base),
            strip_prefix=None if strip_prefix is None else os.fsencode(strip_prefix),
            algorithm=algorithm,
            format=format,
            jobs=jobs,
        ),
        Difference,
    )


def audit_collection(
    name: str,
    catalog: StrOrBytesPath | None = None,
    *,
    due: bool = False,
    reason: str = "",
    jobs: int | None = None,
    endpoint: str | None = None,
    region: str | None = None,
    credentials: Mapping[str, str] | None = None,
    max_requests: int | None = None,
) -> Findings[CollectionVerdict]:
    """Audits a collection that ``hashlane collection add`` has registered, and records in the catalogue what it finds, as the command
    ``hashlane audit`` does.

    ``catalog`` is the file of the catalogue; ``None`` is the one that ``HASHLANE_CATALOG`` names, or else the usual one. With ``due`` only
    files are read that are due under the promise of the collection, and those that are new or look changed. The findings are those of this
    audit; whether the report is passed depends on all that stands against the collection. An audit that is interrupted goes on when it is
    asked for again.

    A collection in an object store is reached as the catalogue says, unless ``endpoint``, the URL of a server, or ``region`` is given, and
    at most ``max_requests`` requests are made. ``credentials`` are variables
    as the provider's own programs know them, such as ``{"AWS_PROFILE": "backup"}``, or ``AWS_ACCESS_KEY_ID`` and
    ``AWS_SECRET_ACCESS_KEY``. They stand for all variables of the environment that begin with ``AWS_``, ``AZURE_`` or ``GOOGLE_``, and
    are not kept.
    """
    return Findings(
        _hashlane.audit_collection(
            name,
            None if catalog is None else os.fsencode(catalog),
            due=due,
            actor=_actor(),
            reason=reason,
            jobs=jobs,
            endpoint=endpoint,
            region=region,
            credentials=None if credentials is None else dict(credentials),
            max_requests=max_requests,
        ),
        CollectionVerdict,
    )


def _actor() -> str:
    names = (os.environ.get(name) for name in ("SUDO_USER", "USER", "LOGNAME"))
    return next((name for name in names if name), f"uid {os.getuid()}")
