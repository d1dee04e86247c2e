"""The command line. One module a verb, imported only when it is called.

Exit codes: 0 done, 1 done with failures (a batch line, a check), 2 wrong usage or unreadable
input, 3 not found (a token, a rule), and for `wrap` the child's own code (128+n when a signal
ended it).
"""

from __future__ import annotations

import sys
from importlib import import_module

from tokenjuice_ml.errors import TokenJuiceError

# verb -> (module, one line of help)
VERBS = {
    "reduce": ("reduce", "cut a file or standard input"),
    "wrap": ("wrap", "run a command, print its output cut, keep its exit code"),
    "batch": ("batch", "cut many texts: JSON lines in, JSON lines out"),
    "reduce-json": ("reduce_json", "one JSON request on stdin, one JSON answer on stdout"),
    "detect": ("detect", "say what kind a text is and why"),
    "retrieve": ("retrieve", "print an original, or a part of it"),
    "rules": ("rules", "list, show, verify, test, explain, trust rules"),
    "stats": ("stats", "what was saved"),
    "cache": ("cache", "stats and gc of the store of originals"),
    "config": ("config", "show, get, set settings"),
    "sidecar": ("sidecar", "start, stop, warm, inspect the saliency sidecar"),
    "serve": ("serve", "local RPC server with a page"),
    "mcp": ("mcp", "MCP server on stdio"),
    "prompt": ("prompt", "print the paragraph for an agent's system prompt"),
    "doctor": ("doctor", "check the installation"),
    "demo": ("demo", "show what it does on shipped outputs"),
    "eval": ("eval", "compare systems (checkout only)"),
    "version": ("version", "print the version"),
}


def main(argv: list[str] | None = None) -> int:
    """Runs `tj` with `argv` (default: the process's) and returns the exit code."""
    words = sys.argv[1:] if argv is None else argv
    verb = words[0] if words else "--help"
    if verb in ("-h", "--help", "help"):
        return _help()
    if verb in ("-V", "--version"):
        verb = "version"
    if verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        sys.stderr.write(f"tj: unknown verb '{verb}'.{hint} `tj --help` lists them.\n")
        return 2
    try:
        run = import_module(f"tokenjuice_ml.cli.{VERBS[verb][0]}").run
        return int(run(words[1:]))
    except TokenJuiceError as error:
        sys.stderr.write(f"tj {verb}: {error}\n")
        return 2
    except BrokenPipeError:
        # The reader went away (`tj ... | head`): not our failure.
        _hush_stdout()
        return 0
    except KeyboardInterrupt:
        return 130


def _help() -> int:
    rows = "\n".join(f"  {name:12s} {about}" for name, (_, about) in VERBS.items())
    sys.stdout.write(f"usage: tj VERB [options]\n\n{rows}\n\n`tj VERB --help` tells its options.\n")
    return 0


def _hush_stdout() -> None:
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        return
