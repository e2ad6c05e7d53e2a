"""A cluster that runs on this machine, and a store that its processes reach: a plugin of pytest."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
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
        self._put(f"{bucket}/{key}", content, *headers)

    def keep_versions(self, bucket: str) -> None:
        """Has a bucket keep all versions of its objects from now on."""
        space = "http://s3.amazonaws.com/doc/2006-03-01/"
        enabled = f'<VersioningConfiguration xmlns="{space}"><Status>Enabled</Status></VersioningConfiguration>'
        self._put(f"{bucket}?versioning=", enabled.encode())

    def _put(self, path: str, content: bytes, *headers: str) -> None:
        secret = f"{self.environment['AWS_ACCESS_KEY_ID']}:{self.environment['AWS_SECRET_ACCESS_KEY']}"
        url = f"{self.environment['AWS_ENDPOINT_URL']}/{path}"
        # Also where PATH is that of an environment of Python.
        curl = shutil.which("curl", path=os.defpath) or "curl"
        asked = [curl, "--silent", "--show-error", "--fail", "--user", secret, "--aws-sigv4", "aws:amz:us-east-1:s3"]
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
    folder, versions = tmp_path_factory.mktemp("store"), tmp_path_factory.mktemp("versions")
    port = free_port()
    asked = ["--quiet", "--access", "testkey", "--secret", "secretsecret", "--port", f"127.0.0.1:{port}", "posix"]
    asked += ["--versioning-dir", str(versions)]
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


class daemon:
    """A program of Spark that runs until it is killed."""

    def __init__(self, program: str, *arguments: str) -> None:
        import pyspark

        self._command = [os.path.join(os.path.dirname(pyspark.__file__), "bin", program), *arguments]

    def __enter__(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        self.process = subprocess.Popen(
            self._command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


class Standalone:
    """A master and workers, as `start-master.sh` and `start-worker.sh` start them."""

    def __init__(self, url: str, folder: Path, running: ExitStack) -> None:
        self.url = url
        self._folder = folder
        self._running = running
        self._workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self) -> None:
        """A node more, with one core."""
        folder = self._folder / f"{len(self._workers)}"
        worker = daemon(
            *("spark-class", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1"),
            *("--memory", "1g", "-d", str(folder), self.url),
        )
        self._workers.append(self._running.enter_context(worker))

    def kill_worker(self) -> None:
        """The last one. Its executors end when they see that it is gone."""
        worker = self._workers.pop()
        worker.kill()
        worker.wait()


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[Standalone]:
    """A cluster of a node with one core."""
    port = free_port()
    master = daemon("spark-class", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port))
    with ExitStack() as running:
        process = running.enter_context(master)
        cluster = Standalone(f"spark://127.0.0.1:{port}", tmp_path / "workers", running)
        # A worker that comes before its master tries again, and at last gives up.
        wait_for_port(port, process)
        cluster.add_worker()
        yield cluster


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
