"""Bytes to text."""

from __future__ import annotations

import pytest

from tokenjuice_ml.decode import decode


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_decide(name):
    assert decode("grüße 你好 🙂\r\n".encode(name)) == "grüße 你好 🙂\r\n"


def test_invalid_bytes_do_not_raise():
    assert decode(b"a\xff\xfeb\x80") == "a��b�"
