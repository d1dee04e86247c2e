"""The MCP server over a real subprocess, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

import pytest

mcp = pytest.importorskip("mcp", reason="needs the mcp package: pip install 'tokenjuice-ml[serve]'")

LOG = "\n".join(f"step {n} went well" for n in range(1500)) + "\nerror: the one that matters\n" + "tail\n" * 5


def talk(work):
    """Runs `work(session)` against a fresh server."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def go():
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "tokenjuice_ml.cli.main", "mcp"], env=dict(os.environ)
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await work(session)

    return asyncio.run(go())


def text_of(result) -> str:
    return result.content[0].text


def test_compress_retrieve_and_stats():
    async def work(session):
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        cut = await session.call_tool(
            "tokenjuice_compress", {"text": LOG, "command": "./build.sh", "exit_code": 1, "tool": "exec"}
        )
        answer = cut.structured_content or json.loads(text_of(cut))
        token = answer["token"]
        part = await session.call_tool(
            "tokenjuice_retrieve", {"token": token, "first_line": 1501, "last_line": 1501}
        )
        page = await session.call_tool("tokenjuice_retrieve", {"token": token})
        hits = await session.call_tool("tokenjuice_retrieve", {"token": token, "grep": "MATTERS"})
        gone = await session.call_tool("tokenjuice_retrieve", {"token": "9" * 27})
        stats = await session.call_tool("tokenjuice_stats", {})
        bad = await session.call_tool("tokenjuice_compress", {"text": "x", "options": {"nope": 1}})
        return tools, answer, part, page, hits, gone, stats, bad

    tools, answer, part, page, hits, gone, stats, bad = talk(work)
    assert set(tools) == {"tokenjuice_retrieve", "tokenjuice_compress", "tokenjuice_stats"}
    assert tools["tokenjuice_retrieve"].annotations.read_only_hint is True
    assert "error: the one that matters" in answer["text"]
    assert text_of(part) == "error: the one that matters\n"
    rows = text_of(page).split("\n")
    assert rows[-2] == "[… 1,106 more lines; ask for L401-L1506]"
    assert rows[-1] == f"[… L1-L400 of 1,506 lines of ⟦tj:{answer['token']}⟧]"
    assert "L1501: error: the one that matters" in text_of(hits)
    assert "expired" in text_of(gone)
    total = (stats.structured_content or json.loads(text_of(stats)))["total"]
    assert total["events"] == 1
    assert total["tokens_retrieved"] > 0
    assert "nope" in str(bad.structured_content or text_of(bad))


def test_what_cannot_be_done_is_an_error():
    async def work(session):
        call = session.call_tool
        return [
            await call("tokenjuice_retrieve", {"token": "9" * 27, "lines": [1, 2]}),
            await call("tokenjuice_compress", {"text": "x", "texts": "y"}),
            await call("tokenjuice_stats", {"dayz": 1}),
            await call("tokenjuice_retrieve", {"token": "9" * 27}),
            await call("tokenjuice_retrieve", {"token": "../x"}),
            await call("tokenjuice_compress", {"text": "x", "options": {"nope": 1}}),
        ]

    answers = talk(work)
    words = [
        "'lines'; known: token, first_line",
        "'texts'; known: text",
        "'dayz'",
        "no token",
        "not a token",
        "nope",
    ]
    for answer, word in zip(answers, words, strict=True):
        assert answer.is_error, word
        assert word in text_of(answer)


def test_ranges_by_bytes_and_a_line_longer_than_a_page():
    record = ", ".join(f'"key {n}": {n * 7919}' for n in range(9000))
    text = "\n".join(f"step {n} went well" for n in range(900)) + f"\nerror: {{{record}}}\n"

    async def work(session):
        cut = await session.call_tool(
            "tokenjuice_compress", {"text": text, "command": "./b.sh", "exit_code": 1}
        )
        token = (cut.structured_content or json.loads(text_of(cut)))["token"]
        ask = {"token": token, "first_line": 901}
        first = text_of(await session.call_tool("tokenjuice_retrieve", ask))
        start = int(first.split("ask for bytes ")[1].split("-")[0])
        ask = {"token": token, "first_byte": start, "end_byte": start + 400}
        second = text_of(await session.call_tool("tokenjuice_retrieve", ask))
        whole = text_of(await session.call_tool("tokenjuice_retrieve", {"token": token, "whole": True}))
        return token, first, start, second, whole

    token, first, start, second, whole = talk(work)
    assert len(first) < 33_000
    assert second == text[start : start + 400]
    assert whole == f"{text}[… L1-L901 of 901 lines of ⟦tj:{token}⟧]"


def test_all_hints_are_arguments():
    from tokenjuice_ml.api import HINTS

    async def work(session):
        return next(tool for tool in (await session.list_tools()).tools if tool.name == "tokenjuice_compress")

    schema = talk(work).input_schema
    assert set(schema["properties"]) == {"text", "options", *HINTS}


def test_it_is_ready_soon():
    """CPU of start and initialize; wall time on a shared machine says little."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()

    async def nothing(session):
        return None

    talk(nothing)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 4.0
    assert time.monotonic() - start < 30
