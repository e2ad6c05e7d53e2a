"""Digests of files and trees as tables."""

import errno
import hashlib
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import hashlane
from conftest import Command


def test_rows_are_those_that_the_command_writes(tree: Path, command: Command, tmp_path: Path) -> None:
    (tree / "dangling").symlink_to("nowhere")
    asked = ["tree", "missing", "dangling"]
    written = command(
        "sum", "-a", "md5,sha256", "--manifest-format", "parquet", "--output", "rows.parquet", *asked, cwd=tmp_path
    )
    assert written.returncode == 16, written.stderr
    theirs = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    ours = hashlane.sum_files(asked, ["md5", "sha256"]).read_all()
    # A group of rows is sorted by name; a run keeps the order of its inputs.
    assert ours.num_rows == 304 + 2
    assert ours.sort_by("path").equals(theirs.sort_by("path"))
    # With the same numbers of fields, so that a table that Python writes is a manifest, too.
    pyarrow.parquet.write_table(ours, tmp_path / "ours.parquet")
    schema, known = (pyarrow.parquet.read_schema(tmp_path / name) for name in ("ours.parquet", "rows.parquet"))
    key = b"PARQUET:field_id"
    ids = [[(field.metadata or {})[key] for field in fields] for fields in (schema, known)]
    assert ids[0] == ids[1]
    checked = command("check", "ours.parquet", cwd=tmp_path)
    assert b"OK" in checked.stdout and b"FAILED" not in checked.stdout, checked


def test_a_file_that_cannot_be_read_is_a_row(tree: Path) -> None:
    table = hashlane.sum_files(["tree/large", "missing"], "md5").read_all().to_pylist()
    assert [row["path"] for row in table] == [b"tree/large", b"missing"]
    assert table[0]["md5"] == hashlib.md5(bytes(40 << 20)).digest()
    missing = table[1]
    assert (missing["outcome"], missing["operation"], missing["errno"]) == ("failed", "open", errno.ENOENT)
    assert missing["md5"] is None and missing["error"] == "No such file or directory"


def test_directories_are_walked_only_where_that_is_asked_for(tree: Path) -> None:
    rows = hashlane.sum_files("tree", recursive=False).read_all().to_pylist()
    assert [(row["path"], row["errno"]) for row in rows] == [(b"tree", errno.EISDIR)]
    rows = hashlane.sum_files(b"tree", include=["**/file 1*"], exclude=["**/*3"]).read_all().to_pylist()
    names = [row["path"] for row in rows]
    assert names and all(b"file 1" in name and not name.endswith(b"3") for name in names)


def test_a_listing_has_what_would_be_read_and_reads_nothing(tree: Path) -> None:
    (tree / "dangling").symlink_to("nowhere")
    (tree / "linked").symlink_to("large")
    os.mkfifo(tree / "pipe")
    listed = hashlane.list_files(["tree", "missing"]).read_all()
    read = hashlane.sum_files(["tree", "missing"]).read_all()
    both = ["path", "size_bytes", "mtime", "mtime_nanos"]
    assert listed.select(both).equals(read.select(both)) and listed.num_rows == 305
    assert listed.to_pylist()[-1] == dict.fromkeys(listed.column_names) | {"path": b"missing"}
    micros = listed["ctime"].cast(pyarrow.int64()).to_pylist()
    changed = dict(zip(listed["path"].to_pylist(), zip(micros, listed["ctime_nanos"].to_pylist())))
    nanos = (tree / "large").stat().st_ctime_ns
    assert listed.column_names == [*both, "ctime", "ctime_nanos"]
    assert changed[b"tree/large"] == (nanos // 1000, nanos % 1000)
    (tree / "dangling").unlink()
    followed = hashlane.list_files("tree", follow=True, include=["**/l*"], exclude=["large"])
    assert followed.read_all()["path"].to_pylist() == [b"tree/linked"]


def test_several_threads_list_the_rows_of_one_in_its_order(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path / "root")
    names = [b"a", b"a-b/c", b"a.b", b"b/a", b"b-/a", b"\xff\xfe/\x80", b"\xff-", b"z/" + b"deep/" * 40 + b"file"]
    names += [b"wide/%d/%s" % (number, name) for number in range(120) for name in (b"1", b"2/3", b"2-", b"4/5/6")]
    names += [b"many/%d" % number for number in range(2000)]
    for name in names:
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(name)
    os.makedirs(os.path.join(root, b"empty/inside"))
    os.symlink("wide", os.path.join(root, b"linked"))
    os.symlink("nowhere", os.path.join(root, b"dangling"))
    kinds: list[dict[str, Any]] = [{}, {"follow": True}, {"include": ["**/1*"], "exclude": ["wide/11*"]}]
    for asked in kinds:
        one = hashlane.list_files(root, **asked, jobs=1).read_all()
        read = hashlane.sum_files(root, "xor32", **asked).read_all()
        both = one.column_names[:4]
        assert one.select(both).equals(read.select(both)) and one.num_rows > 100
        for jobs in (2, 3, 30, None):
            assert hashlane.list_files(root, **asked, jobs=jobs).read_all().equals(one), (asked, jobs)
    for jobs in (0, -1):
        with pytest.raises(ValueError, match="jobs: at least one"):
            hashlane.list_files(root, jobs=jobs)


@pytest.mark.parametrize("jobs", [2, 8])
def test_files_are_looked_at_while_their_directories_are_open(tmp_path: Path, jobs: int) -> None:
    # By its whole path no file could be looked at: it is longer than the system takes.
    names = [f"{number:03}" for number in range(500)]
    at = os.open(tmp_path, os.O_RDONLY)
    for depth in range(21):
        folder = f"{depth:0200}"
        os.mkdir(folder, dir_fd=at)
        below = os.open(folder, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    for name in names:
        os.mkdir(name, dir_fd=at)
        os.close(os.open(f"{name}/file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    listed = hashlane.list_files(tmp_path, jobs=jobs).read_all()
    assert [os.fsencode(row["path"])[-8:] for row in listed.to_pylist()] == [f"{name}/file".encode() for name in names]
    assert listed["size_bytes"].to_pylist() == [0] * len(names)


def test_batches_of_a_listing_come_as_it_is_made(tmp_path: Path) -> None:
    for number in range(40_000):
        (tmp_path / f"{number:05}").touch()
    reader = hashlane.list_files(tmp_path)
    assert 0 < reader.read_next_batch().num_rows < 40_000
    del reader
    paths = [os.fsencode(row["path"]) for batch in hashlane.list_files(tmp_path) for row in batch.to_pylist()]
    assert len(paths) == 40_000 and paths == sorted(paths)


def test_batches_come_as_they_are_read_and_a_reader_may_be_dropped(tmp_path: Path) -> None:
    for number in range(40_000):
        (tmp_path / f"{number:05}").touch()
    reader = hashlane.sum_files(tmp_path, ["md5"], jobs=1)
    first = reader.read_next_batch()
    assert 0 < first.num_rows < 40_000
    del reader
    assert sum(batch.num_rows for batch in hashlane.sum_files(tmp_path, ["md5"])) == 40_000


def test_a_time_that_no_column_holds_is_none() -> None:
    # In memory there are such times.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        for name in ("late", "now"):
            Path(place, name).write_bytes(name.encode())
        os.utime(Path(place, "late"), (0, 9223372036855))
        read, listed = hashlane.sum_files(place).read_all(), hashlane.list_files(place).read_all()
    assert read["sha256"].to_pylist() == [hashlib.sha256(name).digest() for name in (b"late", b"now")]
    for rows in (read, listed):
        assert rows["size_bytes"].to_pylist() == [4, 3]
        for column in ("mtime", "mtime_nanos"):
            assert [value is None for value in rows[column].to_pylist()] == [True, False]


def test_what_cannot_be_asked_for_is_an_error_of_the_call(tree: Path) -> None:
    with pytest.raises(ValueError, match="unsupported algorithm sha0"):
        hashlane.sum_files("tree", ["sha0"])
    with pytest.raises(ValueError, match="no algorithm"):
        hashlane.sum_files("tree", [])
    with pytest.raises(ValueError, match="two calls"):
        hashlane.sum_files(["tree", "s3://bucket/key"])
    for jobs in (0, -1):
        with pytest.raises(ValueError, match="jobs: at least one"):
            hashlane.sum_files("tree", jobs=jobs)
    with pytest.raises(ValueError, match="include: a"):
        hashlane.sum_files("tree", include=["a["])


def test_a_store_that_cannot_be_reached_is_an_error_with_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with pytest.raises(hashlane.Error) as raised:
        hashlane.sum_files("s3://bucket/prefix")
    assert raised.value.filename == "s3://bucket/prefix"
    assert raised.value.errno is None and raised.value.strerror


@pytest.mark.parametrize(
    "url",
    [
        "https://me:TopSecret@127.0.0.1:9/k",
        "https://127.0.0.1:9/a/../k?X-Amz-Signature=TopSecret",
        "https://127.0.0.1:9/?token=TopSecret#x",
    ],
)
def test_no_exception_shows_the_secret_of_a_url(url: str) -> None:
    with pytest.raises(hashlane.Error) as raised:
        hashlane.sum_files(url)
    error = raised.value
    assert "TopSecret" not in f"{error} {error!r} {error.filename} {error.args}"
    assert error.filename.startswith("https://")


def test_a_signal_ends_a_call_that_waits(tmp_path: Path, interrupt_soon: Callable[[], None]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # Somebody holds it open for writing and writes nothing: it would be read for ever.
    keeper = os.open(fifo, os.O_RDWR)
    try:
        reader = hashlane.sum_files(fifo, ["md5"])
        interrupt_soon()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            reader.read_all()
        assert time.monotonic() - began < 5
    finally:
        os.close(keeper)


def test_a_forked_process_is_told_that_its_parent_reads(tree: Path) -> None:
    reader = hashlane.sum_files("tree", jobs=1)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            reader.read_next_batch()
        except RuntimeError as error:
            os._exit(0 if "begin to read after the fork" in str(error) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.read_all().num_rows == 304


def test_one_glob_is_not_taken_for_its_letters(tree: Path) -> None:
    (tree / "1.raw").write_bytes(b"raw")
    assert hashlane.sum_files("tree", include="*.raw").read_all()["path"].to_pylist() == [b"tree/1.raw"]
    assert hashlane.sum_files("tree", exclude="*.raw").read_all().num_rows == 304
    assert hashlane.list_files("tree", include="*.raw").read_all().num_rows == 1
