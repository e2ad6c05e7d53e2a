"""Fingerprints by processes of Spark, compared with those of one machine."""

import hashlib
import os
from pathlib import Path

import pytest

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install hashlane[spark]")

import hashlane
from hashlane.spark import fingerprint
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


def test_what_cannot_be_read_is_a_row(spark: SparkSession, tmp_path: Path) -> None:
    (row,) = fingerprint(spark, tmp_path / "nowhere").collect()
    assert (row.outcome, row.errno, row.sha256) == ("failed", 2, None)
    assert fingerprint(spark, tmp_path).collect() == []
    with pytest.raises(ValueError, match="1 or more"):
        fingerprint(spark, tmp_path, bin_files=0)
