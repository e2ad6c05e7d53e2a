"""The table of verdicts that the tests of the program and of its libraries read, too."""

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

import pyarrow.parquet
import pytest

import hashlane
from hashlane import Finding, Verdict
from hashlane.spark._exit_codes import exit_code

TABLE = Path(__file__).parents[2] / "tests" / "fixtures" / "verdicts.json"

BITS = {"ok": 0, "changed": 4, "collision": 4, "corrupt": 8}


def nanoseconds(time: str) -> int:
    whole, _, fraction = time.removesuffix("Z").partition(".")
    seconds = int(datetime.fromisoformat(whole).replace(tzinfo=timezone.utc).timestamp())
    return seconds * 10**9 + int(fraction.ljust(9, "0"))


@pytest.fixture
def cases(tmp_path: Path) -> dict[str, str]:
    """The verdicts by name. The files are in ``t``, and what is known of them in ``LIST.jsonl``."""
    (tmp_path / "t").mkdir()
    verdicts = {}
    with (tmp_path / "LIST.jsonl").open("w") as file:
        for number, case in enumerate(json.loads(TABLE.read_text())["cases"]):
            name, known, seen = f"c{number:02}", case["known"], case["seen"]
            path = tmp_path / "t" / name
            path.write_text(seen["content"])
            os.utime(path, ns=(0, nanoseconds(seen["modified"])))
            digests = {name: hashlib.new(name, known[name].encode()).hexdigest() for name in ("md5", "sha256")}
            row = {"schema": "hashlane-manifest", "version": 1, "path": name, "digests": digests}
            row |= {} if known["size_bytes"] is None else {"size_bytes": known["size_bytes"]}
            row |= {} if known["modified"] is None else {"mtime": known["modified"]}
            file.write(json.dumps(row) + "\n")
            verdicts[name] = case["verdict"]
    return verdicts


def test_checks_and_audits_give_the_verdicts_of_the_table(tmp_path: Path, cases: dict[str, str]) -> None:
    table = tmp_path / "seen.parquet"
    read = hashlane.sum_files(tmp_path / "t", algorithms=["md5", "sha256"])
    pyarrow.parquet.write_table(read.read_all(), table)

    def by_name(findings: Iterable[Finding[Verdict]]) -> dict[str, str]:
        return {finding.path: finding.verdict.value for finding in findings}

    known, tree = tmp_path / "LIST.jsonl", tmp_path / "t"
    for findings in (
        hashlane.check(known, tree),
        hashlane.audit(known, tree),
        # What Spark judges by.
        hashlane.audit(known, tree, seen=[table]),
    ):
        assert by_name(findings) == cases
        assert exit_code(findings.report()) == 12


def test_the_bits_of_verdicts_are_those_of_the_libraries() -> None:
    bits = hashlane._hashlane.verdict_bits()
    assert list(bits) == sorted(verdict.value for verdict in Verdict)
    assert {name: bits[name] for name in BITS} == BITS
