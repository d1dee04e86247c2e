"""Certificates, manuals and listings are known by their shape, with a command, in a loop and without."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

import tokenjuice_ml
from tests.compressors import shape_samples as samples
from tests.compressors.markup_context import context
from tokenjuice_ml.compressors import certificates, listing, manual, shapes
from tokenjuice_ml.compressors.log_census import _first_stamp
from tokenjuice_ml.rules.load import project_rules_dir
from tokenjuice_ml.types import Kind

LOOP = 'for f in tls/*.pem; do echo "=== $f"; openssl x509 -in $f -noout -text; done'


def ours(line: str) -> bool:
    return line.startswith(("[…", "[partial view"))


@pytest.mark.parametrize(
    "command", [None, LOOP, "openssl x509 -text -noout -in all.pem", "ssh dock show-tls"]
)
def test_each_of_many_certificates_is_told_and_the_weak_come_first(command: str | None):
    odd = {
        5: {"bits": 1024},
        9: {"signature": "sha1WithRSAEncryption"},
        12: {"years": (2020, 2022)},
        13: {"ca": True, "issuer": "O = Harbour, CN = Root of the Bay"},
    }
    text = samples.certificates(16, odd)
    done = tokenjuice_ml.compress(text, command=command, exit_code=0)
    assert done.compressor == "certificates"
    assert len(done.text) < 0.3 * len(text)
    rows = [line for line in done.text.split("\n") if "Subject" in line and "Not After" in line]
    assert [re.search(r"quay(\d\d)", row)[1] for row in rows[:3]] == ["12", "05", "09"]  # type: ignore[index]
    assert "expired" in rows[0]
    assert "key of 1024 bit" in rows[1]
    assert "sha1WithRSAEncryption" in rows[2]
    for number in range(16):
        assert f"=== tls/quay{number:02d}.harbour.example.pem" in done.text
    for fact in (
        "(1024 bit)",
        "CA:TRUE",
        "Certificate Sign, CRL Sign",
        "Root of the Bay",
        "Feb  7 08:00:00 2028 GMT",
    ):
        assert fact in done.text
    assert "no error or warning" not in done.text


def test_one_certificate_keeps_all_but_the_bytes():
    lines = samples.certificate("pier.harbour.example", bits=1024)
    done = tokenjuice_ml.compress("\n".join(lines), command="openssl x509 -text", exit_code=0)
    kept = {line for line in done.text.split("\n") if not ours(line)}
    gone = [line for line in lines if line not in kept]
    assert gone
    assert all(not line.strip("0123456789abcdef: ") for line in gone)
    for fact in ("Public-Key: (1024 bit)", "CA:FALSE", "Digital Signature", "DNS:www.pier.harbour.example"):
        assert fact in done.text
    assert sum(gap.lines for gap in done.omissions) == len(gone)
    assert "129 bytes in hex" in done.text
    assert done.text.startswith("[… weak or expired: L1: key of 1024 bit]")


def test_a_fingerprint_behind_a_certificate_is_its_own():
    prints = [f"sha256 Fingerprint={':'.join(f'{number:02X}' for _ in range(32))}" for number in range(10)]
    parts = [[*samples.certificate(f"quay{number}.example"), prints[number]] for number in range(10)]
    for turned in (False, True):
        lines = [line for part in parts for line in ([part[-1], *part[:-1]] if turned else part)]
        done = tokenjuice_ml.compress("\n".join(lines))
        kept = done.text.split("\n")
        for number in range(10):
            at = next(at for at, line in enumerate(kept) if f"CN = quay{number}.example" in line)
            assert prints[number] in (kept[at - 1] if turned else kept[at])


def test_a_query_brings_its_certificate_to_the_front():
    text = samples.certificates(40, {3: {"bits": 1024}})
    done = tokenjuice_ml.compress(text, query="when does quay31 end")
    row = next(line for line in done.text.split("\n") if "] Subject" in line)
    assert "quay31" in row


def test_a_list_of_fingerprints_is_no_dump():
    prints = [line.rstrip(":") for line in samples.hex_lines(16 * 400, 5, 0, 16)]
    done = tokenjuice_ml.compress("\n".join(prints), command="list-prints", exit_code=0)
    assert done.compressor != "certificates"


@pytest.mark.parametrize("command", [None, "openssl rsa -text -noout -in key.pem"])
def test_the_bytes_of_a_key_are_counted(command: str | None):
    text = [
        "Public-Key: (4096 bit)",
        "Modulus:",
        *samples.hex_lines(513, 9, 4),
        "Exponent: 65537 (0x10001)",
        "",
    ]
    done = tokenjuice_ml.compress("\n".join(text), command=command, exit_code=0 if command else None)
    kept = done.text.split("\n")
    assert kept[:2] == text[:2]
    assert kept[2:4] == ["[… 35 lines, L3-L37: 513 bytes in hex]", text[-2]]


def test_what_does_not_fit_is_counted():
    done = tokenjuice_ml.compress(samples.certificates(120))
    rest = re.search(r"\[… (\d+) more certificates", done.text)
    assert rest is not None
    assert int(rest[1]) + done.text.count("Not After :") == 120


def test_bytes_with_colons_are_no_times():
    assert (
        _first_stamp(["  30:17:03:20:11:31:59:0a", "        10:11:12:13:14:15:16:17:18:19", "fb:12:10:11"])
        == ""
    )
    assert _first_stamp(["[23:59:58] moored"]) == "23:59:58"
    assert _first_stamp(["31:17:03 none"]) == ""


@pytest.mark.parametrize("command", [None, "man ferry", "ferry --manual", "curl --manual", "git help ferry"])
def test_a_manual_is_an_outline_of_all_its_options(command: str | None):
    text = samples.manual(90)
    done = tokenjuice_ml.compress(text, command=command, exit_code=0 if command else None)
    assert done.compressor == "manual"
    assert len(done.text) < 0.6 * len(text)
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f"\n{heading}\n" in done.text
    for number in range(90):
        assert f"--deck-{number:02d} <name>  Put the crate on deck {number}, below" in done.text
    assert "WARNING: this deck floods at high tide." in done.text
    assert "7  A crate was lost." in done.text
    assert "error line" not in done.text
    whole = [line for line in text.split("\n") if line.strip()]
    shown = " ".join(line for line in done.text.split("\n") if not ours(line))
    told = sum(" ".join(line.split()) in " ".join(shown.split()) for line in whole)
    assert sum(gap.lines for gap in done.omissions) >= len(whole) - told


def test_an_option_asked_for_stays_whole():
    text = samples.manual(90)
    done = tokenjuice_ml.compress(text, command="man ferry", exit_code=0, query="what does --deck-77 do")
    assert "Sentinel 77 explains the rest of deck 77." in done.text
    assert "Sentinel 12" not in done.text


def test_overstruck_letters_are_read():
    text = samples.manual(90)
    struck = re.sub(r"(?m)^([A-Z ]+)$", lambda found: "".join(f"{c}\b{c}" for c in found[1]), text)
    coloured = re.sub(r"(?m)^([A-Z ]+)$", "\x1b[1m\\1\x1b[0m", text)
    for told in (struck, coloured):
        assert "\nOPTIONS\n" in tokenjuice_ml.compress(told).text


def test_a_long_help_text_names_its_options():
    rows = [
        f"  --crane-{at:03d} <n>   Lift {at} crates, at most ten at once and none on Sundays"
        for at in range(180)
    ]
    text = "\n".join(["Usage: crane [options]", "", "Options:", *rows, ""])
    done = tokenjuice_ml.compress(text, command="crane --help", exit_code=0)
    assert done.compressor == "manual"
    assert all(f"--crane-{at:03d}" in done.text for at in range(100))
    assert re.search(r"\[… \d+ lines, L\d+-L\d+: \d+ more options: --crane-", done.text)


def test_a_rule_of_ones_own_is_asked_first(tmp_path: Path):
    folder = project_rules_dir(tmp_path)
    folder.mkdir(parents=True)
    rule = {
        "id": "own/ferry",
        "family": "own",
        "match": {"argv0": ["ferry"]},
        "summarize": {"head": 3, "tail": 1},
        "failure": {"head": 3, "tail": 1},
    }
    (folder / "ferry.json").write_text(json.dumps(rule), "utf-8")
    done = tokenjuice_ml.compress(
        samples.manual(90),
        command="ferry --manual",
        cwd=str(tmp_path),
        exit_code=0,
        options={"project_rules": "always"},
    )
    assert (done.rule, done.compressor) == ("own/ferry", "rule")


def test_usage_after_a_failure_is_no_manual():
    rows = [f"  --crane-{at:03d} <n>   Lift {at} crates" for at in range(400)]
    text = "\n".join(["error: unknown option --cran", "Usage: crane [options]", *rows])
    done = tokenjuice_ml.compress(text, command="crane --cran", exit_code=2)
    assert done.compressor != "manual"
    assert "error: unknown option --cran" in done.text


ODD = (
    "-rwsr-xr-x  1 root dock     9000 Mar 11  2025 winch",
    "-rw-rw-rw-  1 dock dock      812 Mar 11  2025 open.cfg",
    "-rw-r--r--  1 gull dock      912 Mar 11  2025 strange.txt",
    "-rw-r--r--  1 dock dock        0 Mar 11  2025 void.txt",
    "-rw-r--r--  1 dock dock 91000000 Mar 11  2025 whale.bin",
    "-rw-r--r--  1 dock dock     1201 Jan  2  1999 fossil.txt",
    "-rw-r--r--  1 dock dock     1202 Nov 30 18:17 fresh.txt",
    "lrwxrwxrwx  1 dock dock       11 Mar 11  2025 lost -> nowhere.txt",
)


@pytest.mark.parametrize("command", [None, "ls -la", "ls -la docks | sort -k9", "ssh dock ls -la"])
def test_odd_rows_of_a_listing_stay(command: str | None):
    text = samples.listing(300, ODD)
    done = tokenjuice_ml.compress(text, command=command, exit_code=0 if command else None)
    assert done.compressor == "listing"
    kept = done.text.split("\n")
    assert [row for row in ODD if row not in kept] == []
    assert "303 × -rw-r--r--" not in kept[0]
    assert "× -rwsr-xr-x" in kept[0]
    assert "× dock dock" in kept[0]
    assert kept[2:20] == text.split("\n")[1:19], "the budget is used"
    assert (
        sum(gap.lines for gap in done.omissions) + sum(not ours(line) for line in kept)
        == len(text.split("\n")) - 1
    )


def test_find_ls_and_tar_are_listings_too():
    found = [
        f"  {5000 + at}      4 {'-rwxrwsrwx' if at == 150 else '-rw-r--r--'}   1 dock     dock     {900 + at} "
        f"Feb  3  2025 ./hold/crate-{at:03d}"
        for at in range(300)
    ]
    packed = [
        f"{'-rwsr-xr-x' if at == 150 else '-rw-r--r--'} dock/dock {900 + at:>9} 2025-02-03 10:11 hold/crate-{at:03d}"
        for at in range(300)
    ]
    for rows, command in ((found, "find . -ls"), (packed, "tar -tvf hold.tar")):
        done = tokenjuice_ml.compress("\n".join(rows), command=command, exit_code=0)
        assert rows[150] in done.text.split("\n"), command


@pytest.mark.parametrize(
    "row",
    [
        "  91{at:03d} {mode} 1 dock dock {size} Mar  3  2025 crate-{at}",
        "91{at:03d} 4.0K {mode}+ 1 dock dock 1.2K Mar  3 10:15 crate-{at}",
        "{mode}. 1 1000 1000 {size} 2025-03-03 10:15:11.000000000 +0100 crate-{at}",
        "{mode} 1 dock dock {size} 3. Mär 2025  crate-{at}",
        "{mode} 1 dock dock {size} Mon Mar  3 10:15:11.2550000000 2025 ./hold/crate-{at}",
        "{mode} 1 dock dock {size} Mar  3  2025 \x1b[01;34mcrate-{at}\x1b[0m",
        "{mode}@ 1 dock dock 12, 9 Mar  3  2025 crate-{at}",
    ],
)
def test_rows_in_the_ways_that_tools_write_them(row: str):
    rows = [
        row.format(at=at, mode="-rwsr-xr-x" if at == 90 else "-rw-r--r--", size=900 + at) for at in range(200)
    ]
    done = tokenjuice_ml.compress("\n".join(rows))
    assert done.compressor == "listing"
    assert re.sub(r"\x1b\[[\d;]*m", "", rows[90]) in done.text.split("\n")


def test_a_row_keeps_the_name_of_its_folder():
    parts = []
    for at in range(40):
        odd = [ODD[0]] if at == 30 else []
        parts += [f"./bay-{at:02d}:", *samples.listing(12, tuple(odd)).split("\n")]
    done = tokenjuice_ml.compress("\n".join(parts), command="ls -laR", exit_code=0)
    kept = done.text.split("\n")
    at = kept.index(ODD[0])
    assert "./bay-30:" in kept[:at]


@pytest.mark.parametrize(
    "text",
    [
        "plain words\n" * 400,
        "2026-01-01 10:00:00 INFO started\n" * 400,
        "usage: crane [-h]\ncrane: error: no crate\n",
        "-rw is a mode\n" * 300,
        "NAME is what we call it\n" * 300,
        "",
        ":" * 5000,
        "-" * 5000,
    ],
)
def test_other_texts_have_no_shape(text: str):
    assert shapes.of(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "30:" * 350_000,
        ("30:" * 20 + "\n") * 16_000,
        "\n" * 1_000_000,
        "Certificate:\n    Data:\n" * 40_000,
        "-" * 1_000_000,
        "-rw-r--r-- 1 a b " + " " * 1_000_000,
        ("-rw-r--r-- 1 a b 1 Jan  1  2025 x -> ../../x\n") * 22_000,
        "NAME\n  x\nSYNOPSIS\n" + "  --a\n" * 150_000,
        "NAME\n  x\nOPTIONS\n" + "   -" * 300_000,
        "A\n  x\n" * 160_000,
    ],
)
def test_a_megabyte_of_anything_takes_little_time(text: str):
    start = time.process_time()
    shapes.of(text)
    looked = time.process_time() - start
    for module in (certificates, listing, manual):
        module.compress(text, context(text, Kind.LOG))
    assert looked < 0.2
    assert time.process_time() - start < 12
