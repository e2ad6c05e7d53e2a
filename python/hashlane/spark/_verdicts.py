"""Findings as a table in the order of the names."""

from __future__ import annotations

import heapq
import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import hashlane
import pyarrow
import pyarrow.parquet
from hashlane.spark._parts import GROUP_ROWS, once, writer

Row = tuple[Any, ...]


def schema(algorithms: list[str]) -> pyarrow.Schema:
    """The columns: the words are those of ``hashlane check --audit --format json``."""
    columns: dict[str, pyarrow.DataType] = {
        "path": pyarrow.binary(),
        "verdict": pyarrow.string(),
        "reason": pyarrow.string(),
        "errno": pyarrow.int32(),
        "other": pyarrow.binary(),
        "listed_size_bytes": pyarrow.int64(),
        "seen_size_bytes": pyarrow.int64(),
    }
    for prefix in ("listed", "seen"):
        for name in algorithms:
            columns[f"{prefix}_{name}"] = pyarrow.binary(hashlane.new(name).digest_size)
    return pyarrow.schema(columns)


def write(path: bytes, findings: Iterable[hashlane.Finding[hashlane.Verdict]], algorithms: list[str]) -> None:
    """Writes them in bounded memory. They come in the order of reading, and those that need all files at the end."""
    columns = schema(algorithms)
    rows = (_row(finding, algorithms) for finding in findings)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hashlane-") as directory:
        runs = _Runs(directory, columns)
        while block := list(itertools.islice(rows, GROUP_ROWS)):
            runs.add(sorted(block, key=_path))
        with once(path) as file, writer(file, columns) as table:
            merged = heapq.merge(*runs.finished(), key=_path)
            while block := list(itertools.islice(merged, GROUP_ROWS)):
                table.write_batch(_batch(block, columns))


class _Runs:
    """Blocks of sorted rows, in as few files as they can follow each other in."""

    def __init__(self, directory: str, columns: pyarrow.Schema) -> None:
        self._directory = directory
        self._columns = columns
        self._paths: list[str] = []
        self._open: pyarrow.parquet.ParquetWriter | None = None
        self._last = b""

    def add(self, block: list[Row]) -> None:
        if self._open is None or _path(block[0]) < self._last:
            self._close()
            self._paths.append(os.path.join(self._directory, str(len(self._paths))))
            self._open = pyarrow.parquet.ParquetWriter(self._paths[-1], self._columns, compression="zstd")
        self._open.write_batch(_batch(block, self._columns))
        self._last = _path(block[-1])

    def finished(self) -> list[Iterator[Row]]:
        self._close()
        return [_rows(path) for path in self._paths]

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def _row(finding: hashlane.Finding[hashlane.Verdict], algorithms: list[str]) -> Row:
    known, seen = finding.known, finding.seen
    return (
        os.fsencode(finding.path),
        finding.verdict.value,
        finding.reason,
        finding.errno,
        None if finding.other is None else os.fsencode(finding.other),
        None if known is None else known.size,
        None if seen is None else seen.size,
        *(_digest(known, name) for name in algorithms),
        *(_digest(seen, name) for name in algorithms),
    )


def _digest(content: hashlane.Content | None, algorithm: str) -> bytes | None:
    text = None if content is None else content.digests.get(algorithm)
    return None if text is None else bytes.fromhex(text)


def _path(row: Row) -> bytes:
    path = row[0]
    assert isinstance(path, bytes)
    return path


def _batch(rows: list[Row], columns: pyarrow.Schema) -> pyarrow.RecordBatch:
    arrays = [pyarrow.array(cells, field.type) for cells, field in zip(zip(*rows), columns)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=columns)


def _rows(path: str) -> Iterator[Row]:
    with pyarrow.parquet.ParquetFile(path) as table:
        for batch in table.iter_batches(1 << 12):
            yield from zip(*(column.to_pylist() for column in batch.columns))
