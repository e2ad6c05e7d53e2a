"""The same job on other kinds of clusters, each with one node: this machine."""

import importlib.util
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install hashlane[spark]")

from cluster import Standalone, daemon, ended, free_port, run_command, wait_for_port


@pytest.fixture
def connect() -> Iterator[str]:
    """A server of Spark Connect."""
    port = free_port()
    settings = ["spark.connect.grpc.binding.address=127.0.0.1", f"spark.connect.grpc.binding.port={port}", "spark.ui.enabled=false"]
    with daemon(
        *("spark-submit", "--master", "local[2]"),
        *(word for setting in settings for word in ("--conf", setting)),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"),
    ) as server:
        wait_for_port(port, server)
        yield f"sc://127.0.0.1:{port}"


def audits(tmp_path: Path, **cluster: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(100):
        (tree / f"{number:02}").write_bytes(bytes([number]) * number * 100)
    manifest = tmp_path / "tree.jsonl"
    asked: list[str | Path] = ["sum", "--manifest-format", "jsonl", "--output", manifest, "."]
    subprocess.run([os.environ["HASHLANE_COMMAND"], *asked], cwd=tree, check=True, capture_output=True)
    (tree / "07").write_bytes(b"changed")
    (tree / "08").rename(tree / "moved")
    out = tmp_path / "run"
    code, said = ended(
        run_command("--known", manifest, "--source", tree, "--out", out, "--bin-files", "30", **cluster)
    )
    assert code == 7, said
    told = json.loads((out / "_manifest.json").read_text())
    assert told["verdicts"] == {"changed": 1, "moved": 1, "ok": 98}
    assert [table["rows"] for table in told["tables"]["fingerprints"]["files"]] == [30, 30, 30, 10]


def test_a_standalone_cluster_audits(standalone: Standalone, tmp_path: Path) -> None:
    audits(tmp_path, master=standalone.url)


def test_spark_connect_audits(connect: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("grpc") is None:
        pytest.skip("the client is not installed: pip install 'pyspark[connect]'")
    audits(tmp_path, remote=connect)
