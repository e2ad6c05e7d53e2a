"""The directory of a run: nothing of others is removed, and what an earlier job has left is known for what it is."""

import os
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install hashlane[spark]")

from hashlane.spark._bins import Limits, Selection
from hashlane.spark._run import Audit, Refused
from pyspark.sql import SparkSession
from cluster import ended, run_command
from conftest import Command, listed


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def no_session() -> SparkSession:
    pytest.fail("no session is needed")


def audit(known: Path | str, source: Path | str, out: Path | str) -> Audit:
    return Audit.of([known], source, out, bin_bytes=1 << 30, bin_files=100)


@pytest.mark.parametrize("name", ["fingerprints", "verdicts", "deeper/fingerprints"])
def test_a_source_within_the_directory_is_refused_and_left_as_it_is(tmp_path: Path, command: Command, name: str) -> None:
    source = tmp_path / "out" / name
    (source / "sub").mkdir(parents=True)
    for path in (source / "part-1.parquet", source / "sub" / "2"):
        path.write_bytes(b"precious")
    known = listed(source, command, "listed.sums")
    known = known.rename(tmp_path / "known.sums")
    before = everything(tmp_path)
    code, said = ended(run_command("--known", known, "--source", source, "--out", tmp_path / "out", master="nonsense"))
    assert code == 64 and "the source lies in it" in said
    assert everything(tmp_path) == before


def test_a_directory_with_files_of_others_is_refused_and_left_as_it_is(tree: Path, command: Command, tmp_path: Path) -> None:
    known, out = listed(tree, command, "tree.sums"), tmp_path / "out"
    for name in ("fingerprints/part-000000-x.parquet", "verdicts/part-000000.parquet", "note"):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(b"precious")
    before = everything(out)
    with pytest.raises(Refused, match="holds fingerprints, which is of no run"):
        audit(known, tree, out).run(no_session)
    assert everything(out) == before


def test_what_others_put_beside_the_tables_stays(spark: SparkSession, tree: Path, command: Command, tmp_path: Path) -> None:
    known, out = listed(tree, command, "tree.sums"), tmp_path / "out"
    run = audit(known, tree, out)
    with pytest.raises(RuntimeError, match="no Spark"):
        run.run(no_spark)
    (out / "fingerprints").mkdir(exist_ok=True)
    (out / "fingerprints" / "README").write_bytes(b"precious")
    ours = out / "fingerprints" / f"part-000000-{'0' * 32}-{'1' * 16}.parquet"
    ours.write_bytes(b"of an earlier job")
    told = run.run(lambda: spark)
    assert told["passed"] and told["is_complete"]
    assert (out / "fingerprints" / "README").read_bytes() == b"precious"
    assert not ours.exists()


def no_spark() -> SparkSession:
    raise RuntimeError("no Spark")


def test_a_complete_run_answers_without_its_source_and_its_lists(
    spark: SparkSession, tree: Path, command: Command, tmp_path: Path
) -> None:
    known, out = listed(tree, command, "tree.sums"), tmp_path / "out"
    first = audit(known, tree, out).run(lambda: spark)
    tree.rename(tmp_path / "unmounted")
    known.unlink()
    again = audit(known, tree, out).run(no_session)
    assert again["was_complete"] and again["exit_code"] == first["exit_code"] == 0
    # Another list of this name is another request.
    known.write_text("")
    with pytest.raises(Refused, match="another known"):
        audit(known, tree, out).run(no_session)


@pytest.mark.parametrize("name", ["_request.json", "_manifest.json"])
@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": "hashlane-spark-audit", "version": 99}', '{"schema": "hashlane-spark-audit", "version": 1}'])
def test_damaged_files_of_a_run_are_named(
    spark: SparkSession, tree: Path, command: Command, tmp_path: Path, name: str, content: str
) -> None:
    known, out = listed(tree, command, "tree.sums"), tmp_path / "out"
    audit(known, tree, out).run(lambda: spark)
    (out / name).write_text(content)
    with pytest.raises(Refused) as raised:
        audit(known, tree, out).run(no_session)
    assert str(out) in str(raised.value)
    assert "is damaged" in str(raised.value) or "another" in str(raised.value)


def test_a_file_that_was_written_to_with_its_time_put_back_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    facts = path.stat()
    (before,) = Selection([os.fsencode(tmp_path)]).bins(Limits(1 << 30, 100))
    path.write_bytes(b"two")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    (after,) = Selection([os.fsencode(tmp_path)]).bins(Limits(1 << 30, 100))
    assert before.paths() == after.paths() and before.key != after.key


def test_a_name_that_is_empty_is_refused(tree: Path, command: Command, tmp_path: Path) -> None:
    known = listed(tree, command, "tree.sums")
    for asked in (("", tree, tmp_path / "out"), (known, "", tmp_path / "out"), (known, tree, "")):
        with pytest.raises(ValueError, match="has no name"):
            audit(*asked)
    with pytest.raises(ValueError, match="is not written to a store"):
        audit(known, tree, "s3://bucket/out")
    with pytest.raises(ValueError, match="must be UTF-8"):
        audit(known, tree, os.fsdecode(b"/out\xff"))
    assert not (tmp_path / "out").exists()


def test_one_glob_is_one_glob(tmp_path: Path, tree: Path) -> None:
    told = Audit.of([tree], tree, tmp_path / "out", include="*.raw", exclude="x", bin_bytes=1, bin_files=1)
    assert (told.include, told.exclude) == (("*.raw",), ("x",))
