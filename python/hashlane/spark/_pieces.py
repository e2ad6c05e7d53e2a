"""Files that are larger than a bin, in pieces: each is read by a task of its own, and they are joined to the digest of the file.

Only BLAKE3 can be joined: a piece is a subtree of its tree. What a piece has come to is some bytes, which only the native module reads.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import hashlane
import pyarrow
from hashlane import _hashlane
from hashlane.spark._parts import Part, once

ALGORITHM = "blake3"

COLUMN = "piece"
"""In a frame of rows and pieces, what the piece has come to. Rows have none; a row of a file that had to be read as a whole has no bytes."""

CHUNK_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file, and which of how many pieces they are."""

    number: int
    of: int
    offset: int
    length: int

    def read(self, path: bytes, kept: bytes | None = None) -> bytes | None:
        """``None`` if the file has to be read as a whole."""
        return _hashlane.read_piece(path, self.offset, self.length, kept)


def pieces(size: int, limit: int) -> list[Piece]:
    """The pieces of a file that has more bytes than ``limit``; none if a piece would have more, too."""
    if limit < CHUNK_BYTES or size <= limit:
        return []
    length = 1 << (limit.bit_length() - 1)
    of = -(-size // length)
    return [
        Piece(number, of, number * length, min(length, size - number * length)) for number in range(of)
    ]


def joined(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Passes rows on, and joins pieces, of which those of one file are all there."""
    found: defaultdict[bytes, list[bytes]] = defaultdict(list)
    whole = {}
    schema = None
    for batch in batches:
        contents = batch.column(COLUMN)
        rows = batch.drop_columns([COLUMN])
        schema = rows.schema
        yield rows.filter(contents.is_null())
        if contents.null_count == len(contents):
            continue
        for index, (path, content) in enumerate(zip(rows.column("path").to_pylist(), contents.to_pylist())):
            if path is None or content is None:
                continue
            if content:
                found[path].append(content)
            else:
                whole[path] = rows.take(pyarrow.array([index]))
    yield from whole.values()
    for path, contents_of_file in found.items():
        # Pieces that saw another state than the one that had to be read as a whole.
        if path not in whole and schema is not None:
            row = pyarrow.record_batch(_hashlane.join_pieces(contents_of_file))
            columns = [column.cast(field.type) for column, field in zip(row.columns, schema)]
            yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)


@dataclass(frozen=True, slots=True)
class Kept:
    """The pieces of a file that gets a table of its own. A job that goes on does not read them again."""

    part: Part

    def read(self, path: bytes, piece: Piece) -> bool:
        """Reads a piece, and writes the table when it was the last one. Whether the file has to be read as a whole."""
        content = piece.read(path, self._earlier(piece))
        if content is None:
            return True
        with once(os.path.join(self._directory, f"{piece.number:06}.{self.part.attempt}".encode())) as file:
            file.write(content)
        if len(self._names()) == piece.of:
            self.join()
        return False

    def join(self) -> None:
        """Writes the table. A file of which pieces are missing was in another state when these were asked for."""
        contents = []
        for name in self._names():
            with open(os.path.join(self._directory, name), "rb") as file:
                contents.append(file.read())
        row = pyarrow.record_batch(_hashlane.join_pieces(contents))
        self.part.write(pyarrow.RecordBatchReader.from_batches(row.schema, [row]))

    def _earlier(self, piece: Piece) -> bytes | None:
        """What this piece has come to before, if it was read: the file may have changed since."""
        prefix = b"%06d." % piece.number
        for name in self._all_names():
            if name.startswith(prefix):
                with open(os.path.join(self._directory, name), "rb") as file:
                    return file.read()
        return None

    def _names(self) -> list[bytes]:
        """Those of this attempt. What an earlier one has left counts when it was looked at again."""
        return [name for name in self._all_names() if name.endswith(b"." + self.part.attempt.encode())]

    def _all_names(self) -> list[bytes]:
        try:
            names = os.listdir(self._directory)
        except FileNotFoundError:
            return []
        return sorted(name for name in names if not name.startswith(b"."))

    @property
    def _directory(self) -> bytes:
        directory, name = os.path.split(self.part.path)
        return os.path.join(directory, b".%s.pieces" % name)


def can_be_joined(algorithms: list[str]) -> bool:
    """Whether a digest by these algorithms can be put together of those of pieces."""
    return {hashlane.new(name).name for name in algorithms} == {ALGORITHM}
