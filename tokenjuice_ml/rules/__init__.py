"""Rules: schema, layers, matching and the reduction they describe.

find(command, output, settings)   the rule for an output, or None
apply(rule, text, context)        the output cut by it, or None
load(cwd)                         all rules that hold there
"""

from __future__ import annotations

from tokenjuice_ml.rules.load import load
from tokenjuice_ml.rules.match import find
from tokenjuice_ml.rules.reduce import apply

__all__ = ["apply", "find", "load"]
