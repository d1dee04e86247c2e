"""``tj wrap -- CMD``: runs a command untouched and prints its output cut."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.cli import child, common
from tokenjuice_ml.errors import RequestError

if TYPE_CHECKING:
    from tokenjuice_ml.api import TokenJuice
    from tokenjuice_ml.spool import Spool
    from tokenjuice_ml.types import Compressed

RAW_VARIABLE = "TOKENJUICE_RAW"


def run(argv: list[str]) -> int:
    """Runs the command; returns its exit code (128+n after signal n, 124 after ``--timeout``)."""
    args, command = _parse(argv)
    raw = args.bypass or os.environ.get(RAW_VARIABLE, "") not in ("", "0")
    settings = common.load_settings().merged(common.options_of(args))
    if raw and not settings.redact_secrets:
        return _raw(command, args.timeout)
    from tokenjuice_ml.ccr.store import state_folder
    from tokenjuice_ml.spool import Spool

    spool = Spool(state_folder() / "spool")
    try:
        ended = child.run(command, _sink(spool, args.tee), args.timeout)
        hints = {**common.hints_of(args), "argv": None, "exit_code": ended.exit_code}
        hints["bypass"] = raw
        hints.setdefault("command", shell_text(command))
        hints.setdefault("tool", "exec")
        juice = common.one_shot(settings, "wrap", args.cwd)
        _show(juice, spool, hints, args.json, ended.note)
    finally:
        spool.close()
    return ended.exit_code


def _parse(argv: list[str]) -> tuple[Any, list[str]]:
    parser = common.parser(
        "wrap",
        "Runs a command untouched and prints its output cut to what an agent needs.",
        usage="tj wrap [options] -- CMD [ARG ...]",
    )
    parser.add_argument("--tee", action="store_true", help="also stream the raw output to stderr")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="end the command after this time")
    parser.add_argument("--json", action="store_true", help="print the answer as one JSON object")
    common.add_hints(parser)
    own, sign, command = argv, "", []
    if "--" in argv:
        at = argv.index("--")
        own, sign, command = argv[:at], "--", argv[at + 1 :]
    args, rest = parser.parse_known_args(own)
    if not sign:
        # `tj wrap make test`: without `--` the first word that is no flag of ours starts the command.
        command = rest
    elif rest:
        raise RequestError(f"unknown option {rest[0]} (the command goes after --)")
    if not command:
        raise RequestError("no command; usage: tj wrap [options] -- CMD [ARG ...]")
    return args, command


def shell_text(command: list[str]) -> str:
    """Returns the command as one would type it; the text of ``sh -c`` stays as it is."""
    return shlex.join(command)


def _raw(command: list[str], timeout: float | None) -> int:
    ended = child.run(command, _to_stdout, timeout)
    if ended.note:
        sys.stderr.write(f"tj wrap: {ended.note}\n")
    return ended.exit_code


def _to_stdout(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _sink(spool: Spool, tee: bool) -> Any:
    if not tee:
        return spool.write

    def both(data: bytes) -> None:
        spool.write(data)
        with suppress(OSError, ValueError):  # nobody listens any more: the command goes on
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()

    return both


def _show(juice: TokenJuice, spool: Spool, hints: dict[str, Any], as_json: bool, note: str) -> None:
    data = spool.whole()
    if data is not None:
        result = juice.compress(data, **hints)
    else:
        result, data = _compress_large(juice, spool, hints, stream=not as_json)
    if as_json:
        common.write_json({**result.to_json(), "exit_code": hints["exit_code"], "note": note})
        return
    if result.compressor == "none" and data is not None and not result.masked:
        _to_stdout(data)
    elif result.text:
        common.write_text(result.text)
    if note:
        sys.stderr.write(f"tj wrap: {note}\n")


def _compress_large(
    juice: TokenJuice, spool: Spool, hints: dict[str, Any], stream: bool
) -> tuple[Compressed, bytes | None]:
    """Cuts the digest of an output that does not fit into memory; the spool is the original."""
    from tokenjuice_ml.api import tool_output
    from tokenjuice_ml.record import replace
    from tokenjuice_ml.spool import digest

    assert spool.path is not None
    if juice.settings.redact_secrets:
        spool.mask()
    made = digest(spool.path)
    output = replace(tool_output(made.text, {**hints, "kind": "log"}), digest=made)
    result = juice.run(output, juice.settings)
    if result.compressor == "none":
        # Nobody could cut the digest, or nothing could be stored: the original goes out, streamed. A JSON
        # answer cannot hold it: there the reason says why the text is empty.
        if not stream:
            return replace(result, text=""), None
        with open(spool.path, "rb") as file:
            while piece := file.read(1 << 20):
                _to_stdout(piece)
        return replace(result, text="", masked=0), b""
    return result, None
