"""Tables that are written once: as a whole or not at all, whoever is killed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import hashlane
import pyarrow
import pyarrow.parquet

PART_COLUMNS: dict[str, pyarrow.DataType] = {
    "place": pyarrow.int64(),
    "of": pyarrow.int64(),
    "name": pyarrow.string(),
    "rows": pyarrow.int64(),
    "size_bytes": pyarrow.int64(),
    "blake3": pyarrow.string(),
    "piece": pyarrow.int64(),
    "pieces": pyarrow.int64(),
}
PART_SCHEMA = pyarrow.schema(PART_COLUMNS)
"""What is told of a table: its place among all of them and how many there are, and what the manifest of the run has. Where a task saw no table yet,
which of how many pieces it has written."""

FINGERPRINTS = b"fingerprints"

ATTEMPT = b"hashlane.attempt"

GROUP_ROWS = 1 << 17


@dataclass(frozen=True, slots=True)
class Part:
    """The table of a bin."""

    out: bytes
    attempt: str
    place: int
    of: int
    key: str

    @classmethod
    def named(cls, out: bytes, attempt: str, place: int, of: int, name: str) -> Part:
        key = name.removeprefix(f"part-{place:06}-").removesuffix(".parquet")
        return cls(out, attempt, place, of, key)

    @property
    def name(self) -> str:
        return f"part-{self.place:06}-{self.key}.parquet"

    @property
    def path(self) -> bytes:
        return os.path.join(self.out, FINGERPRINTS, self.name.encode())

    def is_there(self) -> bool:
        """Whether it was written, by this attempt or by an earlier one.

        What an earlier one has written counts if it is as it was written, and all of it was read. Else it is removed. What this attempt has
        written stays, whatever it holds: another task may have told of it.
        """
        try:
            with pyarrow.parquet.ParquetFile(os.fsdecode(self.path)) as table:
                told = table.metadata.metadata or {}
                if told.get(ATTEMPT) == self.attempt.encode():
                    return True
                is_good = self._is_as_noted() and all(map(_is_read, table.iter_batches(columns=["outcome"])))
        except FileNotFoundError:
            return False
        except (OSError, ValueError, pyarrow.ArrowException) as error:
            # The library calls damage an OSError as well, but has no number for it. What the system says of a file is no damage of it.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            is_good = False
        if not is_good:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
        return is_good

    def _is_as_noted(self) -> bool:
        try:
            with open(self._note, "rb") as file:
                return file.read() == _digest(self.path).encode()
        except FileNotFoundError:
            # Its task was killed before it had written the digest.
            return False

    def write(self, reader: pyarrow.RecordBatchReader) -> None:
        with once(self.path) as file, writer(file, reader.schema) as table:
            table.add_key_value_metadata({ATTEMPT.decode(): self.attempt})
            for batch in reader:
                table.write_batch(batch, GROUP_ROWS)
        with contextlib.suppress(FileNotFoundError):
            # Of another table that was here.
            os.unlink(self._note)
        with once(self._note) as file:
            file.write(_digest(self.path).encode())

    def row(self) -> pyarrow.RecordBatch:
        return self._row(described(self.path))

    def row_without_table(self, piece: int | None, pieces: int) -> pyarrow.RecordBatch:
        """What is told by a task that has written a piece, or none, and sees no table."""
        return self._row({"name": self.name, "piece": piece, "pieces": pieces})

    def _row(self, told: dict[str, Any]) -> pyarrow.RecordBatch:
        return pyarrow.RecordBatch.from_pylist([{"place": self.place, "of": self.of} | told], PART_SCHEMA)

    @property
    def _note(self) -> bytes:
        """Its digest, until the manifest has it."""
        return os.path.join(self.out, FINGERPRINTS, f".{self.key}.blake3".encode())

    @property
    def pieces(self) -> bytes:
        """The directory for the pieces of its file."""
        return os.path.join(self.out, FINGERPRINTS, f".{self.key}.pieces".encode())


_NAME = re.compile(rb"part-\d+-(.+)\.parquet")


def take_over(out: bytes, parts: Iterable[Part]) -> None:
    """Gives tables that earlier jobs have written the names of their places in this one. A file more or less has moved all that follow."""
    directory = os.path.join(out, FINGERPRINTS)
    wanted = {part.name.encode(): part.key.encode() for part in parts}
    there = set(os.listdir(directory))
    earlier = {match[1]: name for name in there - wanted.keys() if (match := _NAME.fullmatch(name))}
    for name in wanted.keys() - there:
        before = earlier.pop(wanted[name], None)
        if before is not None:
            os.rename(os.path.join(directory, before), os.path.join(directory, name))


def _is_read(batch: pyarrow.RecordBatch) -> bool:
    return set(batch.column("outcome").unique().to_pylist()) <= {"read"}


def _digest(path: bytes) -> str:
    with open(path, "rb") as file:
        return hashlane.file_digest(file, "blake3").hexdigest()


def writer(file: BinaryIO, schema: pyarrow.Schema) -> pyarrow.parquet.ParquetWriter:
    """Writes a table that is sorted by its first column, the path."""
    # Digests cannot be made smaller, and hardly any two names are alike.
    words = [field.name for field in schema if pyarrow.types.is_string(field.type)]
    return pyarrow.parquet.ParquetWriter(
        file,
        schema,
        compression="zstd",
        use_dictionary=words,  # type: ignore[arg-type]
        write_page_checksum=True,
        write_page_index=True,
        sorting_columns=[pyarrow.parquet.SortingColumn(0)],
    )


@contextlib.contextmanager
def once(path: bytes) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete, unless it was written meanwhile: then that one stays."""
    directory = os.path.dirname(path)
    os.makedirs(directory, exist_ok=True)
    # Spark and others pass over names that begin with a dot.
    partial = os.path.join(directory, b".%s.partial" % uuid.uuid4().hex.encode())
    try:
        with open(partial, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(partial, path)
        sync(directory)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(partial)


def sync(directory: bytes) -> None:
    """Makes the names in a directory last."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def described(path: bytes) -> dict[str, Any]:
    """What the manifest of a run has of a table."""
    rows = pyarrow.parquet.read_metadata(os.fsdecode(path)).num_rows
    name = os.fsdecode(os.path.basename(path))
    return {"name": name, "rows": rows, "size_bytes": os.stat(path).st_size, "blake3": _digest(path)}


_OURS = re.compile(rb"part-.+\.parquet|\..+\.(blake3|partial|pieces)")


def leave_only(directory: bytes, names: Iterable[str]) -> None:
    """Removes the tables of earlier attempts that are none of this run: of files that have changed since. What has another name is not ours.

    A task that nobody waits for any more may still write there. What it leaves is in no manifest.
    """
    kept = set(map(os.fsencode, names))
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in kept or not _OURS.fullmatch(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                # The pieces of a table.
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)
