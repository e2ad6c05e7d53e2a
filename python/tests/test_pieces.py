"""Pieces of large files, which several machines read, against one reading."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

import hashlane
from hashlane import _hashlane
from hashlane.spark._pieces import Piece, joined, pieces


def joined_row(path: Path, limit: int) -> dict[str, object]:
    """The row of a file that is read in pieces of a limited number of bytes, in any order."""
    split = pieces(path.stat().st_size, limit)
    random.Random(limit).shuffle(split)
    return row([read(path, piece) for piece in split])


def read(path: Path, piece: Piece) -> bytes:
    content = piece.read(os.fsencode(path))
    assert content is not None
    return content


def row(contents: list[bytes]) -> dict[str, object]:
    (row,) = pyarrow.record_batch(_hashlane.join_pieces(contents)).to_pylist()
    assert isinstance(row, dict)
    return row


def by_one(path: Path) -> dict[str, object]:
    (row,) = hashlane.sum_files(path, "blake3").read_all().to_pylist()
    assert isinstance(row, dict)
    return row


def test_pieces_are_powers_of_two_and_cover_the_file() -> None:
    for size in (1, 1023, 1024, 1025, 2048, 5000, 1 << 20, (1 << 40) + 1):
        for limit in (1, 1000, 1024, 1500, 2048, 4097, 1 << 30):
            if limit >= 1024 and size // limit > 1 << 12:
                continue
            split = pieces(size, limit)
            assert bool(split) == (limit >= 1024 and size > limit)
            assert sum(piece.length for piece in split) == (size if split else 0)
            for number, piece in enumerate(split):
                assert (piece.number, piece.of, piece.offset) == (number, len(split), number * split[0].length)
                assert 0 < piece.length <= limit and split[0].length.bit_count() == 1


def test_the_joined_row_is_that_of_one_reading(tmp_path: Path) -> None:
    path = tmp_path / "file"
    content = random.Random(1).randbytes(300_000)
    lengths = {1025, 2047, 3000, 65_537, 100_000, 262_145, 299_999}
    for exponent in range(11, 19):
        lengths |= {(1 << exponent) + more for more in (-1, 0, 1, 1023, 1024, 1025)}
        lengths |= {3 * (1 << exponent) // 2 + more for more in (-1, 0, 1)}
    for length in sorted(lengths):
        path.write_bytes(content[:length])
        expected = by_one(path)
        assert expected["blake3"] == hashlane.new("blake3", content[:length]).digest()
        for limit in (1024, 1025, 2048, 5000, 16_384, 65_536):
            if length > limit and length / limit < 200:
                assert joined_row(path, limit) == expected, (length, limit)


def test_a_file_that_changes_between_its_pieces_is_unstable(tmp_path: Path) -> None:
    path = tmp_path / "file"
    changes: list[tuple[Callable[[], object], str, str | None, int | None]] = [
        (lambda: path.write_bytes(b"b" * 10_000), "unstable", "modified", None),
        (lambda: path.write_bytes(b"b" * 10_001), "unstable", "grew", None),
        (lambda: path.write_bytes(b"b" * 9_000), "unstable", "shrank", None),
        (lambda: path.chmod(0o640), "unstable", "modified", None),
        (path.unlink, "failed", None, 2),
    ]
    for change, outcome, what, errno in changes:
        path.write_bytes(b"a" * 10_000)
        times = path.stat()
        split = pieces(10_000, 4096)
        contents = [read(path, piece) for piece in split[:2]]
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        # Times of files tick.
        time.sleep(0.02)
        change()
        told = row([*contents, read(path, split[2])])
        assert (told["outcome"], told["change"], told["errno"], told["blake3"]) == (outcome, what, errno, None)
        assert told["path"] == os.fsencode(path)
    # What cannot be read from the beginning on has the row of one reading.
    assert row([read(path, piece) for piece in split]) == by_one(path)


def test_a_file_that_was_listed_with_another_size_or_of_which_a_piece_is_missing_has_no_digest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * 10_000)
    longer, shorter, same = pieces(12_000, 4096), pieces(8192, 4096), pieces(10_000, 4096)
    for split, what in ((longer, "shrank"), (shorter, "grew"), (same[1:], "modified"), (same[::2], "modified")):
        told = row([read(path, piece) for piece in split])
        assert (told["outcome"], told["change"], told["blake3"]) == ("unstable", what, None)


def bytes_read() -> int:
    told = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(told["rchar"])


def test_a_piece_that_is_kept_is_read_again_only_if_the_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(4 << 20))
    piece = Piece(1, 4, 1 << 20, 1 << 20)

    def again(*kept: bytes) -> int:
        before = bytes_read()
        content = piece.read(os.fsencode(path), kept)
        read = bytes_read() - before
        assert content is not None
        assert row([content])["outcome"] == "unstable", "the others are missing"
        return read

    kept = read(path, piece)
    assert again(kept) < 1 << 20
    damaged = bytearray(kept)
    damaged[len(kept) // 2] ^= 1
    assert again(bytes(damaged)) >= 1 << 20
    path.chmod(0o640)
    assert again(kept) >= 1 << 20
    # One that is no good does not stand in the way of one that is.
    new = read(path, piece)
    assert again(bytes(damaged), kept, new) < 1 << 20


def test_what_is_no_piece_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(10_000))
    for offset, length in ((0, 0), (512, 512), (1024, 2048), (4096, 5000), (1, 1)):
        with pytest.raises(ValueError, match="begin at a multiple of a power of two"):
            _hashlane.read_piece(os.fsencode(path), offset, length)
    with pytest.raises(ValueError, match="another version"):
        _hashlane.join_pieces([b"nonsense"])
    with pytest.raises(ValueError, match="another version"):
        _hashlane.join_pieces([])


def test_rows_pass_and_pieces_are_joined(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"small")
    path = tmp_path / "large"
    path.write_bytes(b"large" * 2000)
    small = hashlane.sum_files(tmp_path / "small", "blake3").read_all()
    whole = hashlane.sum_files(path, "blake3").read_all()
    contents = [read(path, piece) for piece in pieces(10_000, 4096)]

    def batch(rows: pyarrow.Table, content: bytes | None) -> pyarrow.RecordBatch:
        (batch,) = rows.append_column("piece", pyarrow.array([content], pyarrow.binary())).to_batches()
        return batch

    told = [batch(small, None), *(batch(whole, content) for content in contents)]
    assert pyarrow.Table.from_batches(joined(iter(told))).equals(pyarrow.concat_tables([small, whole]))
    # One that had to be read as a whole stands, whatever pieces have found.
    told = [batch(whole, contents[0]), batch(whole, b""), batch(small, None)]
    assert pyarrow.Table.from_batches(joined(iter(told))).equals(pyarrow.concat_tables([small, whole]))
    assert list(joined(iter([]))) == []
