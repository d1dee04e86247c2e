"""One module a kind. Each has `compress(text, context) -> Reduction | None`; None declines."""
