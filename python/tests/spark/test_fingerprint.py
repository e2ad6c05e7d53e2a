"""Fingerprints by processes of Spark, compared with those of one machine."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install hashlane[spark]")
if shutil.which("java") is None:
    pytest.skip("Spark needs java, and there is none", allow_module_level=True)

import hashlane
from hashlane.spark import fingerprint
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("hashlane")
    for name, value in [
        ("spark.driver.host", "127.0.0.1"),
        ("spark.driver.bindAddress", "127.0.0.1"),
        ("spark.executor.memory", "1g"),
        ("spark.ui.enabled", "false"),
    ]:
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_rows_are_those_of_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for number in range(60):
        path = root / f"{number % 3}" / f"{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([number]) * number * 100)
    (root / "link").symlink_to("0")
    (root / os.fsdecode(b"not utf-8 \xff")).write_bytes(b"x")
    os.mkfifo(root / "pipe")
    frame = fingerprint(spark, root, ["sha256", "blake3"], bin_files=7)
    ours = [tuple(row) for row in frame.drop("mtime").collect()]
    theirs = hashlane.sum_files(root, ["sha256", "blake3"]).read_all().drop_columns(["mtime"])
    assert frame.columns[:2] == ["path", "size_bytes"]
    assert sorted(ours) == [tuple(row.values()) for row in theirs.to_pylist()] and len(ours) == 61


def test_what_cannot_be_read_is_a_row(spark: SparkSession, tmp_path: Path) -> None:
    (row,) = fingerprint(spark, tmp_path / "nowhere").collect()
    assert (row.outcome, row.errno, row.sha256) == ("failed", 2, None)


def test_a_killed_executor_costs_no_row(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"{number}").write_bytes(f"{number}".encode() * 1000)
    started = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        started.wait()
        time.sleep(2)
        told = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=True)
        ours = [int(pid) for pid in told.stdout.split() if _descends(int(pid), os.getpid())]
        os.kill(ours[0], signal.SIGKILL)
        killed.append(ours[0])

    killer = threading.Thread(target=kill)
    killer.start()
    frame = fingerprint(spark, tmp_path, bin_files=20)
    started.set()
    rows = frame.collect()
    running = killer.is_alive()
    killer.join()
    assert killed and not running, "the job ended before the kill"
    assert len(rows) == 2000 and len({bytes(row.path) for row in rows}) == 2000
    for row in rows:
        assert bytes(row.sha256) == hashlib.sha256(Path(os.fsdecode(bytes(row.path))).read_bytes()).digest()


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False
