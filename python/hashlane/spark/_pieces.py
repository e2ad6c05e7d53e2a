"""Files that are larger than a bin, in pieces: each is read by a task of its own, and they are joined to the digest of the file.

Only BLAKE3 can be joined: a piece is a subtree of its tree. What a piece has come to is some bytes, which only the native module reads.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import hashlane
import pyarrow
from hashlane import _hashlane
from hashlane.spark._parts import Part, once

ALGORITHM = "blake3"

COLUMN = "piece"
"""In a frame of rows and pieces, what the piece has come to. Rows have none; a row of a file that had to be read as a whole has no bytes."""

CHUNK_BYTES = 1024

PATIENCE = 120.0
"""Seconds until a name that another machine has made must be seen. NFS may hold for 60 that there is none."""


class Unseen(Exception):
    """What another task has written is not to be seen here."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file, and which of how many pieces they are."""

    number: int
    of: int
    offset: int
    length: int

    def read(self, path: bytes, kept: Sequence[bytes] = ()) -> bytes | None:
        """``None`` if the file has to be read as a whole."""
        return _hashlane.read_piece(path, self.offset, self.length, list(kept))


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
    """Passes rows on, and joins pieces. Those of one file are all there."""
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
    of: int
    """How many there are."""

    def read(self, path: bytes, piece: Piece) -> bool:
        """Reads a piece, and writes the table if all of them are there. Whether there is a piece: else the file has to be read as a whole."""
        content = piece.read(path, self._earlier(piece.number))
        if content is None:
            return False
        with once(self._path(piece.number)) as file:
            file.write(content)
        contents: list[bytes] = []
        # Spark starts tasks from the first piece on, so it is the last that is not there yet.
        for number in reversed(range(self.of)):
            another = _content(self._path(number))
            if another is None:
                return True
            contents.append(another)
        self._write(contents)
        return True

    def join(self, written: Collection[int], patience: float = PATIENCE) -> None:
        """Writes the table from the pieces that tasks have written, as soon as all of these can be seen.

        Of the others their tasks have said that the file has to be read as a whole, so it has changed.
        """
        until = time.monotonic() + patience
        self._write([self._awaited(number, until) for number in sorted(written)])

    def _awaited(self, number: int, until: float) -> bytes:
        # That a name is not seen says nothing of the file: a shared file system may show it late.
        path, pause = self._path(number), 0.05
        while (content := _content(path)) is None:
            if time.monotonic() >= until:
                raise Unseen(
                    f"{os.fsdecode(path)}: a task has written this piece of a file, and it cannot be seen here; run the same command again to go on"
                )
            time.sleep(pause)
            pause = min(2 * pause, 5)
        return content

    def _write(self, contents: list[bytes]) -> None:
        row = pyarrow.record_batch(_hashlane.join_pieces(contents, identity=True))
        self.part.write(pyarrow.RecordBatchReader.from_batches(row.schema, [row]))

    def _earlier(self, number: int) -> list[bytes]:
        """What this piece has come to before. It counts if it is sound and the file is as it was then."""
        try:
            names = os.listdir(self.part.pieces)
        except FileNotFoundError:
            return []
        named = (name for name in names if name.startswith(b"%06d." % number))
        contents = (_content(os.path.join(self.part.pieces, name)) for name in named)
        return [content for content in contents if content is not None]

    def _path(self, number: int) -> bytes:
        """Where this attempt has a piece. What an earlier one has left counts when it was looked at again."""
        return os.path.join(self.part.pieces, b"%06d.%s" % (number, self.part.attempt.encode()))


def _content(path: bytes) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def can_be_joined(algorithms: list[str]) -> bool:
    """Whether a digest by these algorithms can be put together of those of pieces."""
    return {hashlane.new(name).name for name in algorithms} == {ALGORITHM}
