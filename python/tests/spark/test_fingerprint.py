"""Fingerprints by processes of Spark, compared with those of one machine."""

import base64
import hashlib
import os
import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install hashlane[spark]")

import hashlane
from hashlane.spark import fingerprint
from hashlane.spark._bins import Bin, Limits, Selection
from hashlane.spark._pieces import joined, pieces
from hashlane.spark._source import BinPartition, FingerprintReader, PiecePartition, Request
from pyspark.sql import DataFrame, SparkSession
from cluster import Store


def make(root: Path) -> None:
    for number in range(60):
        path = root / f"{number % 3}" / f"{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([number]) * number * 100)


def same(frame: DataFrame, source: Path | str) -> int:
    """Compares the rows with those of one machine."""
    ours = [tuple(row) for row in frame.drop("mtime").collect()]
    theirs = hashlane.sum_files(source, ["sha256", "blake3"]).read_all().drop_columns(["mtime"])
    assert sorted(ours) == [tuple(row.values()) for row in theirs.to_pylist()]
    return len(ours)


def test_rows_are_those_of_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make(root)
    (root / "link").symlink_to("0")
    (root / os.fsdecode(b"not utf-8 \xff")).write_bytes(b"x")
    os.mkfifo(root / "pipe")
    frame = fingerprint(spark, root, ["sha256", "blake3"], bin_files=7)
    assert frame.columns[:2] == ["path", "size_bytes"] and same(frame, root) == 61
    some = fingerprint(spark, root, include=["**/1*"], exclude=["2"]).collect()
    assert [bytes(row.path) for row in some] == [
        os.fsencode(root / name) for name in ("0/12", "0/15", "0/18", "1/1", "1/10", "1/13", "1/16", "1/19")
    ]


def test_objects_have_the_rows_of_one_machine(spark: SparkSession, store: Store | None) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    make(store.folder / "rows")
    frame = fingerprint(spark, "s3://rows", ["sha256", "blake3"], bin_files=7)
    assert same(frame, "s3://rows") == 60
    ours = {bytes(row.path): bytes(row.sha256) for row in frame.collect()}
    for path in (store.folder / "rows").glob("*/*"):
        name = b"s3://rows/" + os.fsencode(path.relative_to(store.folder / "rows"))
        assert ours[name] == hashlib.sha256(path.read_bytes()).digest()


LARGE = {"0/large": 200_001, "1": 65_536 * 3, "2/last": 65_537, "2/too": 1 << 20}


def make_large(root: Path) -> None:
    for name, size in LARGE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(random.Random(name).randbytes(size))
    for number in range(20):
        (root / "2" / f"small {number}").write_bytes(bytes([number]) * number * 3000)


def test_a_file_larger_than_a_bin_is_read_by_several_tasks(spark: SparkSession, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make_large(root)
    frame = fingerprint(spark, root, "BLAKE3", bin_bytes=65_536)
    request = Request(Selection([os.fsencode(root)]), ["blake3"], Limits(65_536, 10_000))
    partitions = FingerprintReader(request).partitions()
    assert sum(isinstance(partition, PiecePartition) for partition in partitions) == 4 + 3 + 2 + 16
    # Columns and rows are those of one machine.
    whole = fingerprint(spark, root, "blake3")
    assert frame.schema == whole.schema == fingerprint(spark, root, "blake3", bin_bytes=1000).schema
    theirs = hashlane.sum_files(root, "blake3").read_all()
    assert frame.columns == theirs.column_names
    for pieced in (frame, whole):
        ours = pyarrow.Table.from_batches(pieced.toArrow().sort_by("path").to_batches())
        assert ours.cast(theirs.schema).equals(theirs)
    # Other algorithms need one reading from the first byte to the last.
    request = Request(request.selection, ["blake3", "md5"], request.limits)
    partitions = FingerprintReader(request).partitions()
    assert not any(isinstance(partition, PiecePartition) for partition in partitions)
    assert same(fingerprint(spark, root, ["sha256", "blake3"], bin_bytes=65_536), root) == 24


def read_all(reader: FingerprintReader, change: Callable[[], object]) -> pyarrow.Table:
    """As Spark does, with a change of the source among the first pieces."""
    partitions = reader.partitions()
    batches: list[pyarrow.RecordBatch] = []
    for number, partition in enumerate(partitions):
        if number == len(partitions) // 4:
            # Times of files tick.
            time.sleep(0.02)
            change()
        batches.extend(reader.read(partition))
    return pyarrow.Table.from_batches(joined(iter(batches))).sort_by("path")


def test_a_file_that_changes_between_its_pieces_is_a_row_without_digest(tmp_path: Path) -> None:
    (tmp_path / "changing").write_bytes(bytes(8 << 10))
    (tmp_path / "good").write_bytes(bytes(8 << 10))
    reader = FingerprintReader(Request(Selection([os.fsencode(tmp_path)]), ["blake3"], Limits(1024, 10_000)))
    table = read_all(reader, lambda: (tmp_path / "changing").write_bytes(bytes(8 << 10)))
    changing, good = table.to_pylist()
    assert (changing["outcome"], changing["change"], changing["blake3"]) == ("unstable", "modified", None)
    assert (good["outcome"], good["blake3"]) == ("read", hashlane.new("blake3", bytes(8 << 10)).digest())


def test_large_objects_are_read_by_several_tasks(spark: SparkSession, store: Store | None, tmp_path: Path) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    make_large(tmp_path / "tree")
    (store.folder / "pieces").mkdir()
    for name in LARGE:
        store.put("pieces", name, (tmp_path / "tree" / name).read_bytes())
    # The server has no entity tag for what others have written: no two requests for it need be about one state.
    (store.folder / "pieces" / "untagged").write_bytes(bytes(200_000))
    content = random.Random(7).randbytes(200_000)
    for name in ("crc32c", "sha256"):
        checksum = base64.b64encode(hashlane.new(name, content).digest()).decode()
        store.put("pieces", name, content, f"x-amz-checksum-{name}: {checksum}")
    theirs = hashlane.sum_files("s3://pieces", "blake3").read_all()
    frame = fingerprint(spark, "s3://pieces", "blake3", bin_bytes=65_536)
    assert frame.toArrow().sort_by("path").cast(theirs.schema).equals(theirs) and theirs.num_rows == 7

    def read(name: bytes) -> list[bytes | None]:
        return [piece.read(b"s3://pieces/" + name) for piece in pieces(200_000, 65_536)]

    assert read(b"untagged") == [None] * 4
    # Of the checksums that a store keeps, only a CRC is put together of those of pieces.
    assert read(b"sha256") == [None] * 4
    assert all(content is not None and b"crc32c " in content for content in read(b"crc32c"))

    limits = Limits(65_536, 10_000)
    reader = FingerprintReader(Request(Selection([b"s3://pieces/2/too"]), ["blake3"], limits))
    assert [row["outcome"] for row in read_all(reader, lambda: None).to_pylist()] == ["read"]
    other = bytes(LARGE["2/too"])
    table = read_all(reader, lambda: store.put("pieces", "2/too", other))
    (row,) = table.to_pylist()
    assert (row["outcome"], row["change"], row["blake3"]) == ("unstable", "modified", None)


def test_what_cannot_be_read_is_a_row(spark: SparkSession, tmp_path: Path) -> None:
    (row,) = fingerprint(spark, tmp_path / "nowhere").collect()
    assert (row.outcome, row.errno, row.sha256) == ("failed", 2, None)
    assert fingerprint(spark, tmp_path).collect() == []
    with pytest.raises(ValueError, match="1 or more"):
        fingerprint(spark, tmp_path, bin_files=0)


def test_the_task_that_may_have_to_read_a_whole_object_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    bins = [Bin(zlib.compress(name), size, 1, True, name.decode()) for name, size in ((b"s3://b/small", 3000), (b"s3://b/large", 5000))]
    monkeypatch.setattr(Selection, "bins", lambda self, limits: iter(bins))
    reader = FingerprintReader(Request(Selection([b"s3://b"]), ["blake3"], Limits(2048, 10)))
    partitions = [partition for partition in reader.partitions() if isinstance(partition, PiecePartition)]
    order = [(partition.bin.key, partition.piece.number) for partition in partitions]
    small, large = "s3://b/small", "s3://b/large"
    assert order == [(large, 0), (small, 0), (large, 1), (small, 1), (large, 2)]


def test_the_largest_bins_come_first_and_know_their_place(tmp_path: Path) -> None:
    sizes = {"a": 10, "b": 4000, "c": 0, "d": 10, "e": 9000, "f": 0, "g": 0, "h": 500}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(bytes(size))
    reader = FingerprintReader(Request(Selection([os.fsencode(tmp_path)]), ["md5"], Limits(1000, 2)))
    partitions = [partition for partition in reader.partitions() if isinstance(partition, BinPartition)]

    def names(partition: BinPartition) -> str:
        return "".join(os.fsdecode(os.path.basename(path)) for path in partition.bin.paths())

    assert list(map(names, partitions)) == ["e", "b", "h", "cd", "a", "fg"]
    assert [partition.bin.size for partition in partitions] == [9000, 4000, 500, 10, 10, 0]
    partitions.sort(key=lambda partition: partition.place)
    assert "".join(map(names, partitions)) == "abcdefgh"
    assert [(partition.place, partition.of) for partition in partitions] == [(place, 6) for place in range(6)]
