"""Fingerprints trees on a cluster of Spark 4, by the code that ``hashlane.sum_files`` runs on one machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["fingerprint"]


def fingerprint(
    spark: SparkSession,
    source: str | os.PathLike[str],
    algorithms: str | Iterable[str] = ("sha256",),
    *,
    bin_bytes: int = 1 << 30,
    bin_files: int = 10_000,
) -> DataFrame:
    """Reads all files of a tree that all nodes see at the same place, and returns a row for each.

    The rows and their columns are those of ``hashlane.sum_files``. A file that cannot be read is a row as well. A task reads files of
    ``bin_bytes`` together, or one that is larger, and ``bin_files`` at most. Each use of the result reads the files again.
    """
    try:
        import pyarrow  # noqa: F401
        from hashlane.spark._source import Fingerprints
    except ImportError as error:
        raise ImportError("hashlane.spark needs pyspark and pyarrow; install hashlane[spark]") from error

    source = os.fspath(source)
    if "://" in source:
        raise ValueError(f"{source}: objects are not read by Spark yet; use hashlane.sum_files")
    if bin_bytes < 1 or bin_files < 1:
        raise ValueError("bin_bytes and bin_files must be 1 or more")
    if isinstance(algorithms, str):
        algorithms = (algorithms,)
    names = list(algorithms)
    if not names:
        raise ValueError("no algorithm is named")
    # Where Spark Connect is used, the server has another current directory.
    source = os.path.abspath(source)
    spark.dataSource.register(Fingerprints)
    return (
        spark.read.format(Fingerprints.name())
        # Options are text, and a name may be none.
        .option("source", os.fsencode(source).hex())
        .option("algorithms", ",".join(names))
        .option("bin_bytes", str(bin_bytes))
        .option("bin_files", str(bin_files))
        .load()
    )
