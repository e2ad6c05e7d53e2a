"""The data sources. Spark pickles them, and lists and reads in processes of their own."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import hashlane
import pyarrow
from hashlane._files import read_files
from hashlane.spark._bins import Bin, Limits, Selection, are_objects
from hashlane.spark._parts import MANIFEST, PART_SCHEMA, Part, take_over
from hashlane.spark._pieces import COLUMN, Kept, Piece, can_be_joined, pieces
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import (
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)


@dataclass(frozen=True)
class Request:
    """What is read. Options of Spark are text, so it travels as JSON, and names, which need not be text, in hexadecimal."""

    selection: Selection
    algorithms: list[str]
    limits: Limits
    out: bytes = b""
    """The directory of the run, if parts are written."""
    attempt: str = ""
    """Which of the jobs that write to it this is."""

    def to_text(self) -> str:
        selection = self.selection
        return json.dumps(
            {
                "roots": [root.hex() for root in selection.roots],
                "follow": selection.follow,
                "include": selection.include,
                "exclude": selection.exclude,
                "algorithms": self.algorithms,
                "size": self.limits.size,
                "files": self.limits.files,
                "out": self.out.hex(),
                "attempt": self.attempt,
            }
        )

    @classmethod
    def of_text(cls, text: str) -> Request:
        told = json.loads(text)
        roots = [bytes.fromhex(root) for root in told["roots"]]
        selection = Selection(roots, told["follow"], tuple(told["include"]), tuple(told["exclude"]))
        limits = Limits(told["size"], told["files"])
        return cls(selection, told["algorithms"], limits, bytes.fromhex(told["out"]), told["attempt"])

    @property
    def splits(self) -> bool:
        """Whether files that are larger than a bin are read in pieces."""
        return can_be_joined(self.algorithms)

    def read(self, bin: Bin, *, identity: bool = False) -> pyarrow.RecordBatchReader:
        """The rows of the files of a bin, with what distinguishes a file from another one under its name if ``identity`` is asked for."""
        paths = bin.paths()
        if are_objects(self.selection.roots[0]):
            groups = [(False, paths)]
        elif bin.all_seen:
            groups = [(True, paths)]
        else:
            # A directory is there if it could not be listed: it is listed once more, for the reason. If that is possible here, nothing
            # below it is read, because nobody has selected that.
            groups = [(not can_be, list(group)) for can_be, group in itertools.groupby(paths, _can_be_listed)]
        # Spark gives a task one core.
        readers = [
            read_files(group, self.algorithms, recursive=recursive, jobs=1, identity=identity)
            for recursive, group in groups
        ]
        return pyarrow.RecordBatchReader.from_batches(readers[0].schema, itertools.chain.from_iterable(readers))


@dataclass
class BinPartition(InputPartition):
    bin: Bin
    place: int
    """Its place in the order of the names, which need not be that of the tasks."""
    of: int
    earlier: tuple[str, ...] = field(default=(), kw_only=True)
    """Tables of it that earlier jobs have left."""

    @property
    def size(self) -> int:
        return self.bin.size


@dataclass
class PiecePartition(BinPartition):
    """A piece of the one file of a bin."""

    piece: Piece

    @property
    def size(self) -> int:
        # Only the store knows whether an object has to be read as a whole, and then the first task does it.
        may_be_whole = self.piece.number == 0 and are_objects(self.path)
        return self.bin.size if may_be_whole else self.piece.length

    @property
    def path(self) -> bytes:
        (path,) = self.bin.paths()
        return path


class Fingerprints(DataSource):
    """A row for each file, or for each piece of it."""

    @classmethod
    def name(cls) -> str:
        return "hashlane"

    def schema(self) -> StructType:
        # The one list of columns is that of the wheel.
        request = _request(self)
        columns = hashlane.sum_files([], request.algorithms).schema
        return _struct(columns.append(pyarrow.field(COLUMN, pyarrow.binary())) if request.splits else columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        return FingerprintReader(_request(self))


class Parts(DataSource):
    """Writes what is read to tables, and has a row for each table."""

    @classmethod
    def name(cls) -> str:
        return "hashlane-parts"

    def schema(self) -> StructType:
        return _struct(PART_SCHEMA)

    def reader(self, schema: StructType) -> DataSourceReader:
        return PartReader(_request(self))


class BinReader(DataSourceReader):
    def __init__(self, request: Request) -> None:
        self._request = request

    def partitions(self) -> Sequence[InputPartition]:
        bins = list(self._request.selection.bins(self._request.limits))
        partitions: list[BinPartition] = []
        for place, bin in enumerate(bins):
            split = pieces(bin.size, self._request.limits.size) if self._request.splits else []
            partitions += [PiecePartition(bin, place, len(bins), piece) for piece in split]
            if not split:
                partitions.append(BinPartition(bin, place, len(bins)))
        # Spark starts tasks in this order. A large one that is started last has all others wait for it.
        partitions.sort(key=lambda partition: (partition.size, partition.bin.files), reverse=True)
        return partitions or [InputPartition(None)]


class FingerprintReader(BinReader):
    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if isinstance(partition, PiecePartition):
            yield from self._read_piece(partition)
        elif isinstance(partition, BinPartition):
            for batch in self._request.read(partition.bin):
                yield self._rows(batch, None)

    def _read_piece(self, partition: PiecePartition) -> Iterator[pyarrow.RecordBatch]:
        path, piece = partition.path, partition.piece
        content = piece.read(path)
        if content is not None:
            columns = hashlane.sum_files([], self._request.algorithms).schema
            yield self._rows(pyarrow.RecordBatch.from_pylist([{"path": path}], columns), content)
        elif piece.number == 0:
            for batch in self._request.read(partition.bin):
                yield self._rows(batch, b"")

    def _rows(self, batch: pyarrow.RecordBatch, piece: bytes | None) -> pyarrow.RecordBatch:
        columns = [_for_spark(column) for column in batch.columns]
        names = batch.schema.names
        if self._request.splits:
            columns.append(pyarrow.array([piece] * batch.num_rows, pyarrow.binary()))
            names = [*names, COLUMN]
        return pyarrow.RecordBatch.from_arrays(columns, names=names)


class PartReader(BinReader):
    def partitions(self) -> Sequence[InputPartition]:
        partitions = super().partitions()
        bins = [partition for partition in partitions if isinstance(partition, BinPartition)]
        parts = {part.key: part for part in map(self._part, bins)}
        for part in take_over(self._request.out, parts.values()):
            parts[part.key] = part
        for partition in bins:
            partition.earlier = parts[partition.bin.key].earlier
        return partitions

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if not isinstance(partition, BinPartition):
            return
        request = self._request
        if os.path.exists(os.path.join(request.out, MANIFEST)):
            raise RuntimeError(f"{os.fsdecode(request.out)}: this run is complete, and nobody waits for this task")
        part = self._part(partition)
        name = part.found()
        if name is not None:
            yield part.row(name)
            return
        if not isinstance(partition, PiecePartition):
            part.write(request.read(partition.bin, identity=True))
            yield part.row(part.name)
            return
        piece = partition.piece
        is_written = Kept(part, piece.of).read(partition.path, piece)
        if not is_written and piece.number == 0:
            part.write(request.read(partition.bin, identity=True))
        # The last of the pieces has joined them.
        if os.path.exists(part.path):
            yield part.row(part.name)
        else:
            yield part.row_without_table(piece.number if is_written else None, piece.of)

    def _part(self, partition: BinPartition) -> Part:
        request = self._request
        of_bin = (partition.place, partition.of, partition.bin.key, partition.earlier)
        return Part(request.out, request.attempt, *of_bin)


def _can_be_listed(path: bytes) -> bool:
    try:
        with os.scandir(path):
            return True
    except OSError:
        # As of any file.
        return False


def _request(source: DataSource) -> Request:
    return Request.of_text(source.options["request"])


def _struct(columns: pyarrow.Schema) -> StructType:
    return StructType([StructField(column.name, _spark_type(column.type)) for column in columns])


def _spark_type(arrow: pyarrow.DataType) -> DataType:
    if pyarrow.types.is_binary(arrow) or pyarrow.types.is_fixed_size_binary(arrow):
        return BinaryType()
    if pyarrow.types.is_int32(arrow):
        return IntegerType()
    if pyarrow.types.is_int64(arrow):
        return LongType()
    if pyarrow.types.is_timestamp(arrow):
        return TimestampType()
    if pyarrow.types.is_string(arrow):
        return StringType()
    raise TypeError(f"Spark has no type for {arrow}")


def _for_spark(column: pyarrow.Array[Any]) -> pyarrow.Array[Any]:
    # Spark knows bytes of one length only as bytes.
    return column.cast(pyarrow.binary()) if pyarrow.types.is_fixed_size_binary(column.type) else column
