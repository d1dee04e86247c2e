"""Outputs whose layout is better rewritten than filtered."""

from __future__ import annotations

from collections.abc import Callable

from tokenjuice_ml.rules.format_gh import format_gh
from tokenjuice_ml.rules.format_git_status import format_git_status
from tokenjuice_ml.types import Context, Reduction

FORMATTERS: dict[str, Callable[[str, Context], Reduction | None]] = {
    "git-status": format_git_status,
    "gh": format_gh,
}
