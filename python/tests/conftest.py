"""What tests share."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest_plugins = ["cluster"]

Command = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def command() -> Command:
    """Runs the command of the same sources."""
    program = os.environ.get("HASHLANE_COMMAND")
    if not program:
        pytest.skip("HASHLANE_COMMAND names no program")

    def run(*arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [program, *arguments], cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, check=False
        )

    return run


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Some hundred files of all sizes, two of them alike, in the current directory."""
    root = tmp_path / "tree"
    for number in range(300):
        path = root / f"{number % 7}" / f"file {number:03}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{number} ".encode() * (number * number % 5000))
    (root / "7").mkdir()
    (root / "7" / "alike").write_bytes((root / "1" / "file 001").read_bytes() + b"!")
    (root / "7" / "too").write_bytes((root / "7" / "alike").read_bytes())
    (root / "large").write_bytes(bytes(40 << 20))
    (root / os.fsdecode(b"not utf-8 \xff")).write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    return root


@pytest.fixture
def interrupt_soon() -> Iterator[Callable[[], None]]:
    """Has Ctrl-C come in a moment. A shell has what it runs in the background ignore that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    signal.signal(signal.SIGINT, before)


def listed(tree: Path, command: Command, name: str, *options: str) -> Path:
    """What a tree holds, relative to it, as a manifest beside it."""
    path = tree.parent / name
    written = command("sum", *options, "--output", path, ".", cwd=tree)
    assert written.returncode == 0, written.stderr
    return path
