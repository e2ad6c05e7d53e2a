from collections.abc import Iterable
from typing import TypeAlias, TypedDict, final, type_check_only

from typing_extensions import Buffer

__all__ = [
    "Batch",
    "Batches",
    "Findings",
    "Hash",
    "__version__",
    "algorithm_names",
    "audit",
    "audit_collection",
    "check",
    "collection_verdict_names",
    "diff",
    "difference_names",
    "digest_many",
    "join_pieces",
    "list_files",
    "plan_audit",
    "read_piece",
    "sum_files",
    "verdict_bits",
    "verdict_names",
]

__version__: str

def algorithm_names() -> list[str]: ...
def digest_many(buffers: Iterable[Buffer], algorithm_name: str) -> list[bytes]: ...
@final
class Hash:
    def __new__(cls, name: str, data: Buffer | None = None) -> Hash: ...
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Buffer) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Hash: ...
def sum_files(
    paths: list[bytes],
    algorithm_names: list[str],
    *,
    recursive: bool,
    follow: bool,
    include: list[str],
    exclude: list[str],
    jobs: int | None,
    identity: bool = ...,
) -> Batches: ...
def list_files(
    paths: list[bytes],
    *,
    follow: bool,
    include: list[str],
    exclude: list[str],
    jobs: int | None,
) -> Batches: ...
def read_piece(path: bytes, offset: int, length: int, kept: list[bytes] = ...) -> bytes | None: ...
def join_pieces(pieces: list[bytes], *, identity: bool = ...) -> Batch: ...
@final
class Batches:
    def __arrow_c_schema__(self) -> object: ...
    def __iter__(self) -> Batches: ...
    def __next__(self) -> Batch: ...
@final
class Batch:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Content: TypeAlias = tuple[int | None, list[tuple[str, str]]]

@type_check_only
class _Report(TypedDict):
    passed: bool
    in_doubt: bool
    ended: str
    counts: dict[str, int]
    problems: list[str]
    files: int
    size: int

@final
class Findings:
    def __iter__(self) -> Findings: ...
    def __next__(
        self,
    ) -> tuple[str, str, str | None, int | None, str | None, _Content | None, _Content | None]: ...
    def report(self) -> _Report | None: ...

def check(
    manifests: list[bytes],
    base: bytes | None,
    *,
    strip_prefix: bytes | None,
    algorithm: str | None,
    format: str | None,
    complete: bool,
    jobs: int | None,
) -> Findings: ...
def audit(
    manifests: list[bytes],
    source: bytes | None,
    *,
    seen: list[bytes] | None,
    strip_prefix: bytes | None,
    algorithm: str | None,
    format: str | None,
    follow: bool,
    include: list[str],
    exclude: list[str],
    jobs: int | None,
) -> Findings: ...
def plan_audit(
    manifests: list[bytes],
    source: bytes | None,
    *,
    strip_prefix: bytes | None,
    algorithm: str | None,
    format: str | None,
    follow: bool,
    include: list[str],
    exclude: list[str],
) -> tuple[list[str], list[str]]: ...
def audit_collection(
    name: str,
    catalog: bytes | None,
    *,
    due: bool,
    actor: str,
    reason: str,
    jobs: int | None,
    endpoint: str | None,
    region: str | None,
    credentials: dict[str, str] | None,
    max_requests: int | None,
) -> Findings: ...
def diff(
    a: bytes,
    b: bytes,
    base: bytes | None,
    *,
    strip_prefix: bytes | None,
    algorithm: str | None,
    format: str | None,
    jobs: int | None,
) -> Findings: ...
def difference_names() -> list[str]: ...
def verdict_bits() -> dict[str, int]: ...
def verdict_names() -> list[str]: ...
def collection_verdict_names() -> list[str]: ...
