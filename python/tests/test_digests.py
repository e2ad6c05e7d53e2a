"""Digests of one message, and of many that are in memory."""

import array
import ctypes
import hashlib
import hmac
import io
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hashlane

# Those that both have, by the names of both.
SHARED = {
    "md5": "md5",
    "sha1": "sha1",
    "sha224": "sha224",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha3-224": "sha3_224",
    "sha3-256": "sha3_256",
    "sha3-384": "sha3_384",
    "sha3-512": "sha3_512",
    "blake2b": "blake2b",
    "blake2s": "blake2s",
}
LENGTHS = [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 2047, 2048, 4096, 100_000]


def message(length: int) -> bytes:
    return bytes(index * 7 % 251 for index in range(length))


def test_the_module_is_the_installed_one() -> None:
    assert Path(hashlane.__file__).is_relative_to(sys.prefix)


@pytest.mark.parametrize("name", SHARED)
def test_digests_are_those_of_hashlib(name: str) -> None:
    for length in LENGTHS:
        ours, theirs = hashlane.new(name, message(length)), hashlib.new(SHARED[name], message(length))
        assert ours.digest() == theirs.digest()
        assert ours.hexdigest() == theirs.hexdigest()
        assert (ours.digest_size, ours.block_size) == (theirs.digest_size, theirs.block_size)


@pytest.mark.parametrize("name", sorted(hashlane.algorithms_available))
def test_a_digest_ends_nothing_and_a_copy_goes_its_own_way(name: str) -> None:
    hash = hashlane.new(name)
    hash.update(message(3000))
    copy = hash.copy()
    assert copy.digest() == hash.digest() == hashlane.new(name, message(3000)).digest()
    hash.update(b"more")
    assert copy.digest() == hashlane.new(name, message(3000)).digest()
    assert hash.digest() == hashlane.new(name, message(3000) + b"more").digest()
    assert len(hash.digest()) == hash.digest_size


@pytest.mark.parametrize("name", sorted(hashlane.algorithms_available))
def test_many_digests_are_those_of_each(name: str) -> None:
    messages = [message(length) for length in LENGTHS] * 3
    assert hashlane.digest_many(messages, name) == [hashlane.new(name, one).digest() for one in messages]


def test_many_messages_may_come_from_an_iterator_and_be_more_than_are_taken_at_a_time() -> None:
    messages = (index.to_bytes(4, "big") for index in range(20_000))
    digests = hashlane.digest_many(messages, "sha256")
    assert digests == [hashlib.sha256(index.to_bytes(4, "big")).digest() for index in range(20_000)]
    assert hashlane.digest_many([], "md5") == []


def test_every_contiguous_buffer_is_taken() -> None:
    numbers = array.array("I", range(1000))
    buffers: list[Any] = [bytearray(b"abc"), memoryview(b"xabcx")[1:4], numbers, array.array("I"), memoryview(numbers)]
    # Without dimensions: one number, in the order of the machine and in the other.
    buffers += [ctypes.c_int(7), ctypes.c_int32.__ctype_be__(7)]
    expected = [hashlib.md5(buffer).digest() for buffer in buffers]
    assert hashlane.digest_many(buffers, "md5") == expected
    assert [hashlane.new("md5", buffer).digest() for buffer in buffers] == expected


def test_a_buffer_that_is_filled_again_and_again_is_digested_as_it_was_each_time() -> None:
    def blocks() -> Iterator[memoryview]:
        buffer = bytearray(4096)
        for number in range(20_000):
            buffer[:4] = number.to_bytes(4, "big")
            yield memoryview(buffer)

    expected = [hashlib.md5(number.to_bytes(4, "big") + bytes(4092)).digest() for number in range(20_000)]
    assert hashlane.digest_many(blocks(), "md5") == expected


def test_a_buffer_can_be_resized_again_after_it_was_digested() -> None:
    buffer = bytearray(5000)
    hashlane.digest_many([buffer], "md5")
    hashlane.new("md5", buffer)
    buffer.extend(b"more")


def test_what_has_no_contiguous_bytes_is_refused() -> None:
    with pytest.raises(TypeError, match="must be encoded"):
        hashlane.new("md5", "text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hashlane.digest_many([b"", 7], "md5")  # type: ignore[list-item]
    with pytest.raises(TypeError):
        hashlane.new("md5", None)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="contiguous"):
        hashlane.digest_many([memoryview(b"abcdef")[::2]], "md5")


def test_an_unknown_algorithm_is_named() -> None:
    for call in (lambda: hashlane.new("md6"), lambda: hashlane.digest_many([], "md6")):
        with pytest.raises(ValueError, match="unsupported algorithm md6"):
            call()
    assert hashlane.new("SHA_256").name == "sha256"
    assert hashlane.new("md5", usedforsecurity=False).name == "md5"


def test_hmac_takes_it_in_the_place_of_a_module() -> None:
    def sha256(data: bytes = b"") -> Any:
        return hashlane.new("sha256", data)

    ours = hmac.new(b"key", b"message", sha256)
    assert ours.hexdigest() == hmac.new(b"key", b"message", "sha256").hexdigest()


def test_a_file_is_digested_from_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(message(700_000))
    with path.open("rb") as file:
        file.seek(5)
        assert hashlane.file_digest(file, "md5").digest() == hashlib.md5(message(700_000)[5:]).digest()
    # As hashlib does, all of what is in memory.
    memory = io.BytesIO(b"abc")
    memory.seek(1)
    assert hashlane.file_digest(memory, "md5").digest() == hashlib.file_digest(memory, "md5").digest() == hashlib.md5(b"abc").digest()
    with pytest.raises(ValueError, match="binary mode"):
        hashlane.file_digest(io.StringIO("abc"), "md5")  # type: ignore[arg-type]


def test_threads_share_one_state() -> None:
    hash, block = hashlane.new("xor32"), message(4096)

    def update() -> None:
        for _ in range(101):
            hash.update(block)

    threads = [threading.Thread(target=update) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # In whatever order: the exclusive or of an odd number of equal blocks is that of one.
    assert hash.digest() == hashlane.new("xor32", block).digest()


def test_other_threads_run_meanwhile() -> None:
    block = bytes(200_000_000)
    seen: list[None] = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            seen.append(None)
            done.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = len(seen)
        hashlane.new("sha3-512", block)
        hashlane.digest_many([block], "sha3-512")
        assert len(seen) - before > 20
    finally:
        done.set()
        thread.join()
