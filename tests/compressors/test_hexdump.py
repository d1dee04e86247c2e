"""Dumps of bytes: what is readable in them stays."""

from __future__ import annotations

import random

import pytest

from tokenjuice_ml import compress

SECRET = b"\x00\x01DB_PASSWORD=orange;host=192.0.2.9\x00"


def _data(size: int = 9000) -> bytes:
    numbers = random.Random(7)
    noise = bytes(numbers.choice((0, 1, 2, 200, 201, 240, 250, 255)) for _ in range(size))
    return noise[: size // 2 + 5] + SECRET + noise[size // 2 :]


def _xxd(data: bytes) -> str:
    rows = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        pairs = " ".join(part[place : place + 2].hex() for place in range(0, len(part), 2))
        rows.append(f"{at:08x}: {pairs:<39}  {_shown(part)}")
    return "\n".join(rows) + "\n"


def _hexdump(data: bytes) -> str:
    rows = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        rows.append(f"{at:08x}  {part[:8].hex(' ')}  {part[8:].hex(' '):<23}  |{_shown(part)}|")
    return "\n".join([*rows, f"{len(data):08x}"]) + "\n"


def _shown(part: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)


@pytest.mark.parametrize(("command", "dump"), [("xxd fw.bin", _xxd), ("hexdump -C fw.bin", _hexdump)])
def test_readable_bytes_stay(command: str, dump) -> None:  # type: ignore[no-untyped-def]
    data = _data()
    text = dump(data)
    result = compress(text, command=command, exit_code=0)
    assert result.compressor == "hexdump"
    assert f"[… at {data.index(b'DB_'):#x}: DB_PASSWORD=orange;host=192.0.2.9]" in result.text
    lines = text.rstrip("\n").split("\n")
    assert result.text.startswith("\n".join(lines[:4]))
    assert lines[-1] in result.text
    assert result.tokens_after < 0.1 * result.tokens_before


def test_of_many_runs_the_deciding_one_is_among_those_shown() -> None:
    numbers = random.Random(3)
    words = b"".join(bytes(numbers.choices(range(97, 123), k=30)) + bytes((0, 255)) for _ in range(400))
    result = compress(_xxd(words + SECRET + words), command="xxd fw.bin")
    assert "DB_PASSWORD=orange" in result.text
    assert result.text.count("[… at ") == 40


@pytest.mark.parametrize("text", ["", "deadbeef: commit\n" * 99, _xxd(b"abc" * 9), "000000 zz\n" * 99])
def test_other_texts_are_no_dumps(text: str) -> None:
    assert compress(text, command="x").compressor != "hexdump"
