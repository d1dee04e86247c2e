"""What an agent is told about the texts it sees."""

from __future__ import annotations

from tokenjuice_ml.marker import RETRIEVE_TOOL

PARAGRAPH = f"""\
Long tool output is shown to you as a partial view. What you see is verbatim and in its original \
order. A line that starts with `[…` stands where lines were left out and says how many, which \
(L118-L331 are line numbers of the original) and what they were; inside a line `… L40-L88 …` is the same. In front of a line, `[… 400× L7-L812]` says that it stands for \
400 lines of its sort between those. The last line, \
`[partial view of N lines; whole: {RETRIEVE_TOOL} ⟦tj:TOKEN⟧]`, names the token of the original. \
Nothing is lost: when a left-out part matters, call `{RETRIEVE_TOOL}` with the token and a line range \
(or run `tj retrieve TOKEN --lines 118-331`, `--around 331`, `--grep TEXT`) instead of running the \
command again. Ask for the range you need, not for everything. Output without such a footer is complete. \
To get a command's output uncut from the start, run it as `tj wrap --raw -- CMD`."""
