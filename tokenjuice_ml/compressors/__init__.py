"""One module a kind. Each has `compress(text, context) -> Reduction | None`; None declines."""

from __future__ import annotations

from tokenjuice_ml.types import Kind

# Modules are imported when a text of their kind comes: some bring libraries along.
MODULES = {
    Kind.JSON: "jsonish",
    Kind.DIFF: "diff",
    Kind.HTML: "html_page",
    Kind.SEARCH: "search",
    Kind.CODE: "code",
    Kind.LOG: "log",
}
