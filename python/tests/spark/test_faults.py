"""Processes that are killed, disks that are full, and tables that are none."""

import hashlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install hashlane[spark]")

import hashlane
from hashlane.spark._bins import Limits, Selection
from hashlane.spark._source import BinPartition, FingerprintReader, Fingerprints, Request
from pyspark.sql import Row, SparkSession
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType
from cluster import Standalone, ended, run_command
from conftest import Command, listed


@pytest.mark.parametrize("victim", ["executor", "worker of Python"])
def test_a_process_that_is_killed_within_a_task_costs_its_bin_and_no_row(
    spark: SparkSession, tmp_path: Path, victim: str
) -> None:
    root, stage = tmp_path / "tree", tmp_path / "stage"
    stage.mkdir()
    root.mkdir()
    for number in range(2000):
        (root / f"{number}").write_bytes(f"{number}".encode() * 1000)
    go = stage / "go"

    def begun() -> list[int]:
        return [int(path.name.split(".")[0]) for path in stage.glob("*.*.[0-9]*")]

    class WaitingReader(FingerprintReader):
        """Hands over rows, and says that it is at work. Those that come after some others go on when they may."""

        def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
            assert isinstance(partition, BinPartition)
            batches = super().read(partition)
            yield next(batches)
            name = f"{partition.place}.{os.getpid()}"
            (stage / f"{name}.{time.monotonic_ns()}").touch()
            if len(begun()) > 6 and not go.exists():
                (stage / f"{name}.waits").touch()
                while not go.exists():
                    time.sleep(0.01)
            yield from batches

    class Waiting(Fingerprints):
        @classmethod
        def name(cls) -> str:
            return "hashlane-waiting"

        def reader(self, schema: StructType) -> DataSourceReader:
            return WaitingReader(Request.of_text(self.options["request"]))

    spark.dataSource.register(Waiting)
    request = Request(Selection([os.fsencode(root)]), ["sha256"], Limits(1 << 30, 100))
    frame = spark.read.format(Waiting.name()).option("request", request.to_text()).load()
    rows: list[Row] = []
    job = threading.Thread(target=lambda: rows.extend(frame.collect()))
    job.start()
    try:
        # Each executor has a core, so a bin.
        wait_for(lambda: len(list(stage.glob("*.waits"))) == 2)
        place, pid = map(int, next(stage.glob("*.waits")).stem.split("."))
        killed = pid if victim != "executor" else executor_of(pid)
        os.kill(killed, signal.SIGKILL)
        # It has gone before the task could come to its end.
        wait_for(lambda: not is_running(killed))
        assert not go.exists()
    finally:
        go.touch()
        job.join()
    # Only its bin was read twice.
    assert sorted(begun()) == sorted([*range(20), place])
    assert len(rows) == 2000 and len({bytes(row.path) for row in rows}) == 2000
    for row in rows:
        assert bytes(row.sha256) == hashlib.sha256(Path(os.fsdecode(bytes(row.path))).read_bytes()).digest()


def test_a_node_that_is_killed_costs_no_row(
    standalone: Standalone, tree: Path, command: Command, tmp_path: Path
) -> None:
    standalone.add_worker()
    manifest, out = listed(tree, command, "tree.jsonl", "--manifest-format", "jsonl"), tmp_path / "run"
    asked: list[str | Path] = ["--known", manifest, "--source", tree, "--out", out, "--bin-files", "2"]
    job = run_command(*asked, master=standalone.url)
    wait_for(lambda: len(tables(out)) >= 5)
    assert job.poll() is None
    standalone.kill_worker()
    code, said = ended(job)
    assert code == 0, said
    told = json.loads((out / "_manifest.json").read_text())
    assert told["files"] == sum(told["verdicts"].values()) == len(manifest.read_text().splitlines())
    assert sorted(tables(out)) == [table["name"] for table in told["tables"]["fingerprints"]["files"]]


def test_a_full_disk_ends_the_job_and_loses_nothing(tree: Path, command: Command, tmp_path: Path) -> None:
    manifest, out = listed(tree, command, "tree.jsonl", "--manifest-format", "jsonl"), tmp_path / "disk"
    out.mkdir()
    asked: list[str | Path] = ["--known", manifest, "--source", tree, "--out", out, "--bin-files", "2"]
    if os.geteuid() != 0 or not mount(out, "size=4k,nr_inodes=2"):
        pytest.skip("only root can mount a small disk")
    try:
        # Not even the request can be written.
        code, said = ended(run_command(*asked))
        assert (code, os.listdir(out)) == (74, ["_lock"]) and f"{out}/" in said and "No space left" in said
        assert mount(out, "remount,size=256k,nr_inodes=10k")
        code, said = ended(run_command(*asked))
        assert code == 75 and "nothing was judged" in said and "No space left on device" in said
        kept = tables(out)
        assert kept and not (out / "_manifest.json").exists()
        inodes = {name: (out / "fingerprints" / name).stat().st_ino for name in kept}
        # With more space it goes on.
        assert mount(out, "remount,size=64m")
        code, said = ended(run_command(*asked))
        assert code == 0, said
        now = tables(out)
        # A table without its digest beside it may be any.
        again = [name for name in kept if name not in now or (out / "fingerprints" / name).stat().st_ino != inodes[name]]
        assert {bin_of(name) for name in kept} <= {bin_of(name) for name in now} and len(again) <= 2
    finally:
        subprocess.run(["umount", out], check=True)


@pytest.mark.parametrize("case", ["no path", "digests as numbers", "paths as numbers", "no digest", "no table"])
def test_tables_of_another_schema_are_named_and_refused(tree: Path, command: Command, tmp_path: Path, case: str) -> None:
    table = hashlane.sum_files(tree, "sha256").read_all()
    numbers = pyarrow.array(range(len(table)), pyarrow.int64())
    tables = {
        "no path": table.drop_columns(["path"]),
        "digests as numbers": table.set_column(table.schema.get_field_index("sha256"), "sha256", numbers),
        "paths as numbers": table.set_column(0, "path", numbers),
        "no digest": table.drop_columns(["sha256"]),
        "no table": None,
    }
    known = tmp_path / "known.parquet"
    written = tables[case]
    if written is None:
        known.write_bytes(b"PAR1 and then nothing of a table PAR1")
    else:
        pyarrow.parquet.write_table(written, known)
    out = tmp_path / "run"
    code, said = ended(run_command("--known", known, "--source", tree, "--out", out, master="nonsense"))
    assert str(known) in said, said
    assert code == command("check", "--audit", "--base", tree, known, cwd=tmp_path).returncode == 64
    assert not (out / "_manifest.json").exists() and not (out / "fingerprints").exists()


def tables(out: Path) -> list[str]:
    return [path.name for path in (out / "fingerprints").glob("part-*")]


def bin_of(table: str) -> str:
    """Its name without that of the job which has written it."""
    return table.rpartition("-")[0]


def mount(place: Path, options: str) -> bool:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True)
    return mounted.returncode == 0


def wait_for(what: Callable[[], bool], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.02)


def executor_of(pid: int) -> int:
    return next(above for above in ancestors(pid) if "CoarseGrainedExecutorBackend" in command_line(above))


def ancestors(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def is_running(pid: int) -> bool:
    # One that has ended and that nobody has waited for has no command line.
    return Path(f"/proc/{pid}").exists() and command_line(pid) != ""
