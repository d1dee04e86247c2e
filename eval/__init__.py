"""The offline evaluation harness. Runs from a checkout; never part of the wheel."""
