"""The data sources. Spark pickles them, and lists and reads in processes of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import hashlane
import pyarrow
from hashlane.spark._bins import Bin, Limits, Selection, are_objects
from hashlane.spark._parts import PART_SCHEMA, Part
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

    def read(self, paths: list[bytes]) -> pyarrow.RecordBatchReader:
        # A directory is there if it could not be listed: it is listed once more, for the reason. What is in a store is an object.
        recursive = not are_objects(self.selection.roots[0])
        # Spark gives a task one core.
        return hashlane.sum_files(paths, self.algorithms, recursive=recursive, jobs=1)


@dataclass
class BinPartition(InputPartition):
    bin: Bin
    place: int
    """Its place in the order of the names, which need not be that of the tasks."""
    of: int


class Fingerprints(DataSource):
    """A row for each file."""

    @classmethod
    def name(cls) -> str:
        return "hashlane"

    def schema(self) -> StructType:
        # The one list of columns is that of the wheel.
        columns = hashlane.sum_files([], _request(self).algorithms).schema
        return _struct(columns)

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
        partitions = [BinPartition(bin, place, len(bins)) for place, bin in enumerate(bins)]
        # Spark starts tasks in this order. A large one that is started last has all others wait for it.
        partitions.sort(key=lambda partition: (partition.bin.size, partition.bin.files), reverse=True)
        return partitions or [InputPartition(None)]


class FingerprintReader(BinReader):
    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if not isinstance(partition, BinPartition):
            return
        for batch in self._request.read(partition.bin.paths()):
            columns = [_for_spark(column) for column in batch.columns]
            yield pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


class PartReader(BinReader):
    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if not isinstance(partition, BinPartition):
            return
        request = self._request
        part = Part(request.out, request.attempt, partition.place, partition.of, partition.bin.key)
        if not part.is_there():
            part.write(request.read(partition.bin.paths()))
        yield part.row()


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
