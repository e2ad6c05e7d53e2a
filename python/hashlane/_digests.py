"""Digests of one message, as ``hashlib`` computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hashlane._hashlane import Hash, algorithm_names

if TYPE_CHECKING:
    from typing_extensions import Buffer

algorithms_available: frozenset[str] = frozenset(algorithm_names())
"""The names of all algorithms. Case, ``-`` and ``_`` do not matter where one is named."""

_READ_BYTES = 1 << 18


class _Readable(Protocol):
    def readinto(self, buffer: bytearray, /) -> int | None: ...


class _InMemory(Protocol):
    def getbuffer(self) -> Buffer: ...


def new(name: str, data: Buffer = b"", *, usedforsecurity: bool = True) -> Hash:
    """A state of the algorithm ``name`` that has taken in ``data``.

    ``usedforsecurity`` is taken because ``hashlib`` has it, and changes nothing: no algorithm is locked here.
    """
    if data is None:
        # Of a value that is missing. It would have the digest of no bytes.
        raise TypeError("object supporting the buffer API required, and not None")
    return Hash(name, data)


def file_digest(fileobj: _Readable | _InMemory, name: str, /) -> Hash:
    """The state of the algorithm ``name`` that has taken in the rest of a file that is open for reading in binary mode, or all of a ``BytesIO``.

    To digest files by their names use ``sum_files``, which reads many at a time.
    """
    hash = new(name)
    if hasattr(fileobj, "getbuffer"):
        hash.update(fileobj.getbuffer())
        return hash
    if not hasattr(fileobj, "readinto"):
        raise ValueError(f"{fileobj!r} is not a file that is open in binary mode for reading")
    block = bytearray(_READ_BYTES)
    with memoryview(block) as view:
        while size := fileobj.readinto(block):
            hash.update(view[:size])
        if size is None:
            raise BlockingIOError("the file would block; open it in blocking mode")
    return hash
