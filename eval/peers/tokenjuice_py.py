"""Runs PyPI tokenjuice-py over JSON cases from stdin; the same contract as tokenjuice_node.mjs."""

import json
import sys
import time

from tokenjuice import ToolExecutionInput, reduce_execution


def main() -> None:
    """Answers every case with its text and the median CPU ms of one warm call."""
    answers = []
    for item in json.load(sys.stdin):
        given = ToolExecutionInput(
            toolName="exec",
            command=item.get("command") or "",
            combinedText=item["text"],
            exitCode=item.get("exit_code") or 0,
        )
        times = []
        for _ in range(item.get("rounds", 1)):
            start = time.process_time()
            result = reduce_execution(given)
            times.append((time.process_time() - start) * 1000)
        answers.append({"text": result.inlineText, "ms": sorted(times)[len(times) // 2]})
    json.dump(answers, sys.stdout)


main()
