"""Tables of a source, those of Spark among them, used by Spark and by others on the same source."""

from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install hashlane[spark]")

import hashlane
import pyarrow.parquet
from cluster import Store
from conftest import Command
from hashlane.spark import audit, fingerprint
from pyspark.sql import SparkSession
from round_trips import FILES, LISTS, are_whole, make_buckets, make_tree, write_lists


def round_trips(spark: SparkSession, source: str, where: Path, command: Command) -> int:
    # Relative names are relative to a base, whatever they begin with.
    prefix = None if source.startswith("/") or "://" in source else source
    off = [] if prefix is None else ["--strip-prefix", prefix]
    known = write_lists(source, where, command)
    known.append(where / "fingerprint.parquet")
    pyarrow.parquet.write_table(fingerprint(spark, source).toArrow(), known[-1])
    # All lists at once: a name that is not understood would be a file more, and one audit takes seconds.
    for run in ("first", "second"):
        out = where / run
        verdicts = audit(spark, known, source, out, bin_files=2, strip_prefix=prefix).collect()
        assert sorted((bytes(row.path).decode(), row.verdict) for row in verdicts) == [(name, "ok") for name in sorted(FILES)]
        tables = sorted((out / "fingerprints").glob("part-*.parquet"))
        assert len(tables) == len(FILES) // 2
        known += tables
    # By others: each table has some of the files.
    are_whole(hashlane.audit(tables, source, strip_prefix=prefix))
    are_whole(hashlane.check(tables, source, complete=True, strip_prefix=prefix))
    name, catalogue = "c", ["--catalog", where / "catalog.sqlite"]
    for arguments in [
        ["check", "--audit", "--base", source, *off, *tables],
        ["collection", "add", name, source, "--algorithm", "sha256", *catalogue],
        ["collection", "import", name, *tables, *off, *catalogue],
        ["audit", name, *catalogue],
    ]:
        done = command(*arguments, cwd=where)
        assert done.returncode == 0, done
    return len(known) - len(tables) + 4


def test_tables_of_spark_are_lists_of_their_source(
    spark: SparkSession, store: Store | None, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree(tmp_path / "t")
    sources = ["t", str(tmp_path / "t")]
    if store is not None:
        sources += make_buckets(store, "tables")
    pairs = 0
    for number, source in enumerate(sources):
        where = tmp_path / f"lists {number}"
        where.mkdir()
        if source == "t":
            # Relative names are those of the current directory.
            (where / "t").symlink_to(tmp_path / "t")
        pairs += round_trips(spark, source, where, command)
    print(f"{pairs} pairs of a writer and a reader")
    # Those that are written beforehand, and tables of the first run; and four readers of those of the second.
    assert pairs == len(sources) * (LISTS + 1 + len(FILES) // 2 + 4)


def test_a_list_of_another_place_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    make_tree(tmp_path / "t")
    known = tmp_path / "known.parquet"
    pyarrow.parquet.write_table(hashlane.sum_files(tmp_path / "t").read_all(), known)
    (tmp_path / "t").rename(tmp_path / "moved")
    with pytest.raises(hashlane.UsageError, match="does not lie below"):
        audit(spark, known, tmp_path / "moved", tmp_path / "out")
    verdicts = audit(spark, known, tmp_path / "moved", tmp_path / "out", strip_prefix=tmp_path / "t").collect()
    assert {row.verdict for row in verdicts} == {"ok"}
