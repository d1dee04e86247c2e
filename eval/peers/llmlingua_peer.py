"""Runs PyPI llmlingua with a local LLMLingua-2 model; the same contract as tokenjuice_node.mjs."""

import json
import os
import sys
import time

from llmlingua import PromptCompressor


def main() -> None:
    """Answers every case at the rate that LLMLINGUA_RATE names (0.5)."""
    peer = PromptCompressor(os.environ["LLMLINGUA_MODEL"], device_map="cpu", use_llmlingua2=True)
    rate = float(os.environ.get("LLMLINGUA_RATE", "0.5"))
    answers = []
    for item in json.load(sys.stdin):
        start = time.process_time()
        done = peer.compress_prompt(item["text"], rate=rate, force_tokens=["\n"])
        spent = (time.process_time() - start) * 1000
        answers.append({"text": done["compressed_prompt"], "ms": spent})
    json.dump(answers, sys.stdout)


main()
