"""A list of a source, by whatever writer, used on the same source: what has not changed comes out whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hashlane
import pytest

pyarrow = pytest.importorskip("pyarrow")

from cluster import Store
from conftest import Command
from round_trips import FILES, LISTS, are_whole, make_buckets, make_tree, write_lists

Reader = Callable[[Path, str], None]


def taken_off(source: str) -> str | None:
    """Relative names are relative to a base, whatever they begin with: that they begin with the source is for the caller to say."""
    return None if source.startswith("/") or "://" in source else source


def checks(known: Path, source: str) -> None:
    are_whole(hashlane.check(known))


def checks_below(known: Path, source: str) -> None:
    are_whole(hashlane.check(known, source, strip_prefix=taken_off(source)))


def checks_all(known: Path, source: str) -> None:
    are_whole(hashlane.check(known, source, complete=True, strip_prefix=taken_off(source)))


def audits(known: Path, source: str) -> None:
    are_whole(hashlane.audit(known, source, strip_prefix=taken_off(source)))


def compares(known: Path, source: str, base: str | None = None) -> None:
    prefix = taken_off(source) if base is not None else None
    findings = hashlane.diff(known, source, base, algorithm="sha256", strip_prefix=prefix)
    report = findings.report()
    assert report.passed and report.counts == {hashlane.Difference.SAME: len(FILES)}, report


def compares_below(known: Path, source: str) -> None:
    compares(known, source, source)


READERS: list[Reader] = [checks, checks_below, checks_all, audits]
OF_FILES: list[Reader] = [compares, compares_below]


def round_trips(source: str, where: Path, command: Command, readers: list[Reader]) -> int:
    pairs = 0
    lists = write_lists(source, where, command)
    for known in lists:
        for reader in readers:
            reader(known, source)
            pairs += 1
    # What Python has written, the command reads.
    table = lists[-1]
    name, catalogue = f"c{abs(hash(source))}", ["--catalog", where / "catalog.sqlite"]
    added = command("collection", "add", name, source, "--algorithm", "sha256", *catalogue, cwd=where)
    assert added.returncode == 0, added.stderr
    prefix = taken_off(source)
    off = [] if prefix is None else ["--strip-prefix", prefix]
    for arguments, told in [
        (["check", "--audit", "--base", source, *off, table], f"{len(FILES)} files found"),
        (["check", "--complete", "--base", source, *off, table], f"{len(FILES)} OK by sha256"),
        (["diff", table, source], f"the same: {len(FILES)} same"),
        (["collection", "import", name, table, *off, *catalogue], f"{len(FILES)} files registered by sha256"),
        (["audit", name, *catalogue], f"{len(FILES)} registered"),
    ]:
        done = command(*arguments, cwd=where)
        assert done.returncode == 0 and (told in done.stderr.decode() or "--audit" in arguments), done
        assert done.stdout.count(b"\n") == (0 if arguments[0] in ("diff", "collection", "audit") else len(FILES)), done
        pairs += 1
    return pairs


def test_lists_of_a_directory_are_lists_of_it(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree(tmp_path / "t")
    readers = READERS + OF_FILES
    pairs = sum(round_trips(source, tmp_path, command, readers) for source in ("t", str(tmp_path / "t")))
    print(f"{pairs} pairs of a writer and a reader, of directories")
    assert pairs == 2 * (LISTS * len(readers) + 5)


def test_lists_of_objects_are_lists_of_them(
    store: Store | None, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    if store is None:
        pytest.skip("HASHLANE_VERSITYGW names no server")
    monkeypatch.chdir(tmp_path)
    sources = make_buckets(store, "round-trips")
    pairs = sum(round_trips(source, tmp_path, command, READERS) for source in sources)
    print(f"{pairs} pairs of a writer and a reader, of objects")
    assert pairs == 2 * (LISTS * len(READERS) + 5)
    # Versions are no objects as they are now.
    versions = tmp_path / "versions.jsonl"
    asked = ["sum", "--versions", "--manifest-format", "jsonl", "--output", versions, sources[1]]
    assert command(*asked, cwd=tmp_path).returncode == 0
    with pytest.raises(hashlane.UsageError, match="is a version of an object"):
        hashlane.audit(versions, sources[1])


def test_a_list_of_another_place_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree(tmp_path / "t")
    known = tmp_path / "known.parquet"
    pyarrow.parquet.write_table(hashlane.sum_files(str(tmp_path / "t")).read_all(), known)
    # What is in the current directory says nothing of absolute names.
    with pytest.raises(hashlane.UsageError, match="all listed names are absolute"):
        hashlane.audit(known)
    (tmp_path / "t").rename(tmp_path / "moved")
    first = f"{tmp_path}/t/a does not lie below moved; strip_prefix"
    for call in (hashlane.check, hashlane.audit):
        with pytest.raises(hashlane.UsageError, match=first) as raised:
            call(known, "moved")
        assert raised.value.filename == str(known)
        are_whole(call(known, "moved", strip_prefix=tmp_path / "t"))
    with pytest.raises(hashlane.UsageError, match=first):
        hashlane.diff(known, "moved", "moved")
    assert hashlane.diff(known, "moved", "moved", strip_prefix=tmp_path / "t").report().passed


def test_relative_names_that_begin_with_the_source_are_never_those_of_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree(tmp_path / "t")
    known = tmp_path / "known.parquet"
    pyarrow.parquet.write_table(hashlane.sum_files("t").read_all(), known)
    for call in (hashlane.check, hashlane.audit):
        report = call(known, "t").report()
        assert not report.passed, report
        assert any("strip_prefix takes it off" in problem for problem in report.problems) or call is hashlane.check, report


def test_objects_are_not_taken_for_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree(tmp_path / "t")
    known = tmp_path / "SHA256SUMS"
    known.write_text(f"{hashlane.new('sha256').hexdigest()}  s3://b/k\n")
    for call in (hashlane.check, hashlane.audit):
        with pytest.raises(hashlane.UsageError, match="is the name of an object, and files are looked for"):
            call(known, "t")
    sides: list[tuple[str | Path, str | Path]] = [(known, "t"), ("t", known)]
    for a, b in sides:
        with pytest.raises(hashlane.UsageError, match="is the name of an object, and files are looked for"):
            hashlane.diff(a, b)
    with pytest.raises(ValueError, match="objects are compared by the command"):
        hashlane.diff(known, "t", "s3://b")
    # Whole names are asked for in their store, which is not there.
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    (finding,) = hashlane.check(known)
    assert finding.verdict == hashlane.Verdict.UNREADABLE
    with pytest.raises(hashlane.Error, match="cannot be reached"):
        hashlane.check(known, "s3://b")
    with pytest.raises(hashlane.UsageError, match="name where to look for others"):
        hashlane.audit(known)


def test_an_open_file_is_no_list_of_names(tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("s3://b/k\n")
    for call in (hashlane.sum_files, hashlane.list_files, hashlane.check, lambda file: hashlane.audit(file, tmp_path)):
        with names.open() as file, pytest.raises(ValueError, match="is an open file, not a name"):
            call(file)
