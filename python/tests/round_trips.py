"""Lists of a source, however they were written: what tests of round trips have in common."""

from __future__ import annotations

from pathlib import Path

import hashlane
import pyarrow.parquet
from cluster import Store
from conftest import Command

FILES = {"a": b"one", "d/b": b"two", "d/e/c": b"three", "t.old": b"one"}
"""What lies in each source."""

FORMATS = {"gnu": True, "csv": False, "jsonl": True, "parquet": True}
"""The formats of lists, and whether they have a place for a header."""

LISTS = 2 * len(FORMATS) - 1 + 1
"""How many lists of a source there are."""


def make_tree(root: Path) -> None:
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_buckets(store: Store, name: str) -> list[str]:
    """The same as objects: in a bucket, and in one that keeps versions. Older ones have other contents."""
    make_tree(store.folder / name / "t")
    versioned = f"{name}-versioned"
    (store.folder / versioned).mkdir()
    store.keep_versions(versioned)
    for key, content in FILES.items():
        for version in (b"older", content):
            store.put(versioned, f"t/{key}", version)
    return [f"s3://{name}/t", f"s3://{versioned}/t"]


def write_lists(source: str, where: Path, command: Command) -> list[Path]:
    """Lists of a source by the command, in all formats that a table may have, and by Python."""
    lists = []
    for form, has_header in FORMATS.items():
        for header in ("--header", "--no-header") if has_header else ("--no-header",):
            lists.append(where / f"list{header}.{form}")
            written = command("sum", "--quiet", "--manifest-format", form, header, "--output", lists[-1], source, cwd=where)
            assert written.returncode == 0, written.stderr
    lists.append(where / "sum_files.parquet")
    pyarrow.parquet.write_table(hashlane.sum_files(source).read_all(), lists[-1])
    assert len(lists) == LISTS
    return lists


def are_whole(findings: hashlane.Findings[hashlane.Verdict]) -> None:
    """All files are there by the names that they have in the source, and nothing else is reported."""
    found = {finding.path.removeprefix("s3://").rpartition("/t/")[2]: finding.verdict.value for finding in findings}
    report = findings.report()
    assert set(found.values()) == {"ok"} and sum(report.counts.values()) == len(FILES), (found, report)
    assert report.passed and not report.problems, report
