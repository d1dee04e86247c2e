"""``tj prompt``: the paragraph for an agent's system prompt."""

from __future__ import annotations

from tokenjuice_ml.cli import common
from tokenjuice_ml.prompt import PARAGRAPH


def run(argv: list[str]) -> int:
    """Prints the paragraph."""
    common.parser("prompt", "Prints the paragraph to put into an agent's system prompt.").parse_args(argv)
    common.write_text(PARAGRAPH)
    return 0
