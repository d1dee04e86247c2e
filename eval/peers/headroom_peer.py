"""Runs PyPI headroom-ai over JSON cases from stdin; the same contract as tokenjuice_node.mjs."""

import json
import sys
import time

from headroom import compress


def shown(text: str) -> str:
    """Returns the text that headroom would send for one tool result."""
    messages = [
        {"role": "user", "content": "What does it say?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "tool", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]  # fmt: skip
    done = compress(messages, model="gpt-4")
    return next(item["content"] for item in done.messages if item["role"] == "tool")


def main() -> None:
    """Answers every case."""
    answers = []
    shown("INFO the first call loads what later ones use\n" * 60)
    for item in json.load(sys.stdin):
        start = time.process_time()
        text = shown(item["text"])
        answers.append({"text": text, "ms": (time.process_time() - start) * 1000})
    json.dump(answers, sys.stdout)


main()
