"""``python -m hashlane.spark``: audits by Spark from the command line, also as the program of ``spark-submit``."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any, NoReturn

import hashlane
from hashlane.spark import _exit_codes as codes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_IS_CONFIGURED = {"PYSPARK_PYTHON", "PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE"}
"""What says which Python the nodes of a cluster have, or that there is a cluster."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(codes.USAGE, f"{self.prog}: {message}\n")


def main() -> int:
    arguments = vars(_parser().parse_args())
    del arguments["command"]
    try:
        return _audit(arguments)
    except KeyboardInterrupt:
        return _failed("interrupted; run the same command again to go on", codes.INTERRUPTED)
    except Exception:
        # Python would end with 1, which means that files are new.
        traceback.print_exc()
        return codes.INTERNAL


def _audit(arguments: dict[str, Any]) -> int:
    try:
        import pyarrow
        from hashlane.spark._pieces import Unseen
        from hashlane.spark._run import Audit, Held
    except ImportError as error:
        return _failed(f"{error}; install hashlane[spark]", codes.USAGE)
    sessions: list[SparkSession] = []
    try:
        manifest = Audit.of(**arguments).run(lambda: _session(sessions))
    except (Held, Unseen) as error:
        return _failed(error, codes.NOT_JUDGED)
    except _spark_errors() as error:
        return _failed(f"the job of Spark failed, and nothing was judged: {error}", codes.NOT_JUDGED)
    except pyarrow.ArrowException as error:
        # Some are a ValueError, too.
        return _failed(f"a table of the run cannot be used: {error}", codes.NOT_JUDGED)
    # A UsageError is both this and the next.
    except ValueError as error:
        return _failed(error, codes.USAGE)
    except hashlane.Error as error:
        return _failed(error, codes.UNREADABLE)
    except OSError as error:
        return _failed(_told(error), codes.OUTPUT)
    finally:
        for session in sessions:
            session.stop()
    return _sum_up(arguments["out"], manifest)


def _sum_up(out: str, manifest: dict[str, Any]) -> int:
    for problem in manifest["problems"]:
        _say(problem)
    counts = [f"{files} {verdict.replace('-', ' ')}" for verdict, files in manifest["verdicts"].items()]
    passed = "passed" if manifest["passed"] else "failed"
    _say(f"audit {passed}: {', '.join(counts) or 'no file was found'}; {out}")
    if manifest.get("was_complete"):
        _say(f"{out}: this run was complete on {manifest['ended']}; nothing was read now. Name another directory for a new run")
    code = manifest["exit_code"]
    assert isinstance(code, int)
    return code


def _spark_errors() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError
    except ImportError:
        # A client of Spark Connect has no Java.
        return (PySparkException,)
    return PySparkException, Py4JError


def _session(sessions: list[SparkSession]) -> SparkSession:
    from pyspark.sql import SparkSession

    if not _IS_CONFIGURED.intersection(os.environ):
        # All runs here. Spark would take the python3 that is found first, which need not have what this one has.
        os.environ["PYSPARK_PYTHON"] = sys.executable
    sessions.append(SparkSession.builder.appName("hashlane").getOrCreate())
    return sessions[0]


def _failed(why: object, code: int) -> int:
    _say(why)
    return code


def _told(error: OSError) -> str:
    # Python shows names that are bytes as it would write them.
    name = error.filename
    return f"{os.fsdecode(name)}: {error.strerror}" if isinstance(name, (str, bytes)) else str(error)


def _say(what: object) -> None:
    print(f"hashlane: {what}".encode(errors="backslashreplace").decode(), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m hashlane.spark", description="Audits trees on a cluster of Spark.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    audit = commands.add_parser(
        "audit",
        help="say what became of the files that manifests list, and which are new",
        epilog="Exit codes are those of `hashlane check --audit`; 75 if the job of Spark failed.",
    )
    audit.add_argument("--known", action="append", required=True, metavar="MANIFEST", help="what is known; may be given several times")
    audit.add_argument("--source", required=True, help="a directory that all nodes see at the same place, or s3://BUCKET/PREFIX")
    audit.add_argument(
        "--out", required=True, metavar="DIR", help="a new directory for the result, which all nodes see at the same place"
    )
    audit.add_argument("--strip-prefix", metavar="PREFIX", help="take PREFIX off listed names, of a tree that has moved")
    audit.add_argument("--algorithm", metavar="NAME", help="that of manifests that do not tell it")
    audit.add_argument("--format", metavar="NAME", help="that of manifests that do not show it")
    audit.add_argument("--include", action="append", default=[], metavar="GLOB", help="read only files of such names")
    audit.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="pass over files of such names")
    audit.add_argument("--bin-bytes", type=int, default=1 << 30, metavar="N", help="what a task reads, in bytes (default: 1 GiB)")
    audit.add_argument("--bin-files", type=int, default=10_000, metavar="N", help="files that a task reads, at most (default: 10000)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
