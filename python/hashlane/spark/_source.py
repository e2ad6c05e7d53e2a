"""The data source. Spark pickles it, and lists and reads in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow
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

import hashlane
from hashlane.spark._bins import bins, listed


@dataclass
class Bin(InputPartition):
    paths: list[bytes]


class Fingerprints(DataSource):
    @classmethod
    def name(cls) -> str:
        return "hashlane"

    def schema(self) -> StructType:
        # The one list of columns is that of the wheel.
        columns = hashlane.sum_files([], self._algorithms()).schema
        return StructType([StructField(column.name, _spark_type(column.type)) for column in columns])

    def reader(self, schema: StructType) -> DataSourceReader:
        source = bytes.fromhex(self.options["source"])
        return Reader(source, self._algorithms(), int(self.options["bin_bytes"]), int(self.options["bin_files"]))

    def _algorithms(self) -> list[str]:
        return self.options["algorithms"].split(",")


class Reader(DataSourceReader):
    def __init__(self, source: bytes, algorithms: list[str], bin_bytes: int, bin_files: int) -> None:
        self._source = source
        self._algorithms = algorithms
        self._bin_bytes = bin_bytes
        self._bin_files = bin_files

    def partitions(self) -> Sequence[InputPartition]:
        return [Bin(paths) for paths in bins(listed(self._source), self._bin_bytes, self._bin_files)] or [Bin([])]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        assert isinstance(partition, Bin)
        # Spark gives a task one core.
        for batch in hashlane.sum_files(partition.paths, self._algorithms, jobs=1):
            columns = [_for_spark(column) for column in batch.columns]
            yield pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


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


def _for_spark(column: pyarrow.Array) -> pyarrow.Array:
    # Spark knows bytes of one length only as bytes.
    return column.cast(pyarrow.binary()) if pyarrow.types.is_fixed_size_binary(column.type) else column
