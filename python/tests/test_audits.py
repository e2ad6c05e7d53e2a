"""Checks and audits of manifests."""

import errno
import hashlib
import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet
import pytest

import hashlane
from conftest import Command
from hashlane import Verdict


@pytest.fixture
def manifest(tree: Path) -> Path:
    """What the tree holds, in the lines of sha256sum and relative to it."""
    path = tree.parent / "tree.sha256"
    with path.open("wb") as file:
        for found in sorted(os.fsencode(found) for found in tree.rglob("*") if found.is_file()):
            name = os.path.relpath(found, os.fsencode(tree))
            file.write(hashlib.sha256(Path(os.fsdecode(found)).read_bytes()).hexdigest().encode() + b"  " + name + b"\n")
    return path


def test_the_names_of_verdicts_are_those_of_the_libraries() -> None:
    assert [verdict.value for verdict in Verdict] == hashlane._hashlane.verdict_names()
    assert [kind.value for kind in hashlane.Difference] == hashlane._hashlane.difference_names()
    names = hashlane._hashlane.collection_verdict_names()
    assert [verdict.value for verdict in hashlane.CollectionVerdict] == names


def test_a_tree_that_is_as_listed_passes(tree: Path, manifest: Path) -> None:
    for findings in (hashlane.check(manifest, tree), hashlane.audit(manifest, tree)):
        found = list(findings)
        assert {finding.verdict for finding in found} == {Verdict.OK} and len(found) == 304
        odd = next(finding for finding in found if "utf-8" in finding.path)
        assert (tree / odd.path).read_bytes() == b"x"
        assert odd.seen is not None and odd.seen.digests == {"sha256": hashlib.sha256(b"x").hexdigest()}
        report = findings.report()
        assert report.passed and report.ended == "complete" and report.problems == []
        assert report.counts == {Verdict.OK: 304} and report.files == 304
        assert report.size == sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())


def test_one_flipped_byte_is_named_and_nothing_else(tree: Path, manifest: Path) -> None:
    path = tree / "3" / "file 101"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    for findings in (hashlane.check(manifest, tree), hashlane.audit(manifest, tree)):
        bad = [finding for finding in findings if finding.verdict != Verdict.OK]
        assert [(finding.path, finding.verdict) for finding in bad] == [("3/file 101", Verdict.CHANGED)]
        assert bad[0].known is not None and bad[0].seen is not None
        assert bad[0].known.digests != bad[0].seen.digests
        assert bad[0].seen.digests == {"sha256": hashlib.sha256(content).hexdigest()}
        report = findings.report()
        assert not report.passed and report.counts == {Verdict.OK: 303, Verdict.CHANGED: 1}


def test_verdicts_are_those_of_the_command(tree: Path, manifest: Path, command: Command) -> None:
    (tree / "1" / "file 001").rename(tree / "moved")
    (tree / "2" / "file 002").unlink()
    (tree / "new").write_bytes(b"nobody knows this")
    (tree / "copy").write_bytes((tree / "3" / "file 010").read_bytes())
    told = command("check", "--audit", "--format", "json", "--base", tree, manifest, cwd=tree.parent)
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    theirs = {(line["path"], line["verdict"], line.get("other")) for line in lines if "path" in line}
    findings = hashlane.audit(manifest, tree)
    ours = {(finding.path, finding.verdict.value, finding.other) for finding in findings}

    def known_to_json(told: set[tuple[str, str, str | None]]) -> set[tuple[str, str, str | None]]:
        return {one for one in told if "utf-8" not in one[0]}

    assert known_to_json(ours) == known_to_json(theirs) and len(ours) == len(theirs)
    assert ("moved", "moved", "1/file 001") in ours
    report = findings.report()
    assert not report.passed and report.counts[Verdict.MISSING] == 1
    complete = hashlane.check(manifest, tree, complete=True)
    assert {finding.path for finding in complete if finding.verdict == Verdict.NEW} == {"moved", "new", "copy"}


def test_verdicts_on_what_others_have_read_are_the_same(tree: Path, manifest: Path) -> None:
    (tree / "1" / "file 001").rename(tree / "moved")
    (tree / "2" / "file 002").unlink()
    (tree / "3" / "file 003").write_bytes(b"changed")
    (tree / "4" / "file 004").unlink()
    (tree / "4" / "file 004").symlink_to("file 004")
    # A list is not of the tree, wherever it lies.
    manifest = manifest.rename(tree / manifest.name)
    parts = [tree.parent / f"part-{number}.parquet" for number in range(8)]
    for number, path in enumerate(parts[:7]):
        pyarrow.parquet.write_table(hashlane.sum_files(tree / f"{number}").read_all(), path)
    others = [path for path in tree.iterdir() if path.is_file()] + [tree / "7"]
    pyarrow.parquet.write_table(hashlane.sum_files(others).read_all(), parts[7])

    def told(findings: hashlane.Findings[Verdict]) -> set[tuple[str, Verdict, str | None, int | None]]:
        return {(finding.path, finding.verdict, finding.other, finding.errno) for finding in findings}

    here, there = hashlane.audit(manifest, tree), hashlane.audit(manifest, tree, seen=parts)
    assert told(here) == told(there) and here.report().counts == there.report().counts
    assert here.report().counts[Verdict.MOVED] == 1 and not there.report().passed
    with pytest.raises(hashlane.Error) as raised:
        hashlane.audit(manifest, tree, seen=manifest).report()
    assert raised.value.filename == str(manifest) and "has no size" in str(raised.value)


def test_differences_are_those_of_the_command(tree: Path, tmp_path: Path, command: Command) -> None:
    def told(a: str, b: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        run = command("diff", "--format", "json", a, b, cwd=tmp_path)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        theirs = {(line["path"], line["difference"]) for line in lines if "path" in line}
        return theirs, {(finding.path, finding.verdict.value) for finding in hashlane.diff(a, b)}

    for name in ("old.parquet", "new.parquet"):
        if name == "new.parquet":
            (tree / "5" / "file 012").write_bytes(b"other")
            (tree / "6" / "file 013").unlink()
            (tree / "new").write_bytes(b"new")
        pyarrow.parquet.write_table(hashlane.sum_files("tree").read_all(), name)
    changes = {("tree/5/file 012", "changed"), ("tree/6/file 013", "missing"), ("tree/new", "new")}
    assert told("old.parquet", "new.parquet") == (changes, changes)
    assert told("old.parquet", "tree") == (changes, changes)
    back = {("tree/5/file 012", "changed"), ("tree/6/file 013", "new"), ("tree/new", "missing")}
    assert told("tree", "old.parquet") == (back, back)

    findings = hashlane.diff("old.parquet", "new.parquet")
    changed = next(finding for finding in findings if finding.verdict == hashlane.Difference.CHANGED)
    assert changed.seen is not None and changed.known is not None
    assert changed.seen.digests == {"sha256": hashlib.sha256(b"other").hexdigest()} != changed.known.digests
    report = findings.report()
    assert not report.passed and report.counts[hashlane.Difference.SAME] == 302
    report = hashlane.diff("new.parquet", "tree").report()
    assert report.passed and report.files == 304
    with pytest.raises(ValueError, match="both directories"):
        hashlane.diff("tree", "tree")
    with pytest.raises(hashlane.Error) as raised:
        hashlane.diff("tree", "none.sha256")
    assert (raised.value.filename, raised.value.errno) == ("none.sha256", errno.ENOENT)


def test_a_file_that_cannot_be_read_has_a_reason_and_its_number(tree: Path, manifest: Path) -> None:
    path = tree / "4" / "file 011"
    path.unlink()
    path.symlink_to("file 011")
    os.chdir(tree)
    seen = tree.parent / "seen.parquet"
    pyarrow.parquet.write_table(hashlane.sum_files([*tree.glob("*/*"), tree / "large"], recursive=False).read_all(), seen)
    for findings in (hashlane.check(manifest), hashlane.audit(manifest, tree), hashlane.audit(manifest, tree, seen=seen)):
        (bad,) = [finding for finding in findings if finding.verdict == Verdict.UNREADABLE]
        assert (bad.path, bad.errno) == ("4/file 011", errno.ELOOP)
        assert bad.reason and bad.seen is None


def test_lines_that_are_none_are_told(tree: Path, manifest: Path) -> None:
    with manifest.open("ab") as file:
        file.write(b"what is this\n")
    for findings in (hashlane.check(manifest, tree), hashlane.audit(manifest, tree)):
        (problem,) = findings.report().problems
        assert problem.startswith(str(manifest)) and ": line 305: " in problem


def test_what_cannot_be_compared_is_an_error_with_path_and_errno(tree: Path, manifest: Path) -> None:
    for call in (hashlane.check, hashlane.audit):
        with pytest.raises(hashlane.Error) as raised:
            call("none.sha256", tree)
        assert isinstance(raised.value, OSError)
        assert (raised.value.filename, raised.value.errno) == ("none.sha256", errno.ENOENT)
        assert str(raised.value) == "none.sha256: No such file or directory"
        again = pickle.loads(pickle.dumps(raised.value))
        assert (type(again), again.filename, again.errno, str(again)) == (
            hashlane.Error,
            "none.sha256",
            errno.ENOENT,
            str(raised.value),
        )
        with pytest.raises(hashlane.Error) as raised:
            call(manifest, "nowhere")
        assert (raised.value.filename, raised.value.errno) == ("nowhere", errno.ENOENT)
        with pytest.raises(hashlane.Error) as raised:
            call(tree / "new file", tree)
    empty = tree.parent / "empty.sha256"
    empty.touch()
    with pytest.raises(hashlane.Error) as raised:
        hashlane.audit(empty, tree)
    assert raised.value.filename == str(empty) and raised.value.errno is None


def test_what_the_command_calls_wrong_usage_is_a_usage_error(tree: Path, tmp_path: Path, command: Command) -> None:
    lists = {
        "not proven": ("a" * 64 + "  large\n", 16),
        "nothing to go by": ("a" * 64 + "  none\n", 16),
        "no manifest": ("what is this\n", 64),
        "empty": ("", 16),
    }
    for name, (lines, code) in lists.items():
        path = tmp_path / name
        path.write_text(lines)
        for call, asked in ((hashlane.audit, ["--audit"]), (hashlane.check, [])):
            ended = command("check", *asked, "--base", tree, path, cwd=tmp_path)
            if ended.returncode == 2:
                # A check looks for each file, whatever its algorithm.
                continue
            assert ended.returncode == code, ended
            with pytest.raises(hashlane.Error) as raised:
                call(path, tree).report()
            error = hashlane.UsageError if code == 64 else hashlane.Error
            assert (type(raised.value), raised.value.filename) == (error, str(path)), name
    with pytest.raises(ValueError, match="is not a directory"):
        hashlane.audit(tmp_path / "not proven", tree / "large").report()


def test_several_threads_are_told_the_same_end(tree: Path, manifest: Path, tmp_path: Path) -> None:
    (tree / "large").unlink()
    table = tmp_path / "seen.parquet"
    pyarrow.parquet.write_table(hashlane.sum_files(tree).read_all().drop_columns(["size_bytes"]), table)
    with ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            findings = hashlane.check(manifest, tree)
            reports = [threads.submit(findings.report) for _ in range(8)]
            assert {report.result().ended for report in reports} == {"complete"}
        findings = hashlane.audit(manifest, tree, seen=table)
        reports = [threads.submit(findings.report) for _ in range(8)]
        assert {str(report.exception()) for report in reports} == {f"{table}: line 1: has no size; use a format that lists sizes"}


def test_findings_may_be_dropped(manifest: Path, tree: Path) -> None:
    findings = hashlane.audit(manifest, tree)
    next(findings)
    del findings
    findings = hashlane.audit(manifest, tree)
    next(findings)
    assert findings.report().passed
