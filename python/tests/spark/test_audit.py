"""Audits by Spark, compared with those of one machine."""

import base64
import errno
import fcntl
import hashlib
import json
import os
import resource
import shutil
import signal
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install hashlane[spark]")

import hashlane
from hashlane import _hashlane
from hashlane.spark import _parts, _pieces, _run, audit, fingerprint
from hashlane.spark._bins import Bin, Limits, Selection
from hashlane.spark._exit_codes import exit_code
from hashlane.spark._parts import Part, once, remove_notes, remove_other_tables
from hashlane.spark._pieces import Unseen
from hashlane.spark._run import Audit, Refused, tables_of
from hashlane.spark._source import PartReader, PiecePartition, Request
from pyspark.sql import Row, SparkSession
from pyspark.sql.datasource import InputPartition
from cluster import Store, ended, run_command
from conftest import Command, listed

Findings = set[tuple[bytes, str, bytes | None]]


@pytest.fixture
def manifest(tree: Path, command: Command) -> Path:
    """What the tree holds, with sizes and times, relative to it."""
    return listed(tree, command, "tree.jsonl", "-a", "md5,sha256", "--manifest-format", "jsonl")


def change(tree: Path) -> None:
    """One change of each kind."""
    (tree / "1" / "file 001").rename(tree / "moved")
    (tree / "2" / "file 002").unlink()
    (tree / "new").write_bytes(b"nobody knows this")
    (tree / "copy").write_bytes((tree / "3" / "file 010").read_bytes())
    (tree / "7" / "too").unlink()
    (tree / "4" / "file 011").unlink()
    (tree / "4" / "file 011").symlink_to("file 011")
    flip(tree / "3" / "file 101")


def flip(path: Path) -> None:
    times = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def by_command(command: Command, source: Path | str, manifest: Path) -> tuple[int, Findings]:
    told = command("check", "--audit", "--format", "json", "--base", str(source), manifest, cwd=manifest.parent)
    lines = [json.loads(line) for line in told.stdout.splitlines()]

    def name(line: dict[str, Any], key: str) -> bytes | None:
        if f"{key}_b64" in line:
            return base64.b64decode(line[f"{key}_b64"])
        return os.fsencode(line[key]) if key in line else None

    found = {(name(line, "path") or b"", line["verdict"], name(line, "other")) for line in lines if "verdict" in line}
    return told.returncode, found


def by_python(source: Path | str, manifest: Path) -> Findings:
    return {
        (os.fsencode(finding.path), finding.verdict.value, None if finding.other is None else os.fsencode(finding.other))
        for finding in hashlane.audit(manifest, source)
    }


def by_spark(spark: SparkSession, source: Path | str, manifest: Path, out: Path) -> Findings:
    rows = audit(spark, manifest, source, out, bin_files=50).collect()
    return {(bytes(row.path), row.verdict, None if row.other is None else bytes(row.other)) for row in rows}


def rows(table: pyarrow.Table, prefix: bytes) -> dict[bytes, dict[str, Any]]:
    """By names without a prefix: what a content is. Only files have what distinguishes them from others that lie under their names later."""
    of_place = {"mtime", "mtime_nanos", "ctime_ns", "inode"}
    told = table.select([name for name in table.column_names if name not in of_place]).to_pylist()
    return {row.pop("path").removeprefix(prefix): row for row in told}


def failed(findings: Findings) -> Findings:
    return {finding for finding in findings if finding[1] != "ok"}


def test_verdicts_are_those_of_the_command(
    spark: SparkSession, tree: Path, manifest: Path, command: Command, tmp_path: Path
) -> None:
    change(tree)
    out = tmp_path / "run {1} [a-z]*?"
    code, theirs = by_command(command, tree, manifest)
    ours = by_spark(spark, tree, manifest, out)
    assert ours == theirs == by_python(tree, manifest)
    told = json.loads((out / "_manifest.json").read_text())
    assert told["exit_code"] == code == 1 | 2 | 8 | 16 and not told["passed"]
    assert told["verdicts"]["moved"] == 1 and sum(told["verdicts"].values()) == len(ours)

    # What was read: tables in the order of the names, as one machine writes them.
    files = told["tables"]["fingerprints"]["files"]
    assert len(files) > 5
    tables = [pyarrow.parquet.read_table(out / "fingerprints" / file["name"]) for file in files]
    read = pyarrow.concat_tables(tables)
    alone = hashlane.sum_files(tree, ["md5", "sha256"]).read_all()
    assert read.select(alone.column_names).equals(alone)
    # And what distinguishes a file from another one that lies under its name later.
    assert read.column_names == [*alone.column_names, "ctime_ns", "inode"]
    facts = (tree / "large").stat()
    (large,) = [row for row in read.to_pylist() if row["path"] == os.fsencode(tree / "large")]
    assert (large["ctime_ns"], large["inode"]) == (facts.st_ctime_ns, facts.st_ino)
    verdicts = pyarrow.parquet.read_table(out / "verdicts" / "part-000000.parquet")
    found = verdicts.to_pylist()
    assert found == sorted(found, key=lambda row: bytes(row["path"]))
    (flipped,) = [row for row in found if row["verdict"] == "corrupt"]
    assert flipped["path"] == b"3/file 101"
    assert flipped["seen_sha256"] == hashlib.sha256((tree / "3" / "file 101").read_bytes()).digest()
    assert flipped["listed_sha256"] != flipped["seen_sha256"]
    # A collection takes it.
    parts = [out / "fingerprints" / file["name"] for file in files]
    for asked in (["collection", "add", "archive", tree], ["collection", "import", "archive", "--strip-prefix", tree, *parts]):
        added = command(*asked, "--catalog", tmp_path / "catalog.sqlite", cwd=tmp_path)
        assert added.returncode == 0, added.stderr
    assert b"303 files registered by sha256, not yet verified" in added.stderr
    # And takes the run as an audit, as of its start.
    catalogue = ["--catalog", tmp_path / "catalog.sqlite"]
    added = command("collection", "add", "audited", tree, "--algorithm", "md5,sha256", *catalogue, cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    taken = command("audit", "audited", "--by", out, "--format", "json", *catalogue, cwd=tmp_path)
    assert taken.returncode == 0, taken.stderr
    summary = json.loads(taken.stdout.splitlines()[-1])
    assert summary["verdicts"] == {"registered": read.num_rows}
    by = summary["by"]
    with (out / "_manifest.json").open("rb") as file:
        assert by["manifest_blake3"] == hashlane.file_digest(file, "blake3").hexdigest()
    assert (by["run_id"], by["rows"], by["tables"]) == (told["run_id"], read.num_rows, len(files))
    assert by["started"].removesuffix("Z") == told["started"].removesuffix("+00:00")
    again = command("audit", "audited", "--by", out, *catalogue, cwd=tmp_path)
    assert again.returncode == 0 and b"is recorded already" in again.stderr
    # Nothing else is there, and all of it is as the manifest says.
    for directory, table in told["tables"].items():
        assert sorted(os.listdir(out / directory)) == [file["name"] for file in table["files"]]
        for file in table["files"]:
            path = out / directory / file["name"]
            digest = hashlane.file_digest(path.open("rb"), "blake3").hexdigest()
            assert (file["blake3"], file["size_bytes"]) == (digest, path.stat().st_size)


def test_one_flipped_byte_is_named_by_all_and_no_other(
    spark: SparkSession, store: Store | None, command: Command, tmp_path: Path
) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    tree = store.folder / "flipped"
    for number in range(200):
        path = tree / f"{number % 7}" / f"file {number:03}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{number} ".encode() * (number * 10 + 1))
    manifest = tmp_path / "SHA256SUMS"
    written = command("sum", "--output", manifest, ".", cwd=tree)
    assert written.returncode == 0, written.stderr
    # One tree: whoever reads it, as files or as objects, the rows are the same but for the beginning of the names, and times, of which
    # stores have seconds.
    sources: list[tuple[str | Path, bytes]] = [(tree, os.fsencode(tree)), ("s3://flipped", b"s3://flipped")]
    seen = []
    for number, (source, prefix) in enumerate(sources):
        table = tmp_path / f"{number}.parquet"
        written = command("sum", "--manifest-format", "parquet", "--output", table, str(source), cwd=tmp_path)
        assert written.returncode == 0, written.stderr
        seen.append(rows(pyarrow.parquet.read_table(table), prefix))
        seen.append(rows(hashlane.sum_files(source).read_all(), prefix))
        by_spark(spark, source, manifest, tmp_path / f"rows {number}")
        seen.append(rows(pyarrow.parquet.read_table(tmp_path / f"rows {number}" / "fingerprints"), prefix))
        seen.append(rows(fingerprint(spark, source, bin_files=50).toArrow(), prefix))
    assert all(one == seen[0] for one in seen) and len(seen[0]) == 200

    def all_say() -> list[Findings]:
        number = len(list(tmp_path.iterdir()))
        return [
            by_command(command, tree, manifest)[1],
            by_command(command, "s3://flipped", manifest)[1],
            by_python(tree, manifest),
            by_python("s3://flipped", manifest),
            by_spark(spark, tree, manifest, tmp_path / f"files {number}"),
            by_spark(spark, "s3://flipped", manifest, tmp_path / f"objects {number}"),
        ]

    assert [failed(findings) for findings in all_say()] == [set()] * 6
    flip(tree / "3" / "file 101")
    after = all_say()
    assert [failed(findings) for findings in after] == [{(b"3/file 101", "changed", None)}] * 6
    assert all(findings == after[0] for findings in after) and len(after[0]) == 200


def test_a_collection_of_objects_takes_runs_as_audits(
    spark: SparkSession, store: Store | None, command: Command, tmp_path: Path
) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    bucket = store.folder / "films"
    for number in range(100):
        path = bucket / f"{number % 7}" / f"reel-{number:02}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{number} ".encode() * (number * 10 + 1))
    store.put("films", "with-checksum", b"as the store knows it")
    for path in [*bucket.glob("?/*"), bucket / "with-checksum"]:
        # What was written just before it was read may have been written to after that.
        os.utime(path, (1_700_000_000, 1_700_000_000))
    manifest = tmp_path / "films.jsonl"
    written = command("sum", "--manifest-format", "jsonl", "--output", manifest, "s3://films", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    catalogue: list[str | Path] = ["--catalog", tmp_path / "catalog.sqlite"]
    added = command("collection", "add", "films", "s3://films", "--algorithm", "sha256", *catalogue, cwd=tmp_path)
    assert added.returncode == 0, added.stderr

    def told(*asked: str | Path) -> tuple[int, dict[str, int]]:
        ended = command("audit", "films", *asked, "--format", "json", *catalogue, cwd=tmp_path)
        return ended.returncode, json.loads(ended.stdout.splitlines()[-1])["verdicts"]

    def taken(name: str) -> tuple[int, dict[str, int]]:
        audit(spark, manifest, "s3://films", tmp_path / name, bin_files=30)
        return told("--by", tmp_path / name)

    assert taken("first") == (0, {"registered": 101})
    assert taken("second") == (0, {"intact": 101})
    # Its size and time are as they were: it is read again here before it is called corrupt, and before that is cleared.
    flip(bucket / "3" / "reel-52")
    assert taken("third") == (8, {"intact": 100, "corrupt": 1})
    flip(bucket / "3" / "reel-52")
    assert taken("fourth") == (0, {"intact": 101})
    # Rows have no digest of a content that the store itself keeps another checksum for. A reading here has.
    flip(bucket / "with-checksum")
    assert taken("fifth") == (16, {"intact": 100, "unreadable": 1})
    assert told() == (8, {"intact": 100, "corrupt": 1})


def tables(out: Path) -> dict[str, tuple[int, int]]:
    """By name, what distinguishes a file from one that is written anew."""
    found = ((path.name, path.stat()) for path in (out / "fingerprints").glob("part-*"))
    return {name: (facts.st_ino, facts.st_mtime_ns) for name, facts in found}


def test_a_job_that_is_killed_goes_on_and_reads_nothing_twice(
    tree: Path, manifest: Path, command: Command, tmp_path: Path
) -> None:
    change(tree)
    out = tmp_path / "run"
    asked: list[str | Path] = ["--known", manifest, "--source", tree, "--out", out, "--bin-files", "2"]
    first = run_command(*asked)
    until = time.monotonic() + 120
    while len(list((out / "fingerprints").glob("part-*"))) < 5:
        assert time.monotonic() < until and first.poll() is None, "it writes no table"
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    kept = tables(out)
    assert not (out / "_manifest.json").exists() and len(kept) < 152
    # Damage of what was kept is seen, and what could not be read is tried again.
    damaged = out / "fingerprints" / sorted(kept)[0]
    flip(damaged)

    code, said = ended(run_command(*asked))
    assert (code, by_command(command, tree, manifest)[0]) == (27, 27), said
    told = json.loads((out / "_manifest.json").read_text())
    now = tables(out)
    again = {name for name in kept if now.get(name) != kept[name]}
    # Besides, one that was killed before it had written its digest, and that of the file that cannot be read, may have to be read again.
    assert damaged.name in again and len(again) <= 4
    assert sorted(os.listdir(out / "fingerprints")) == [file["name"] for file in told["tables"]["fingerprints"]["files"]]
    assert told["files"] == 303 and sum(told["verdicts"].values()) == len(by_python(tree, manifest))

    # It is complete: no job of Spark is started, and the answer is the same.
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    code, said = ended(run_command(*asked, master="nonsense"))
    assert code == 27 and "nothing was read now" in said
    assert times == {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}


@pytest.fixture
def by_blake3(tree: Path, command: Command) -> Path:
    return listed(tree, command, "blake3.jsonl", "-a", "blake3", "--manifest-format", "jsonl")


def test_a_large_file_is_read_in_pieces_and_has_its_row_in_its_place(
    spark: SparkSession, tree: Path, by_blake3: Path, command: Command, tmp_path: Path
) -> None:
    change(tree)
    out = tmp_path / "run"
    verdicts = audit(spark, by_blake3, tree, out, bin_files=50, bin_bytes=1 << 20)
    ours = {(bytes(row.path), row.verdict, None if row.other is None else bytes(row.other)) for row in verdicts.collect()}
    code, theirs = by_command(command, tree, by_blake3)
    assert ours == theirs and (b"large", "ok", None) in ours
    told = json.loads((out / "_manifest.json").read_text())
    assert told["exit_code"] == code
    names = [file["name"] for file in told["tables"]["fingerprints"]["files"]]
    read = pyarrow.concat_tables([pyarrow.parquet.read_table(out / "fingerprints" / name) for name in names])
    alone = hashlane.sum_files(tree, "blake3").read_all()
    assert read.select(alone.column_names).equals(alone) and read["inode"].null_count == read["outcome"].to_pylist().count("failed")
    # Pieces are not left behind.
    assert sorted(os.listdir(out / "fingerprints")) == names


class Job:
    """The tasks of a job that reads one file in pieces, one by one."""

    def __init__(self, source: Path, out: Path, attempt: str, monkeypatch: pytest.MonkeyPatch) -> None:
        selection = Selection([os.fsencode(source)])
        request = Request(selection, ["blake3"], Limits(1 << 20, 100), os.fsencode(out), attempt)
        (out / "fingerprints").mkdir(parents=True, exist_ok=True)
        self._reader = PartReader(request)
        self.tasks = [partition for partition in self._reader.partitions() if isinstance(partition, PiecePartition)]
        self.told: list[Row] = []
        self._out = out
        self._monkeypatch = monkeypatch

    def run(self, number: int) -> tuple[bool, bool]:
        """Whether the task has read its piece anew, and whether it has reported a table."""
        # Times of files tick.
        time.sleep(0.02)
        anew: list[bool] = []

        def read_piece(path: bytes, offset: int, length: int, kept: list[bytes]) -> bytes | None:
            content = read(path, offset, length, kept)
            anew.append(content not in kept)
            return content

        with self._monkeypatch.context() as patch:
            read = _hashlane.read_piece
            patch.setattr(_hashlane, "read_piece", read_piece)
            (told,) = [row for batch in self._reader.read(self.tasks[number]) for row in batch.to_pylist()]
        assert (told["place"], told["of"]) == (self.tasks[number].place, self.tasks[number].of)
        self.told.append(Row(**told))
        return any(anew), told["rows"] is not None

    def run_others(self) -> None:
        """The tasks that read whole files."""
        for partition in self._reader.partitions():
            if not isinstance(partition, PiecePartition):
                list(self._reader.read(partition))

    def end(self, patience: float) -> None:
        """What the driver does when all tasks have ended."""
        assert tables_of(self.told, os.fsencode(self._out), patience) == [self.told[0].name]

    def row(self) -> dict[str, Any]:
        table = self._out / "fingerprints" / self.told[0].name
        (row,) = pyarrow.parquet.read_table(table).to_pylist()
        assert isinstance(row, dict)
        return row


def test_a_job_that_goes_on_reads_no_piece_twice_unless_the_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "file", tmp_path / "run"
    source.write_bytes(os.urandom(3 << 20))
    first = Job(source, out, "1", monkeypatch)
    assert [first.run(number) for number in (2, 0)] == [(True, False), (True, False)]
    second = Job(source, out, "2", monkeypatch)
    # That both of them are there from before does not make them all of it yet.
    assert [second.run(number) for number in (1, 2, 0)] == [(True, False), (False, False), (False, True)]
    assert second.row()["blake3"] == hashlane.new("blake3", source.read_bytes()).digest()
    assert second.run(1) == (False, True), "the table is there"

    out = tmp_path / "other"
    first = Job(source, out, "1", monkeypatch)
    first.run(0)
    source.chmod(0o640)
    second = Job(source, out, "2", monkeypatch)
    assert [second.run(number) for number in (1, 2, 0)] == [(True, False), (True, False), (True, True)]
    assert second.row()["outcome"] == "read"

    # What has changed in the middle is unstable, and is read again by the next job.
    out = tmp_path / "third"
    first = Job(source, out, "1", monkeypatch)
    first.run(0)
    source.chmod(0o600)
    assert [first.run(number) for number in (1, 2)] == [(True, False), (True, True)]
    assert (first.row()["outcome"], first.row()["blake3"]) == ("unstable", None)
    second = Job(source, out, "2", monkeypatch)
    assert [second.run(number)[1] for number in (1, 2, 0)] == [False, False, True]
    assert second.row()["outcome"] == "read"


def test_what_was_read_counts_though_a_file_more_has_moved_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "source", tmp_path / "run"
    source.mkdir()
    (source / "large").write_bytes(os.urandom(3 << 20))
    (source / "small").write_bytes(b"small")
    first = Job(source, out, "1", monkeypatch)
    assert [first.run(number) for number in (2, 0)] == [(True, False)] * 2
    (source / "a").write_bytes(b"a file before it")
    second = Job(source, out, "2", monkeypatch)
    assert [second.run(number) for number in (1, 2, 0)] == [(True, False), (False, False), (False, True)]
    second.run_others()
    before = tables(out)
    assert [name[:12] for name in sorted(before)] == ["part-000000-", "part-000001-", "part-000002-"]

    (source / "a").unlink()
    third = Job(source, out, "3", monkeypatch)
    assert third.run(0) == (False, True)
    third.run_others()
    gone, large, small = sorted(before)
    now = tables(out)
    assert now.pop(gone) == before[gone], "it stays until the run is complete"
    assert now == {
        large.replace("-000001-", "-000000-"): before[large],
        small.replace("-000002-", "-000001-"): before[small],
    }


@pytest.fixture
def pieces_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Job, Path, Path]:
    """A job whose tasks did not see the pieces of others, as on a shared file system that shows names late; its file, and where its pieces are."""
    source, out = tmp_path / "file", tmp_path / "run"
    source.write_bytes(os.urandom(3 << 20))
    job = Job(source, out, "1", monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(_pieces, "_content", lambda path: None)
        assert [job.run(number) for number in range(3)] == [(True, False)] * 3
    (place,) = (out / "fingerprints").glob(".*.pieces")
    return job, source, place


def test_pieces_that_no_task_saw_all_of_are_joined_by_the_driver(pieces_only: tuple[Job, Path, Path]) -> None:
    job, source, _ = pieces_only
    job.end(patience=0)
    assert job.row()["blake3"] == hashlane.new("blake3", source.read_bytes()).digest()


def test_the_driver_waits_for_a_piece_that_it_does_not_see_yet(pieces_only: tuple[Job, Path, Path]) -> None:
    job, source, place = pieces_only
    late = place / "000002.1"
    late.rename(place / ".late")
    appears = threading.Timer(0.5, lambda: (place / ".late").rename(late))
    appears.start()
    job.end(patience=60)
    appears.join()
    assert job.row()["blake3"] == hashlane.new("blake3", source.read_bytes()).digest()


def test_a_piece_that_stays_unseen_ends_the_job_and_says_nothing_of_the_file(
    pieces_only: tuple[Job, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, source, place = pieces_only
    (place / "000002.1").unlink()
    with pytest.raises(Unseen, match=r"000002\.1: a task has written this piece of a file, and it cannot be seen here"):
        job.end(patience=0.2)
    assert not list(place.parent.glob("part-*"))
    # The next job reads only what is missing.
    again = Job(source, tmp_path / "run", "2", monkeypatch)
    assert [again.run(number) for number in range(3)] == [(False, False), (False, False), (True, True)]
    again.end(patience=0)
    assert again.row()["blake3"] == hashlane.new("blake3", source.read_bytes()).digest()
    # A row that is missing is not a piece that is missing.
    job.told.pop()
    with pytest.raises(RuntimeError, match="Spark has returned 2 pieces of 3"):
        job.end(patience=0)


@pytest.mark.parametrize("whole", [1, 2])
def test_a_file_of_which_a_later_task_could_read_no_piece_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    source, out = tmp_path / "file", tmp_path / "run"
    source.write_bytes(bytes(3 << 20))
    job = Job(source, out, "1", monkeypatch)
    for number in range(3):
        with monkeypatch.context() as patch:
            if number == whole:
                patch.setattr(_hashlane, "read_piece", lambda *_: None)
            assert not job.run(number)[1]
    job.end(patience=0)
    assert (job.row()["outcome"], job.row()["blake3"]) == ("unstable", None)


def test_a_piece_that_cannot_be_read_is_the_row_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = tmp_path / "file", tmp_path / "run"
    source.write_bytes(bytes(3 << 20))
    job = Job(source, out, "1", monkeypatch)
    job.run(0)
    source.unlink()
    assert [job.run(number)[1] for number in (1, 2)] == [False, True]
    assert (job.row()["outcome"], job.row()["errno"], job.row()["blake3"]) == ("failed", 2, None)


def test_a_source_without_files_makes_no_run_complete(
    spark: SparkSession, tree: Path, manifest: Path, command: Command, tmp_path: Path
) -> None:
    place, out = tmp_path / "place", tmp_path / "run"
    place.mkdir()
    run = Audit.of([manifest], place, out, bin_bytes=1 << 30, bin_files=100)
    told = run.run(lambda: spark)
    assert told["exit_code"] == by_command(command, place, manifest)[0] == 16
    assert not (out / "_manifest.json").exists() and told["verdicts"] == {}
    with pytest.raises(hashlane.Error, match="the files may be elsewhere") as raised:
        audit(spark, manifest, place, tmp_path / "other")
    assert raised.value.filename == str(place)
    # What was not mounted is there now.
    place.rmdir()
    tree.rename(place)
    told = run.run(lambda: spark)
    assert told["passed"] and told["exit_code"] == by_command(command, place, manifest)[0] == 0
    assert (out / "_manifest.json").exists()
    # A table that is damaged later is not a result any more.
    (table,) = (out / "verdicts").iterdir()
    flip(table)
    with pytest.raises(Refused, match="is not as _manifest.json says"):
        run.run(lambda: pytest.fail("no session is needed"))


def test_what_cannot_be_asked_for_is_refused_before_a_job_begins(tree: Path, manifest: Path, tmp_path: Path) -> None:
    nowhere = "nonsense"
    out = tmp_path / "run"
    known: list[str | Path] = ["--known", manifest]
    refused: list[tuple[list[str | Path], int, str]] = [
        ([*known, "--source", tree, "--out", tree / "run"], 64, "lies in the source"),
        ([*known, "--source", tree], 64, "--out"),
        ([*known, "--source", tree, "--out", out, "--bin-files", "0"], 64, "1 or more"),
        ([*known, "--source", tree / "none", "--out", out], 64, "none: there is no such directory"),
        ([*known, "--source", manifest, "--out", out], 64, "there is no such directory"),
        ([*known, "--source", "", "--out", out], 64, "the source has no name"),
        (["--known", tree / "none", "--source", tree, "--out", out], 16, "none: No such file"),
        (["--known", tree / "large", "--source", tree, "--out", out], 64, "large: "),
        ([*known, "--source", tree, "--out", manifest / "run"], 74, "Not a directory"),
        ([*known, "--source", tree, "--out", out], 75, "nothing was judged"),
    ]
    for asked, code, why in refused:
        ended_with, said = ended(run_command(*asked, master=nowhere))
        assert ended_with == code and why in said, said
    with (out / "_lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert ended(run_command(*known, "--source", tree, "--out", out, master=nowhere))[0] == 75
    held = Audit.of([manifest], tree, out, bin_bytes=1, bin_files=1)
    with pytest.raises(Refused, match="bin_bytes"):
        held.run(lambda: pytest.fail("no session is needed"))


def test_a_part_of_an_earlier_job_counts_if_it_is_whole_and_all_of_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")

    def written(attempt: str, key: str, paths: list[Path]) -> Part:
        part = Part(os.fsencode(tmp_path), attempt, 0, 1, key)
        part.write(hashlane.sum_files(paths))
        return part

    def later(part: Part) -> str | None:
        return Part(part.out, "2", 0, 1, part.key, (part.name,)).found()

    good = written("1", "good", [tmp_path / "a"])
    assert good.found() == later(good) == good.name
    # The job that has written it may have reported it; another one reads it again.
    bad = written("1", "bad", [tmp_path / "a", tmp_path / "none"])
    assert bad.found() == bad.name and later(bad) is None
    path = Path(os.fsdecode(good.path))
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert later(good) is None and path.exists()
    path.write_bytes(content)
    assert later(good) == good.name
    # Its task was killed before it had noted the digest.
    (note,) = (tmp_path / "fingerprints").glob(".good-1.blake3")
    note.unlink()
    assert later(good) is None


@pytest.mark.parametrize("fails", ["open", "digest"])
def test_a_table_that_cannot_be_read_for_now_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    first = Part(os.fsencode(tmp_path), "1", 0, 1, "good")
    first.write(hashlane.sum_files(tmp_path / "a"))
    part = Part(first.out, "2", 0, 1, "good", (first.name,))

    def fail(*_: object) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    with monkeypatch.context() as patch:
        if fails == "open":
            patch.setattr(pyarrow.parquet, "ParquetFile", fail)
        else:
            patch.setattr(_parts, "_digest", fail)
        with pytest.raises(OSError, match="Stale file handle"):
            part.found()
    assert part.found() == first.name


def test_the_system_has_a_number_for_what_is_no_damage_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    first = Part(os.fsencode(tmp_path), "1", 0, 1, "good")
    assert first.found() is None
    first.write(hashlane.sum_files(tmp_path / "a"))
    part = Part(first.out, "2", 0, 1, "good", (first.name,))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        with pytest.raises(OSError) as raised:
            part.found()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert raised.value.errno == errno.EMFILE and part.found() == first.name
    Path(os.fsdecode(first.path)).write_bytes(b"PAR1 and then nothing of a table PAR1")
    assert part.found() is None


def test_a_task_that_comes_late_does_no_harm(spark: SparkSession, tree: Path, manifest: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()

    def reader(attempt: str) -> PartReader:
        request = Request(Selection([os.fsencode(tree)]), ["sha256"], Limits(1 << 30, 100), os.fsencode(out), attempt)
        (out / "fingerprints").mkdir(exist_ok=True)
        return PartReader(request)

    def names(reader: PartReader, partition: InputPartition) -> list[str]:
        return [row["name"] for batch in reader.read(partition) for row in batch.to_pylist()]

    # Two copies of a task that finds a damaged table: the second one reports the same table as the first.
    earlier = reader("1")
    task = earlier.partitions()[0]
    (damaged,) = names(earlier, task)
    flip(out / "fingerprints" / damaged)
    later = reader("2")
    task = later.partitions()[0]
    assert names(later, task) == names(later, task) != [damaged]
    # And one that wakes up when the run is complete.
    shutil.rmtree(out)
    told = Audit.of([manifest], tree, out, bin_bytes=1 << 30, bin_files=100).run(lambda: spark)
    before = sorted((path, path.stat().st_mtime_ns) for path in out.rglob("*") if path.name != "_lock")
    with pytest.raises(RuntimeError, match="this run is complete"):
        names(earlier, task)
    assert before == sorted((path, path.stat().st_mtime_ns) for path in out.rglob("*") if path.name != "_lock")
    run = Audit.of([manifest], tree, out, bin_bytes=1 << 30, bin_files=100)
    assert run.run(lambda: pytest.fail("no session is needed"))["run_id"] == told["run_id"]


def test_a_job_that_fails_just_before_its_end_goes_on_with_all_that_was_read(
    spark: SparkSession, tree: Path, manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    run = Audit.of([manifest], tree, out, bin_bytes=1 << 30, bin_files=50)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(_run, "_tables", full)
        with pytest.raises(OSError, match="No space left"):
            run.run(lambda: spark)
    kept = tables(out)
    assert len(kept) > 5 and not (out / "_manifest.json").exists()
    assert run.run(lambda: spark)["is_complete"] and tables(out) == kept
    assert not list((out / "fingerprints").glob(".*"))


def test_a_directory_that_only_the_listing_could_not_search_is_not_read_past_the_selection(tree: Path) -> None:
    request = Request(Selection([os.fsencode(tree)], exclude=("*",)), ["sha256"], Limits(1 << 30, 100))
    paths = [os.fsencode(tree / name) for name in ("large", "1", "7/too")]
    unseen = Bin(zlib.compress(b"\0".join(paths)), 0, len(paths), False, "key")
    found = request.read(unseen, identity=True).read_all().to_pylist()
    assert [(row["path"], row["outcome"]) for row in found] == list(zip(paths, ["read", "failed", "read"]))


def test_a_task_that_still_writes_does_not_fail_the_job_that_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, attempt = "0" * 32, "a" * 16
    ours = [f".{key}.pieces/000000.1", f".{key}-{attempt}.blake3", f".{key}.partial", f"part-000000-{key}-{attempt}.parquet"]
    others = ["kept", ".other.partial", "part-of-something.parquet"]
    (tmp_path / f".{key}.pieces").mkdir()
    for name in ours + others:
        (tmp_path / name).touch()
    unlink = os.unlink

    def gone(path: str | bytes, **options: Any) -> None:
        unlink(path, **options)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def filled(path: str | bytes, **_: Any) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)

    monkeypatch.setattr(os, "unlink", gone)
    monkeypatch.setattr(os, "rmdir", filled)
    remove_other_tables(os.fsencode(tmp_path), ["kept"])
    remove_notes(os.fsencode(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted([f".{key}.pieces", *others])


def test_a_table_is_written_once_whoever_ends_first(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "tables" / "table")
    with once(path) as slow:
        slow.write(b"slow")
        with once(path) as fast:
            fast.write(b"fast")
    assert (tmp_path / "tables" / "table").read_bytes() == b"fast"
    with pytest.raises(ValueError), once(path + b"2") as broken:
        broken.write(b"half")
        raise ValueError
    assert os.listdir(tmp_path / "tables") == ["table"]


def test_exit_codes_are_those_of_the_command(tree: Path, manifest: Path, command: Command) -> None:
    def same() -> int:
        code = exit_code(hashlane.audit(manifest, tree).report())
        assert code == by_command(command, tree, manifest)[0]
        return code

    assert same() == 0
    (tree / "7" / "too").unlink()
    assert same() == 2
    (tree / "copy").write_bytes((tree / "7" / "alike").read_bytes())
    assert same() == 3
    (tree / "3" / "file 101").write_bytes(b"other")
    assert same() == 7
    flip(tree / "large")
    assert same() == 15
    (tree / "4" / "file 011").unlink()
    (tree / "4" / "file 011").symlink_to("file 011")
    assert same() == 31
