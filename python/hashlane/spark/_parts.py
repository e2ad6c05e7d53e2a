"""Tables that are written once: as a whole or not at all, whoever is killed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import hashlane
import pyarrow
import pyarrow.parquet

PART_COLUMNS: dict[str, pyarrow.DataType] = {
    "place": pyarrow.int64(),
    "of": pyarrow.int64(),
    "name": pyarrow.string(),
    "rows": pyarrow.int64(),
    "piece": pyarrow.int64(),
    "pieces": pyarrow.int64(),
}
PART_SCHEMA = pyarrow.schema(PART_COLUMNS)
"""What is told of a table: its place among all of them and how many there are, its name, and its rows. Where a task saw no table yet, which of how
many pieces it has written."""

FINGERPRINTS = b"fingerprints"

MANIFEST = b"_manifest.json"
"""Written last: the run is complete."""

GROUP_ROWS = 1 << 17

_NAME = re.compile(r"part-(?P<place>\d+)-(?P<key>[^-]+)-(?P<attempt>[^-]+)\.parquet")


@dataclass(frozen=True, slots=True)
class Part:
    """The table of a bin. Each job writes one of its own, if no earlier one has left a good one.

    So no task ever removes or replaces a table, and one that comes late, of a job that nobody waits for any more, does no harm.
    """

    out: bytes
    attempt: str
    place: int
    of: int
    key: str
    earlier: tuple[str, ...] = ()
    """Tables of the same bin that earlier jobs have left."""

    @classmethod
    def named(cls, out: bytes, place: int, of: int, name: str) -> Part:
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError(f"{name}: is no name of a table")
        return cls(out, match["attempt"], place, of, match["key"])

    @property
    def name(self) -> str:
        return f"part-{self.place:06}-{self.key}-{self.attempt}.parquet"

    @property
    def path(self) -> bytes:
        return self._path(self.name)

    def found(self) -> str | None:
        """The name of the table, if there is one: that of this job, whatever it holds, or one of an earlier job that is as it was written and
        for which all could be read."""
        if os.path.exists(self.path):
            return self.name
        return next(filter(self._is_good, self.earlier), None)

    def _is_good(self, name: str) -> bool:
        try:
            with pyarrow.parquet.ParquetFile(os.fsdecode(self._path(name))) as table:
                return self._is_as_noted(name) and all(map(_is_read, table.iter_batches(columns=["outcome"])))
        except FileNotFoundError:
            return False
        except (OSError, ValueError, pyarrow.ArrowException) as error:
            # The library calls damage an OSError as well, but has no number for it. What the system says of a file is not damage of it.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            return False

    def _is_as_noted(self, name: str) -> bool:
        try:
            with open(self._note(name), "rb") as file:
                return file.read() == _digest(self._path(name)).encode()
        except FileNotFoundError:
            # Its task was killed before it had written the digest.
            return False

    def write(self, reader: pyarrow.RecordBatchReader) -> None:
        with once(self.path) as file, writer(file, reader.schema) as table:
            for batch in reader:
                table.write_batch(batch, GROUP_ROWS)
        with once(self._note(self.name)) as file:
            file.write(_digest(self.path).encode())

    def row(self, name: str) -> pyarrow.RecordBatch:
        rows = pyarrow.parquet.read_metadata(os.fsdecode(self._path(name))).num_rows
        return self._row({"name": name, "rows": rows})

    def row_without_table(self, piece: int | None, pieces: int) -> pyarrow.RecordBatch:
        """What is reported by a task that has written a piece, or none, and sees no table."""
        return self._row({"name": self.name, "piece": piece, "pieces": pieces})

    def _row(self, told: dict[str, Any]) -> pyarrow.RecordBatch:
        return pyarrow.RecordBatch.from_pylist([{"place": self.place, "of": self.of} | told], PART_SCHEMA)

    def _path(self, name: str) -> bytes:
        return os.path.join(self.out, FINGERPRINTS, name.encode())

    def _note(self, name: str) -> bytes:
        """The digest of a table, until the manifest has it."""
        place_and_key = name.removesuffix(".parquet").split("-", 2)[2]
        return self._path(f".{place_and_key}.blake3")

    @property
    def pieces(self) -> bytes:
        """The directory for the pieces of its file."""
        return self._path(f".{self.key}.pieces")


def take_over(out: bytes, parts: Iterable[Part]) -> list[Part]:
    """The same tables, with those that earlier jobs have left of them, which get the names of their places in this one. A file more or less has
    moved all that follow."""
    left: defaultdict[str, list[str]] = defaultdict(list)
    for name in os.listdir(os.path.join(out, FINGERPRINTS)):
        if match := _NAME.fullmatch(os.fsdecode(name)):
            left[match["key"]].append(os.fsdecode(name))
    taken = []
    for part in parts:
        earlier = []
        for before in sorted(left.pop(part.key, [])):
            found = Part.named(out, part.place, part.of, before)
            if found.attempt == part.attempt:
                continue
            if before != found.name:
                os.rename(found._path(before), found.path)
            earlier.append(found.name)
        taken.append(replace(part, earlier=tuple(earlier)))
    return taken


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


_TABLES = re.compile(rb"part-\d+(-[0-9a-f]{32}-[0-9a-f]{16})?\.parquet")
_NOTES = re.compile(rb"\.[0-9a-f]{32}(\.partial|\.pieces|-[0-9a-f]{16}\.blake3)")


def remove_other_tables(directory: bytes, names: Iterable[str]) -> None:
    """Removes the tables of earlier attempts that are none of this run: of files that have changed since."""
    _remove(directory, _TABLES, set(map(os.fsencode, names)))


def remove_notes(directory: bytes) -> None:
    """Removes what only a job that goes on needs. A task that nobody waits for any more may still write there: what it leaves is in no
    manifest."""
    _remove(directory, _NOTES, set())


def _remove(directory: bytes, ours: re.Pattern[bytes], kept: set[bytes]) -> None:
    # What has another name is not ours.
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in kept or not ours.fullmatch(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                # The pieces of a table.
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)
