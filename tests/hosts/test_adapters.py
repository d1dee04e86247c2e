"""Adapters against the real packages."""

from __future__ import annotations

import asyncio

import pytest

from tokenjuice_ml.api import Interceptor, TokenJuice
from tokenjuice_ml.hosts.hints import from_call
from tokenjuice_ml.settings import Settings

LOG = "\n".join(f"step {n} went well" for n in range(1500)) + "\nerror: the one that matters\n" + "tail\n" * 5


@pytest.fixture
def juice() -> Interceptor:
    return Interceptor(TokenJuice(Settings(savings_enabled=False)))


def test_wrapped_callbacks_may_be_coroutines(juice):
    async def tool(path):
        return LOG

    wrapped = juice.wrap(tool, tool="exec", command="./build.sh")
    cut = asyncio.run(wrapped("x"))
    assert wrapped.__name__ == "tool"
    assert "error: the one that matters" in cut
    assert len(cut) < len(LOG) / 4
    assert cut == juice.wrap(lambda path: LOG, tool="exec", command="./build.sh")("x")
    assert asyncio.run(juice.acall("short")) == "short"


@pytest.mark.parametrize("answer", [None, 7, {"rows": [1]}, ["a"]])
def test_results_that_are_no_text_stay(juice, answer):
    async def tool():
        return answer

    assert juice.wrap(lambda: answer)() is answer
    assert asyncio.run(juice.wrap(tool)()) is answer


def test_an_event_loop_is_not_blocked(juice):
    """While one text is cut others go on."""
    ticks = []

    async def tick():
        while True:
            ticks.append(1)
            await asyncio.sleep(0.001)

    async def work():
        beside = asyncio.create_task(tick())
        await juice.acall(LOG * 40, command="./build.sh", exit_code=1)
        beside.cancel()

    asyncio.run(work())
    assert len(ticks) > 2


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("bash", {"command": "pytest -q"}, {"tool": "exec", "command": "pytest -q"}),
        ("run_shell", '{"cmd": "ls"}', {"tool": "exec", "command": "ls"}),
        ("weather", {"command": "rain"}, {"tool": "weather"}),
        ("read_file", {"path": "src/a.rs"}, {"tool": "read_file", "extension": ".rs"}),
        ("grep", {"pattern": "x", "path": "src"}, {"tool": "grep", "query": "x"}),
        ("x", "not json", {"tool": "x"}),
        ("x", "[1]", {"tool": "x"}),
        ("x", None, {"tool": "x"}),
    ],
)
def test_hints_from_a_call(name, arguments, wanted):
    found = from_call(name, arguments)
    found.pop("arguments_json", None)
    assert found == wanted


@pytest.mark.filterwarnings("ignore")
def test_langchain_messages(juice):
    pytest.importorskip(
        "langchain_core", reason="needs langchain-core: pip install 'tokenjuice-ml[langchain]'"
    )
    from langchain_core.messages import ToolMessage

    from tokenjuice_ml.hosts.langchain import cut_message

    given = ToolMessage(
        content=LOG, name="bash", tool_call_id="call_1", artifact={"kept": True}, status="error"
    )
    cut = cut_message(given, {"command": "./build.sh"}, juice)
    assert "error: the one that matters" in cut.content
    assert len(cut.content) < len(LOG) / 4
    assert (cut.tool_call_id, cut.artifact, cut.status) == ("call_1", {"kept": True}, "error")
    assert given.content == LOG
    mixed = ToolMessage(
        content=[{"type": "text", "text": LOG}, {"type": "image_url", "image_url": "x"}], tool_call_id="2"
    )
    parts = cut_message(mixed, None, juice).content
    assert parts[1] == {"type": "image_url", "image_url": "x"}
    assert len(parts[0]["text"]) < len(LOG) / 4


@pytest.mark.filterwarnings("ignore")
def test_langgraph_tool_node(juice):
    pytest.importorskip(
        "langgraph.prebuilt", reason="needs langgraph: pip install 'tokenjuice-ml[langchain]'"
    )
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    from tokenjuice_ml.hosts.langchain import tool_call_wrapper

    @tool
    def bash(command: str) -> str:
        """Run a command."""
        return LOG

    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([bash], wrap_tool_call=tool_call_wrapper(juice)))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    call = AIMessage("", tool_calls=[{"name": "bash", "args": {"command": "./build.sh"}, "id": "1"}])
    answer = graph.compile().invoke({"messages": [call]})["messages"][-1]
    assert "error: the one that matters" in answer.content
    assert len(answer.content) < len(LOG) / 4


@pytest.mark.filterwarnings("ignore")
def test_openai_agents_function_tool(juice):
    agents = pytest.importorskip(
        "agents", reason="needs openai-agents: pip install 'tokenjuice-ml[openai-agents]'"
    )
    from agents.tool_context import ToolContext

    from tokenjuice_ml.hosts.openai_agents import wrap_tools

    @agents.function_tool
    def bash(command: str) -> str:
        """Run a command."""
        return LOG

    hosted = object()
    wrapped, other = wrap_tools([bash, hosted], juice)
    assert other is hosted
    assert wrapped.params_json_schema == bash.params_json_schema
    context = ToolContext(
        context=None, tool_name="bash", tool_call_id="1", tool_arguments='{"command": "./b.sh"}'
    )
    cut = asyncio.run(wrapped.on_invoke_tool(context, '{"command": "./b.sh"}'))
    assert "error: the one that matters" in cut
    assert len(cut) < len(LOG) / 4
