"""Certificates, manuals and listings as tools print them, made from own words."""

from __future__ import annotations

import random


def hex_lines(count: int, seed: int, indent: int, per_line: int = 15) -> list[str]:
    """Returns `count` bytes as openssl writes them."""
    numbers = random.Random(seed)
    pairs = [f"{numbers.randrange(256):02x}" for _ in range(count)]
    rows = [pairs[at : at + per_line] for at in range(0, count, per_line)]
    return [" " * indent + ":".join(row) + (":" if at < len(rows) - 1 else "") for at, row in enumerate(rows)]


def certificate(
    name: str,
    *,
    bits: int = 2048,
    signature: str = "sha256WithRSAEncryption",
    years: tuple[int, int] = (2026, 2028),
    ca: bool = False,
    issuer: str = "",
) -> list[str]:
    """Returns one certificate, as `openssl x509 -text` prints it."""
    seed = sum(map(ord, name))
    subject = f"O = Harbour, CN = {name}"
    return [
        "Certificate:",
        "    Data:",
        "        Version: 3 (0x2)",
        "        Serial Number:",
        *hex_lines(20, seed, 12, 20),
        f"        Signature Algorithm: {signature}",
        f"        Issuer: {issuer or subject}",
        "        Validity",
        f"            Not Before: Jan  5 08:00:00 {years[0]} GMT",
        f"            Not After : Feb  7 08:00:00 {years[1]} GMT",
        f"        Subject: {subject}",
        "        Subject Public Key Info:",
        "            Public Key Algorithm: rsaEncryption",
        f"                Public-Key: ({bits} bit)",
        "                Modulus:",
        *hex_lines(bits // 8 + 1, seed, 20),
        "                Exponent: 65537 (0x10001)",
        "        X509v3 extensions:",
        "            X509v3 Basic Constraints: critical",
        f"                CA:{'TRUE' if ca else 'FALSE'}",
        "            X509v3 Key Usage: critical",
        f"                {'Certificate Sign, CRL Sign' if ca else 'Digital Signature, Key Encipherment'}",
        "            X509v3 Subject Alternative Name: ",
        f"                DNS:{name}, DNS:www.{name}",
        f"    Signature Algorithm: {signature}",
        "    Signature Value:",
        *hex_lines(bits // 8, seed + 1, 8, 18),
    ]


def certificates(count: int, odd: dict[int, dict[str, object]] | None = None) -> str:
    """Returns `count` certificates, as a loop over files prints them."""
    lines: list[str] = []
    for number in range(count):
        name = f"quay{number:02d}.harbour.example"
        lines += [f"=== tls/{name}.pem", *certificate(name, **(odd or {}).get(number, {}))]  # type: ignore[arg-type]
    return "\n".join([*lines, ""])


def manual(options: int = 60) -> str:
    """Returns a page of a manual."""
    text = [
        "FERRY(1)                        Harbour Manual                        FERRY(1)",
        "",
        "NAME",
        "       ferry - carry crates across the bay",
        "",
        "SYNOPSIS",
        "       ferry [options] <crate>...",
        "",
        "DESCRIPTION",
        "       ferry loads crates and reports an error for each that failed to load. An",
        "       error in the manifest is fatal: error codes are listed below.",
        "",
        "OPTIONS",
    ]
    for number in range(options):
        text += [
            f"       -{chr(97 + number % 26)}, --deck-{number:02d} <name>",
            f"              Put the crate on deck {number}, below the error lamp. When the",
            "              lamp failed, the crew reports an error and the crate stays where",
            f"              it is until somebody asks for it again, {number + 3} times at most.",
            "",
            f"              Sentinel {number:02d} explains the rest of deck {number}.",
            "",
        ]
        if number == options // 2:
            text += ["              WARNING: this deck floods at high tide.", ""]
    text += ["EXIT STATUS", "       0      All crates arrived.", "", "       7      A crate was lost.", ""]
    text += [
        "SEE ALSO",
        "       tug(1)",
        "",
        "Harbour 2.4                     May 2026                     FERRY(1)",
        "",
    ]
    return "\n".join(text)


def listing(rows: int = 300, odd: tuple[str, ...] = ()) -> str:
    """Returns the rows of `ls -la` of a folder, the odd ones in the middle."""
    lines = [f"total {rows * 8}"]
    for number in range(rows):
        day, size = 1 + number % 28, 900 + 37 * (number % 90)
        lines.append(f"-rw-r--r--  1 dock dock  {size:>7} Mar {day:>2}  2025 crate-{number:03d}.txt")
    return "\n".join([*lines[: rows // 2], *odd, *lines[rows // 2 :], ""])
