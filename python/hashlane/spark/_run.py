"""An audit by Spark: a directory that is complete when it has a manifest."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import json
import os
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import hashlane
import pyarrow
from hashlane import _hashlane
from hashlane._paths import globs, names
from hashlane.spark import _verdicts
from hashlane.spark._bins import Limits, Selection, absolute, are_objects, in_order
from hashlane.spark._exit_codes import exit_code
from hashlane.spark._parts import FINGERPRINTS, MANIFEST, Part, described, once, remove_notes, remove_other_tables, sync
from hashlane.spark._pieces import PATIENCE, Kept
from hashlane.spark._source import Parts, Request

if TYPE_CHECKING:
    from hashlane._paths import StrOrBytesPath
    from pyspark.sql import Row, SparkSession

REQUEST = b"_request.json"
LOCK = b"_lock"
VERDICTS = b"verdicts"
VERDICT_TABLE = "part-000000.parquet"
SCHEMA = "hashlane-spark-audit"
VERSION = 1


class Held(Exception):
    """Another job writes to the same directory."""


class Refused(ValueError):
    """The directory cannot be used for this run."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What is audited, by which lists, and where the result goes."""

    known: list[bytes]
    source: bytes
    out: bytes
    strip_prefix: bytes | None = None
    algorithm: str | None = None
    format: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limits: Limits = field(default=Limits(1 << 30, 10_000))

    @classmethod
    def of(
        cls,
        known: StrOrBytesPath | Iterable[StrOrBytesPath],
        source: StrOrBytesPath,
        out: StrOrBytesPath,
        *,
        strip_prefix: StrOrBytesPath | None = None,
        include: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
        bin_bytes: int,
        bin_files: int,
        **options: Any,
    ) -> Audit:
        limits = Limits(bin_bytes, bin_files)
        options["strip_prefix"] = None if strip_prefix is None else os.fsencode(strip_prefix)
        options |= {"include": tuple(globs(include)), "exclude": tuple(globs(exclude))}
        lists, directory = names(known), os.fsencode(out)
        if not all([directory, *lists]):
            # Of a variable that is not set: it would be the current directory.
            raise ValueError("a list of what is known, or the directory for the result, has no name")
        if are_objects(directory):
            raise ValueError(f"{os.fsdecode(directory)}: the result is not written to a store; name a directory that all nodes see")
        if not _is_text(directory):
            raise ValueError(f"{directory!r}: the name of the directory for the result must be UTF-8")
        paths = [os.path.abspath(path) for path in lists]
        return cls(paths, absolute(source), os.path.abspath(directory), limits=limits, **options)

    def run(self, session: Callable[[], SparkSession]) -> dict[str, Any]:
        """Runs it, or goes on with what an earlier job has left, and returns the manifest, and whether it is complete.

        Of one that is complete already nothing is read again. Spark is asked for where there is something to read.
        """
        self._refuse_one_in_the_other()
        os.makedirs(self.out, exist_ok=True)
        sync(os.path.dirname(self.out))
        self._refuse_what_others_use()
        with _locked(self.out):
            # Of a job that was killed while it wrote one.
            remove_notes(self.out)
            request = self._begun()
            manifest = os.path.join(self.out, MANIFEST)
            with contextlib.suppress(FileNotFoundError):
                told = _verified(self.out, _load(manifest))
                self._remove_notes()
                return told
            algorithms, spark = request["algorithms"], session()
            parts = self._fingerprint(spark, [bytes.fromhex(root) for root in request["roots"]], algorithms)
            report = self._judge(parts, algorithms)
            told = {
                "schema": SCHEMA,
                "version": VERSION,
                **{name: request[name] for name in ("run_id", "started", "source", "known", "algorithms")},
                "ended": _now(),
                "hashlane": hashlane.__version__,
                "spark": spark.version,
                "passed": report.passed,
                "exit_code": exit_code(report),
                "verdicts": {verdict.value: files for verdict, files in report.counts.items()},
                "problems": report.problems,
                "files": report.files,
                "size_bytes": report.size,
                "tables": {
                    "fingerprints": _tables(self.out, FINGERPRINTS, parts),
                    "verdicts": _tables(self.out, VERDICTS, [VERDICT_TABLE]),
                },
            }
            # Where there were no files, or not all were listed, another job is to look again, and goes on with what is there.
            is_complete = report.ended == "complete"
            if is_complete:
                for directory, names in [(FINGERPRINTS, parts), (VERDICTS, [VERDICT_TABLE])]:
                    remove_other_tables(os.path.join(self.out, directory), names)
                with once(manifest) as file:
                    file.write(_text(told))
                # Not before: a job that fails until then goes on by its notes.
                self._remove_notes()
            return {**told, "is_complete": is_complete}

    def _remove_notes(self) -> None:
        for directory in (FINGERPRINTS, VERDICTS):
            remove_notes(os.path.join(self.out, directory))

    def _judge(self, parts: list[str], algorithms: list[str]) -> hashlane.Report[hashlane.Verdict]:
        """Writes the verdicts on what was read."""
        findings = hashlane.audit(
            self.known,
            self.source,
            seen=[os.path.join(self.out, FINGERPRINTS, os.fsencode(name)) for name in parts],
            strip_prefix=self.strip_prefix,
            algorithm=self.algorithm,
            format=self.format,
            include=self.include,
            exclude=self.exclude,
        )
        path = os.path.join(self.out, VERDICTS, os.fsencode(VERDICT_TABLE))
        with contextlib.suppress(FileNotFoundError):
            # Of a job that came no further.
            os.unlink(path)
        _verdicts.write(path, findings, algorithms)
        return findings.report()

    def _refuse_one_in_the_other(self) -> None:
        if are_objects(self.source):
            return
        source, out = os.path.realpath(self.source), os.path.realpath(self.out)
        common, name = os.path.commonpath([source, out]), os.fsdecode(self.out)
        if common == source:
            raise Refused(f"{name}: lies in the source, and would be found there; name a directory outside of it")
        if common == out:
            raise Refused(f"{name}: the source lies in it; name a new directory for the result")

    def _refuse_what_others_use(self) -> None:
        """What a run has begun has its request."""
        names = set(os.listdir(self.out))
        others = sorted(name for name in names - {LOCK} if not name.endswith(b".partial"))
        if others and REQUEST not in names:
            raise Refused(
                f"{os.fsdecode(self.out)}: holds {os.fsdecode(others[0])}, which is of no run; name a new directory for the result"
            )

    def _begun(self) -> dict[str, Any]:
        """What was asked for when the run began. It is the same for all jobs of a run."""
        path = os.path.join(self.out, REQUEST)
        try:
            request = _load(path)
        except FileNotFoundError:
            roots, algorithms = self._planned()
            planned = {"roots": [root.hex() for root in in_order(roots)], "algorithms": algorithms}
            lists = [_list(path) for path in self.known]
            request = {"run_id": str(uuid.uuid4()), "started": _now(), **self._asked(lists), **planned}
            with once(path) as file:
                file.write(_text(request))
            return request
        lists = [_list_as_before(path, request) for path in self.known]
        asked = json.loads(_text(self._asked(lists)))
        others = [name for name in asked if request.get(name) != asked[name]]
        if others:
            raise Refused(
                f"{os.fsdecode(self.out)}: holds a run with another {others[0]}; name a directory for each run"
            )
        return request

    def _asked(self, lists: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "source": os.fsdecode(self.source),
            "known": lists,
            "strip_prefix": None if self.strip_prefix is None else os.fsdecode(self.strip_prefix),
            "algorithm": self.algorithm,
            "format": self.format,
            "include": list(self.include),
            "exclude": list(self.exclude),
            "bin_bytes": self.limits.size,
            "bin_files": self.limits.files,
        }

    def _planned(self) -> tuple[list[str], list[str]]:
        """Where the audit looks, and by which algorithms."""
        if not are_objects(self.source) and not os.path.isdir(self.source):
            raise Refused(f"{os.fsdecode(self.source)}: there is no such directory; name the one that listed names are relative to")
        return _hashlane.plan_audit(
            self.known,
            self.source,
            strip_prefix=self.strip_prefix,
            algorithm=self.algorithm,
            format=self.format,
            follow=False,
            include=list(self.include),
            exclude=list(self.exclude),
        )

    def _fingerprint(self, spark: SparkSession, roots: list[bytes], algorithms: list[str]) -> list[str]:
        """Has all files read, and returns the names of the tables in the order of the names in them."""
        os.makedirs(os.path.join(self.out, FINGERPRINTS), exist_ok=True)
        selection = Selection(roots, include=self.include, exclude=self.exclude)
        request = Request(selection, algorithms, self.limits, self.out, uuid.uuid4().hex[:16])
        spark.dataSource.register(Parts)
        frame = spark.read.format(Parts.name()).option("request", request.to_text()).load()
        return tables_of(frame.collect(), self.out)


def tables_of(told: Iterable[Row], out: bytes, patience: float = PATIENCE) -> list[str]:
    """The names of the tables, in their order. Each task of a piece reports its table; where none saw it, it is written here."""
    places: defaultdict[int, list[Row]] = defaultdict(list)
    for row in told:
        places[row.place].append(row)
    names = []
    for place, (number, rows) in enumerate(sorted(places.items())):
        first = rows[0]
        if number != place or first.of != len(places):
            raise RuntimeError(f"Spark has returned {len(places)} parts of {first.of}")
        name = next((row.name for row in rows if row.rows is not None), None)
        if name is None:
            if len(rows) != first.pieces:
                raise RuntimeError(f"{first.name}: Spark has returned {len(rows)} pieces of {first.pieces}")
            kept = Kept(Part.named(out, place, first.of, first.name), first.pieces)
            kept.join({row.piece for row in rows if row.piece is not None}, patience)
            name = first.name
        names.append(name)
    return names


def _verified(out: bytes, manifest: dict[str, Any]) -> dict[str, Any]:
    """A complete run, whose tables are still as they were written."""
    path = os.path.join(out, MANIFEST)
    if (manifest.get("schema"), manifest.get("version")) != (SCHEMA, VERSION):
        raise Refused(f"{os.fsdecode(path)}: is of another version of hashlane, or is damaged; name another directory for a new run")
    try:
        tables = [
            (os.path.join(out, os.fsencode(directory), os.fsencode(told["name"])), told)
            for directory, of_directory in manifest["tables"].items()
            for told in of_directory["files"]
        ]
        for name in ("ended", "passed", "exit_code", "verdicts", "problems"):
            manifest[name]
    except (AttributeError, KeyError, TypeError) as error:
        raise Refused(f"{os.fsdecode(path)}: is damaged ({error!r}); name another directory for a new run") from None
    for path, told in tables:
        try:
            is_same = described(path) == told
        except (OSError, ValueError, pyarrow.ArrowException):
            is_same = False
        if not is_same:
            raise Refused(f"{os.fsdecode(path)}: is not as {os.fsdecode(MANIFEST)} says; name another directory for a new run")
    return {**manifest, "is_complete": True, "was_complete": True}


def _tables(out: bytes, directory: bytes, names: list[str]) -> dict[str, Any]:
    files = [described(os.path.join(out, directory, os.fsencode(name))) for name in names]
    return {"rows": sum(file["rows"] for file in files), "files": files}


def _list(path: bytes) -> dict[str, Any]:
    with open(path, "rb") as file:
        digest = hashlane.file_digest(file, "blake3").hexdigest()
        return {"path": os.fsdecode(path), "size_bytes": os.fstat(file.fileno()).st_size, "blake3": digest}


def _list_as_before(path: bytes, request: dict[str, Any]) -> dict[str, Any]:
    """A list. One that is gone is as the request has it: a complete run does not need it any more."""
    try:
        return _list(path)
    except FileNotFoundError:
        gone: dict[str, Any] = {"path": os.fsdecode(path)}
        return next((told for told in request.get("known", []) if told["path"] == gone["path"]), gone)


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextlib.contextmanager
def _locked(out: bytes) -> Iterator[None]:
    # The kernel lets go of it when the process ends, however it ends.
    with open(os.path.join(out, LOCK), "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Held(f"{os.fsdecode(out)}: another job writes to it") from None
        yield


def _load(path: bytes) -> dict[str, Any]:
    with open(path, "rb") as file:
        try:
            told = json.load(file)
        except ValueError as error:
            raise Refused(f"{os.fsdecode(path)}: is damaged ({error}); name another directory for a new run") from None
    if not isinstance(told, dict):
        raise Refused(f"{os.fsdecode(path)}: is damaged (it is no object); name another directory for a new run")
    return told


def _text(told: dict[str, Any]) -> bytes:
    # Names that are not UTF-8 have surrogates, which stay as escapes.
    return json.dumps(told, indent=2).encode() + b"\n"


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
