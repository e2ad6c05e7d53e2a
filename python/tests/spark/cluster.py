"""A cluster that runs on this machine, and a store that its processes reach: a plugin of pytest."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "1g",
    "spark.ui.enabled": "false",
}


@dataclass
class Store:
    """A server that speaks S3: each directory in ``folder`` is a bucket, and its files are the objects."""

    folder: Path
    environment: dict[str, str]

    def put(self, bucket: str, key: str, content: bytes, *headers: str) -> None:
        """Writes an object as clients do, so that the server has an entity tag for it."""
        secret = f"{self.environment['AWS_ACCESS_KEY_ID']}:{self.environment['AWS_SECRET_ACCESS_KEY']}"
        url = f"{self.environment['AWS_ENDPOINT_URL']}/{bucket}/{key}"
        asked = ["curl", "--silent", "--show-error", "--fail", "--user", secret, "--aws-sigv4", "aws:amz:us-east-1:s3"]
        told = [word for header in ("x-amz-content-sha256: UNSIGNED-PAYLOAD", *headers) for word in ("--header", header)]
        sent = [*told, "--request", "PUT", "--data-binary", "@-", url]
        subprocess.run([*asked, *sent], input=content, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store | None]:
    """``None`` where there is no such server."""
    program = os.environ.get("HASHLANE_VERSITYGW")
    if not program:
        yield None
        return
    folder = tmp_path_factory.mktemp("store")
    port = free_port()
    asked = ["--quiet", "--access", "testkey", "--secret", "secretsecret", "--port", f"127.0.0.1:{port}", "posix"]
    server = subprocess.Popen([program, *asked, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_port(port, server)
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testkey",
        "AWS_SECRET_ACCESS_KEY": "secretsecret",
        "AWS_REGION": "us-east-1",
    }
    os.environ.update(environment)
    yield Store(folder, environment)
    server.kill()
    server.wait()


@pytest.fixture(scope="session")
def spark(store: Store | None) -> Iterator[SparkSession]:
    """Two executors in processes of their own, which can be killed."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs java, and there is none")
    from pyspark.sql import SparkSession

    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("hashlane")
    # As it is done on a cluster: the credentials of a store are in the environment of the executors.
    environment = {f"spark.executorEnv.{name}": value for name, value in (store.environment if store else {}).items()}
    for name, value in (SETTINGS | environment).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    assert isinstance(port, int)
    return port


def wait_for_port(port: int, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, f"{process.args!r} has ended"
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nobody listens on port {port}")


def run_command(
    *arguments: str | Path, master: str = "local[2]", remote: str | None = None
) -> subprocess.Popen[bytes]:
    """Starts `python -m hashlane.spark audit`, with a session of its own."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs java, and there is none")
    settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if remote is None:
        environment["PYSPARK_SUBMIT_ARGS"] = f"--master {master} {settings} pyspark-shell"
    else:
        environment["SPARK_REMOTE"] = remote
    program = [sys.executable, "-m", "hashlane.spark", "audit"]
    return subprocess.Popen([*program, *arguments], stderr=subprocess.PIPE, env=environment, start_new_session=True)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """The exit code, and what was said."""
    _, said = process.communicate(timeout=300)
    return process.returncode, said.decode()
