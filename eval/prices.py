"""Makes `tokenjuice_ml/prices.json` from the genai-prices package: `python -m eval.prices`.

Only input prices, in USD per million tokens, of models that take text. Where a price rises with
the length of the request the lowest step is taken, so that savings are not overstated.
"""

from __future__ import annotations

import datetime
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "tokenjuice_ml" / "prices.json"
# A model that several providers sell is priced by its maker; the rest in this order.
FIRST = ("anthropic", "openai", "google", "mistral", "deepseek", "x-ai", "cohere", "groq", "aws", "azure")


def input_price(price: Any) -> float | None:
    """Returns the input price of one price entry, or None when it is not per token."""
    value = getattr(price, "input_mtok", None)
    if value is None:
        return None
    base = getattr(value, "base", value)
    return float(base)


def table() -> dict[str, float]:
    """Returns model id -> USD per million input tokens."""
    from genai_prices.data import providers

    rank = {name: at for at, name in enumerate(FIRST)}
    prices: dict[str, float] = {}
    for provider in sorted(providers, key=lambda provider: rank.get(provider.id, len(rank))):
        for model in provider.models:
            entries = model.prices if isinstance(model.prices, list) else [model.prices]
            last = entries[-1]
            price = input_price(getattr(last, "prices", last))
            if price:
                prices.setdefault(model.id.lower().rsplit("/", 1)[-1], price)
    return dict(sorted(prices.items()))


def main() -> None:
    """Writes the table."""
    found = table()
    document = {
        "as_of": datetime.date.today().isoformat(),
        "source": f"genai-prices {version('genai-prices')} (MIT)",
        "unit": "USD per million input tokens",
        "usd_per_mtok": found,
    }
    TARGET.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} models -> {TARGET.name}")


if __name__ == "__main__":
    main()
