"""Digests of files and trees."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from hashlane import _hashlane
from hashlane._paths import globs, names

if TYPE_CHECKING:
    import pyarrow

    from hashlane._paths import StrOrBytesPath


def sum_files(
    paths: StrOrBytesPath | Iterable[StrOrBytesPath],
    algorithms: str | Iterable[str] = ("sha256",),
    *,
    recursive: bool = True,
    follow: bool = False,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    jobs: int | None = None,
) -> pyarrow.RecordBatchReader:
    """Reads files and directories, and returns a row for each file, as it becomes available.

    The rows are those that ``hashlane sum --manifest-format parquet`` writes, in the order of the paths and, below a directory, in byte
    order of the names. A file that cannot be read is a row as well: ``outcome`` is ``failed`` or ``unstable``, and ``errno``, ``status``
    or ``obstacle`` and ``error`` say why.

    Paths may be names of objects (``s3://BUCKET/PREFIX``, ``gs://``, ``az://``, ``https://``) instead, of a store that is reached as the
    environment says. ``include`` and ``exclude`` are globs, ``follow`` follows symbolic links that are found below a directory, and
    ``jobs`` is the number of threads, one on each core if it is ``None``.

    Reading goes on in threads of its own, a few batches ahead. It ends when the reader is dropped.
    """
    return read_files(
        paths, algorithms, recursive=recursive, follow=follow, include=include, exclude=exclude, jobs=jobs
    )


def read_files(
    paths: StrOrBytesPath | Iterable[StrOrBytesPath],
    algorithms: str | Iterable[str],
    *,
    recursive: bool,
    follow: bool = False,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    jobs: int | None = None,
    identity: bool = False,
) -> pyarrow.RecordBatchReader:
    """``sum_files``, if ``identity`` is asked for with two columns more: ``ctime_ns`` and ``inode``, which tell a file from another one that lies
    under its name later."""
    if isinstance(algorithms, str):
        algorithms = (algorithms,)
    batches = _hashlane.sum_files(
        names(paths),
        list(algorithms),
        recursive=recursive,
        follow=follow,
        include=globs(include),
        exclude=globs(exclude),
        jobs=jobs,
        identity=identity,
    )
    return _reader(batches)


def list_files(
    paths: StrOrBytesPath | Iterable[StrOrBytesPath],
    *,
    follow: bool = False,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    jobs: int | None = None,
) -> pyarrow.RecordBatchReader:
    """Lists what ``sum_files`` would read, without reading it: ``path``, ``size_bytes``, ``mtime`` and ``mtime_nanos``, in the same order, and
    ``ctime`` and ``ctime_nanos``, when anything about a file was changed last, which objects do not have.

    What could not be listed or looked at has neither size nor time; ``sum_files`` says why. A store that cannot be listed to its end is an
    error. Listing goes on in threads of its own, a few batches ahead.

    ``jobs`` is the number of threads that list directories before the listing comes to them, and of those that look at files, eight if it is
    ``None``: over a network each of them is a round trip. The listing itself is one more. With ``follow`` directories are listed by one, and so are
    prefixes of objects.
    """
    batches = _hashlane.list_files(
        names(paths),
        follow=follow,
        include=globs(include),
        exclude=globs(exclude),
        jobs=jobs,
    )
    return _reader(batches)


def _reader(batches: _hashlane.Batches) -> pyarrow.RecordBatchReader:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("tables of files need pyarrow; install hashlane[arrow]") from error

    # Not from_stream: what an iterator raises reaches the caller as it is, and a stream of C has only texts.
    # Types of others know the protocol of record_batch, and not yet that of schema.
    schema = pyarrow.schema(cast("Any", batches))
    return pyarrow.RecordBatchReader.from_batches(schema, map(pyarrow.record_batch, batches))
