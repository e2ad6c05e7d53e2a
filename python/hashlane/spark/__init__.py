"""Fingerprints and audits trees on a cluster of Spark 4, by the code that reads and judges on one machine.

``python -m hashlane.spark audit`` does the same from the command line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import hashlane
from hashlane._paths import globs

if TYPE_CHECKING:
    from hashlane._paths import StrOrBytesPath
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["audit", "fingerprint"]

_MISSING = "hashlane.spark needs pyspark and pyarrow; install hashlane[spark]"


def fingerprint(
    spark: SparkSession,
    source: StrOrBytesPath,
    algorithms: str | Iterable[str] = ("sha256",),
    *,
    follow: bool = False,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    bin_bytes: int = 1 << 30,
    bin_files: int = 10_000,
) -> DataFrame:
    """Reads all files of a tree that all nodes see at the same place, or all objects below ``s3://BUCKET/PREFIX``, and returns a row for each.

    The rows and their columns are those of ``hashlane.sum_files``. A file that cannot be read is a row as well. A task reads files of
    ``bin_bytes`` together, and ``bin_files`` at most. A file that is larger is read by several tasks if BLAKE3 alone is asked for, and else by
    one. With BLAKE3 alone, the rows of all files pass through an exchange (a shuffle) that brings the pieces of a file together. Each use of
    the result reads the files again.
    """
    try:
        from hashlane.spark._bins import Limits, Selection, absolute
        from hashlane.spark._pieces import COLUMN, joined
        from hashlane.spark._source import Fingerprints, Request
    except ImportError as error:
        raise ImportError(_MISSING) from error

    if isinstance(algorithms, str):
        algorithms = (algorithms,)
    names = list(algorithms)
    if not names:
        raise ValueError("no algorithm is named")
    selection = Selection([absolute(source)], follow, tuple(globs(include)), tuple(globs(exclude)))
    request = Request(selection, names, Limits(bin_bytes, bin_files))
    spark.dataSource.register(Fingerprints)
    frame = spark.read.format(Fingerprints.name()).option("request", request.to_text()).load()
    if not request.splits:
        return frame
    # The pieces of one file meet, wherever they were read. Rows only pass.
    return frame.repartition("path").mapInArrow(joined, frame.drop(COLUMN).schema)


def audit(
    spark: SparkSession,
    known: StrOrBytesPath | Iterable[StrOrBytesPath],
    source: StrOrBytesPath,
    out: StrOrBytesPath,
    *,
    strip_prefix: StrOrBytesPath | None = None,
    algorithm: str | None = None,
    format: str | None = None,
    include: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    bin_bytes: int = 1 << 30,
    bin_files: int = 10_000,
) -> DataFrame:
    """Audits a tree that all nodes see at the same place, or objects, by manifests, and returns the verdicts.

    Verdicts are those of ``hashlane.audit(known, source)``, by its rules: names that begin with the source
    are relative to it, and ``strip_prefix`` is taken off. Symbolic links are not followed. ``out`` is a new directory outside
    of the source that all nodes see at the same place: what was read and the verdicts are written there as tables, and ``_manifest.json`` last.
    A job that was broken off goes on if it is run again; one that is complete is not run again. Whether the audit has passed is in
    ``_manifest.json``: what no verdict shows, such as a directory that could not be searched, is there only.
    """
    try:
        from hashlane.spark._run import VERDICTS, Audit
    except ImportError as error:
        raise ImportError(_MISSING) from error

    run = Audit.of(
        known,
        source,
        out,
        strip_prefix=strip_prefix,
        algorithm=algorithm,
        format=format,
        include=include,
        exclude=exclude,
        bin_bytes=bin_bytes,
        bin_files=bin_files,
    )
    name = os.fsdecode(os.path.join(run.out, VERDICTS))
    # Spark would take these characters for a pattern of names.
    place = re.sub(r"([\[\]{}*?\\])", r"\\\1", name)
    if place != name and ":" in name:
        # Better said now than when all is done.
        raise ValueError(f"{os.fsdecode(run.out)}: Spark opens no table whose path has a colon and one of []{{}}*?\\; name another directory")
    told = run.run(lambda: spark)
    if not told["is_complete"]:
        # A frame without verdicts would look as if nothing were wrong.
        raise hashlane.Error(None, "; ".join(told["problems"]) or "the audit did not come to its end", os.fsdecode(source))
    return spark.read.parquet(f"file://{place}")

