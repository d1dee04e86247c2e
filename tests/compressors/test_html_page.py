from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compressors.markup_context import FIXTURES, context
from tokenjuice_ml.compressors import html_page
from tokenjuice_ml.types import Kind, Reduction

PAGES = FIXTURES / "html"
TAGS = (
    "<p> </p> <table> <tr> <td> </td> </table> <a/href=x> </a> <ul> <li> </ul> <pre> </pre> <h2> </h2> <br>"
    " <img/alt=pic> <input/name=q> word <nav> </nav>"
).split()


def reduce(text: str, **hints) -> Reduction | None:
    return html_page.compress(text, context(text, Kind.HTML, **hints))


def page(body: str, head: str = "", **hints) -> str:
    reduction = reduce(f"<html><head>{head}</head><body>{body}</body></html>", **hints)
    assert reduction is not None
    return reduction.text


def shown(name: str, **hints) -> str:
    reduction = reduce((PAGES / name).read_text("utf8"), extension=name.rsplit(".", 1)[1], **hints)
    assert reduction is not None
    assert reduction.lossy, "HTML cut to its text is lossy, and says so"
    assert reduction.omissions
    return reduction.text


def in_order(text: str, *parts: str) -> None:
    at = 0
    for part in parts:
        found = text.find(part, at)
        assert found >= 0, part
        at = found + len(part)


def test_article_is_cut_to_its_text():
    text = shown("article.html")
    assert text.startswith('[… article "How the harbour bridge was rebuilt", Mara Lind, 2024-03-18]\n')
    in_order(
        text,
        "When the old harbour bridge closed",
        "63.5 million",
        "7.5 tonnes",
        "Who paid for it",
        "21,400 cars",
    )
    for around in ("Most read", "newsletter", "Related:", "Imprint", "dataLayer", "Read more"):
        assert around not in text.split("[… left out")[0]
    assert "[… left out: page around the article: 2 scripts, 1 style, " in text


def test_headings_that_the_extractor_drops_come_back():
    words = "This sentence is part of a long text about the sea and the land beside it. " * 3
    parts = "".join(
        f"<h2 class='decoration'>Part {name}</h2><p>{name} begins here. {words}</p>" for name in "ABCD"
    )
    text = page(f"<div><h1>Sea and land</h1><p>{words}{words}</p>{parts}</div>")
    assert text.startswith('[… article "Sea and land"]\n')
    in_order(text, "## Part B\nB begins here.", "## Part D\nD begins here.")


def test_front_page_keeps_titles_links_and_order():
    text = shown("front_page.html")
    in_order(
        text,
        "## [Storm tide reaches 3.1 metres at the lock](/news/storm-tide)",
        "Schools stay closed on Tuesday; ferries run from noon.",
        "## [Council votes 22 to 19 for the tram](/news/tram-vote)",
        "## [Choir looks for tenors](/news/choir)",
        "## [Market moves to the old shipyard](/news/market)",
    )
    assert "[… header with 5 links: Home, News, Guides, About, Log in]" in text
    assert '6 "Read more" again' in text


def test_forum_list_keeps_rows_with_their_links_and_numbers():
    text = shown("forum_list.html")
    in_order(
        text,
        "Topic | Author | Replies | Views | Last post",
        "[Mast track keeps jamming above the spreader](/t/101) | [ole_k](/u/ole_k) | 14 | 832 | ",
        "[[Solved] Engine stops after ten minutes](/t/103)",
        "| 204 | 18233 |",
        "Page 1 of 12 [Next](?page=2)",
    )


def test_forum_thread_keeps_every_post_and_its_code():
    text = shown("forum_thread.html")
    in_order(
        text, "gannet", "Since the firmware update to 2.4.1", "tern", "sensor timeout 0x1F", "That was it!"
    )
    assert "```\nsettings > sensor > offset\n  old: 12.0\n  new: 0.4\n```" in text
    assert "ticket 8841" in text


def test_docs_index_keeps_sections_and_counts_the_side_bar():
    text = shown("docs_index.html")
    in_order(
        text,
        "## Getting started",
        "- [Install](getting-started/install.html)",
        "## Reference",
        "- [Settings](reference/",
    )
    assert "[… side block with 40 links: Section 0, Section 1," in text


def test_search_results_keep_numbers_links_and_the_form():
    text = shown("search_results.html")
    assert '[text q =tide table "Search"]' in text
    assert "[select lang : any | English* | German]" in text
    assert "[checkbox safe checked]" in text
    in_order(
        text,
        "1. ### [Tide tables 2024 - Port Authority](https://port.example/tides/2024)",
        "14 gauges",
        "4. ###",
    )
    assert "a81f" not in text
    assert text.count("https://port.example/tides/2024") == 1


def test_api_reference_keeps_tables_code_and_definitions():
    text = shown("api_reference.html")
    assert "Parameter | Type | Default | Description\npath | str |  | The file to read." in text
    assert "Raise [FormatError](errors.html#FormatError) on bad lines." in text
    assert "    for reading in gauge:\n        if reading.height > 3.0:\n            print(reading)\n" in text
    assert "Raises\n: OSError when the disk is full" in text


def test_dashboard_keeps_states_from_alt_texts_and_titles():
    text = shown("dashboard.html")
    assert "Partial outage: exports are down since 09:14 UTC" in text
    assert "exports | ![outage] | 88.40 % | -" in text
    assert "Errors over 24 hours" in text
    assert "Restart of store-3 failed" in text
    assert "build 9931" not in text


def test_feed_shows_every_item_with_link_date_and_the_start_of_its_content():
    text = shown("feed.xml")
    assert text.count("\n- ") == 8
    in_order(
        text,
        "# Tideline",
        "- Storm tide reaches 3.1 metres at the lock\n  https://tideline.example/news/storm-tide · Mon, 01 Apr 2024",
        "  Schools stay closed on Tuesday; ferries run from noon.",
        "- Choir looks for tenors",
    )
    assert re.search(r"\[… [\d,]+ chars\]", text)
    assert len(text) < 0.6 * (PAGES / "feed.xml").stat().st_size


def test_atom_links_and_a_query_show_more():
    entry = "<entry><title>T{0}</title><link rel='alternate' href='https://x.example/{0}'/><content type='html'>{1}</content></entry>"
    entries = "".join(entry.format(i, f"&lt;p&gt;{'word ' * 200} needle{i}&lt;/p&gt;") for i in range(4))
    text = f"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>F</title>{entries}</feed>"
    plain, asked = reduce(text), reduce(text, query="needle2")
    assert plain is not None
    assert asked is not None
    assert "https://x.example/3" in plain.text
    assert "needle2" not in plain.text
    assert "needle2" in asked.text


def test_xml_becomes_rows_with_every_value():
    text = shown("build.xml")
    assert (
        "4 × dependency: groupId | artifactId | version | scope\n   org.slf4j | slf4j-api | 2.0.9\n" in text
    )
    assert "junit | junit | 4.13.2 | test" in text
    assert "configuration/skip: true" in text
    assert "2 comments" in text


def test_xml_failures_stand_out_of_many_rows():
    cases = "".join(
        f'<case name="t{i}" status="{"failed" if i == 70 else "passed"}" time="0.{i}"/>\n' for i in range(200)
    )
    text = page_xml(f"<suite>{cases}</suite>")
    assert "t70 | failed | 0.70" in text
    assert "status 64 × passed" in text or "passed" in text.split("rows")[1]


def test_test_reports_keep_failures_with_their_lines():
    good = "".join(f'<testcase classname="a" name="test_{i}" time="0.0{i}"/>\n' for i in range(100))
    bad = '<testcase classname="a" name="test_x"><failure message="assert 1 == 3">def test_x():\n  &gt; assert 1 == 3\n</failure></testcase>'
    out = "<system-out>" + "".join(f"row {i}\n" for i in range(90)) + "</system-out>"
    text = page_xml(f"<testsuite tests='101' failures='1'>{good}{bad}{out}</testsuite>")
    in_order(
        text,
        "testsuite (tests=101 failures=1)",
        "test_0 | 0.00",
        "[… 94 rows",
        "failure (message=assert 1 == 3)",
    )
    assert "  def test_x():\n     > assert 1 == 3\n" in text
    in_order(text, "row 11", "[… 54 lines, L", "row 66", "row 89")


def page_xml(body: str) -> str:
    reduction = reduce(f'<?xml version="1.0"?>\n{body}', extension="xml")
    assert reduction is not None
    return reduction.text


@pytest.mark.parametrize("space", ["", ' xmlns="urn:x:jobs"'])
def test_xml_without_a_prolog_keeps_its_values_apart(space):
    jobs = "".join(f"<Job><No>{i}</No><Sum>7{i}</Sum><State>DONE</State></Job>" for i in range(9))
    reduction = reduce(f"<Jobs{space}>{jobs}</Jobs>")
    assert reduction is not None
    assert "No | Sum" in reduction.text
    assert "3 | 73" in reduction.text


def test_absent_elements_differ_from_empty_ones():
    rows = "".join(f"<Row><No>{i}</No>{'<Note/>' if i == 40 else ''}</Row>" for i in range(80))
    text = page_xml(f"<Rows>{rows}</Rows>")
    assert "40 | (empty)" in text
    assert "Note 1 × " not in text
    assert '""' not in text


def test_a_page_filled_by_scripts_shows_its_data():
    data = '<script type="application/json">{"notice": "Ferry 7 stops at 18:40", "rows": [1, 2]}</script>'
    text = page(f"<div id=app></div><noscript>Call 555-0199 instead.</noscript>{data}")
    assert "Ferry 7 stops at 18:40" in text
    assert "Call 555-0199 instead." in text


@pytest.mark.parametrize("tag", ["del", "s", "strike"])
def test_deleted_words_are_marked(tag):
    text = page(f"<p>The limit is <{tag}>12 <b>h</b></{tag}> 90 min.</p>")
    assert text.startswith("The limit is ~~12 h~~ 90 min.")


def test_xml_entities_are_not_expanded():
    bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/hostname">]>'
    text = page_xml(f"{bomb}<r><v>&b;</v><w>&x;</w></r>")
    assert "hahaha" not in text


def test_svg_shows_titles_and_texts():
    assert shown("drawing.svg").startswith(
        "svg width=120 height=80 viewBox=0 0 120 80\n# Tide curve\nHeight over twelve hours\n- 00:00"
    )


def test_code_keeps_its_indentation():
    assert page("<pre>if a:\n    if b:\n\tc</pre>").startswith("```\nif a:\n    if b:\n\tc\n```")


def test_cells_of_a_row_stay_apart():
    text = page("<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr></table>")
    assert text.startswith("a | b\n1 | 2")


def test_each_link_target_is_shown_once():
    text = page('<p><a href="/x">one</a> and <a href="/x">two</a> and <a href="#y">three</a></p>')
    assert text.startswith("[one](/x) and two and three")


def test_entities_are_decoded():
    assert page("<p>a &mdash; b &hellip; &#x41; &amp;lt; &nbsp;c</p>").startswith("a — b … A &lt; c")


def test_a_link_around_blocks_keeps_its_target():
    assert page('<a href="/x"><div><h3>Title</h3><p>Text</p></div></a>').startswith("### Title (/x)\nText")


def test_lists_keep_their_nesting_and_numbers():
    text = page("<ol start=1><li>one<ul><li>a<li>b</ul><li>two</ol>")
    assert text.startswith("1. one\n  - a\n  - b\n2. two")


def test_layout_tables_do_not_hide_the_tables_in_them():
    text = page(
        "<table><tr><td><table><tr><th>n<th>status</tr><tr><td>x<td>ok</tr></table></td><td>side</td></tr></table>"
    )
    assert "n | status\nx | ok" in text
    assert "side" in text


def test_long_tables_keep_rows_that_are_not_well():
    rows = "".join(
        f"<tr><td>s{i}</td><td>{'failed' if i == 77 else 'running'}</td></tr>\n" for i in range(300)
    )
    text = page(f"<table><tr><th>name</th><th>status</th></tr>{rows}</table>")
    assert "s77 | failed" in text
    assert "× running" in text
    assert text.count("\n") < 20


def test_links_that_all_read_alike_lose_their_target():
    items = "".join(
        f'<li><a href="/i/{i}">Item {i}</a> <a href="/reply/{i}">reply</a></li>' for i in range(20)
    )
    text = page(f"<ul>{items}</ul>")
    assert "[Item 7](/i/7) reply" in text
    assert '20 URL of "reply"' in text


def test_code_beside_line_numbers_loses_the_numbers():
    lines = "\n".join(str(i) for i in range(1, 31))
    text = page(f"<table><tr><td>{lines}</td><td><pre>x = 1\ny = 2</pre></td></tr></table>")
    assert "x = 1\ny = 2" in text
    assert "28 29 30" not in text
    assert "30 line numbers" in text


def test_numbers_inside_code_and_permalinks_go():
    rows = "".join(f'<a href="#{i}" id="{i}">{i}</a>let x{i} = {i};\n' for i in range(1, 4))
    text = page(
        f'<a href="#main">Skip to main content</a><h2>Code <a href="#code">§</a></h2><pre>{rows}</pre>'
    )
    assert text.startswith("## Code\n```\nlet x1 = 1;\nlet x2 = 2;\nlet x3 = 3;\n```")
    assert "3 line numbers" in text


def test_repeated_headings_and_facts_stay():
    text = page(
        "".join(f"<h2>Summary</h2><p>File: main.rs</p><p>Read more</p><p>Text {i}</p>" for i in range(8))
    )
    assert text.count("## Summary") == 8
    assert text.count("File: main.rs") == 8
    assert text.split("[…")[0].count("Read more") == 2


def test_a_side_bar_that_holds_the_content_is_read():
    text = page('<div class="layout sidebar-left nav-open"><h1>Title</h1><p>The only words.</p></div>')
    assert "# Title\nThe only words." in text


@pytest.mark.parametrize(
    "broken",
    [
        "<p>one<p>two<b>three",
        "<table><tr><td>one<td>two<td>three",
        "one</div></p>two<three",
        "<html><html><body>one two three",
        "<ul><li>one<li>two</ol>three",
        "\x00<p>one\x01two three",
        "<!-- <p>one</p>",
    ],
)
def test_broken_html_is_read_as_far_as_it_goes(broken):
    reduction = reduce(broken)
    if "<!--" not in broken:
        assert reduction is not None
        for word in ("one", "two", "three"):
            assert word in reduction.text or (word == "three" and "<three" in broken)


def test_nesting_has_no_limit():
    for depth in (300, 3_000, 60_000):
        text = f"<html><body>{'<div>' * depth}deep words{'</div>' * depth}</body></html>"
        reduction = reduce(text)
        assert reduction is not None
        assert "deep words" in reduction.text
    assert reduce("<?xml version='1.0'?>" + "<a>" * 50_000 + "x", extension="xml") is not None


def test_the_page_names_its_charset():
    html = "<html><head><meta charset=windows-1251></head><body><p>Привет, мир</p></body></html>"
    raw = html.encode("cp1251")
    for text in (raw.decode("utf-8", "replace"), raw.decode("utf-8", "surrogateescape")):
        reduction = reduce(text, raw=raw)
        assert reduction is not None
        assert "Привет, мир" in reduction.text


def test_one_bad_byte_does_not_change_the_charset():
    raw = "<p>Привет, мир и все, кто в нём</p>".encode() + b"\xff"
    reduction = reduce(raw.decode("utf-8", "replace"), raw=raw)
    assert reduction is not None
    assert "Привет, мир" in reduction.text


def test_a_page_without_text_is_declined():
    assert reduce("<html><body><script>render()</script></body></html>") is None


def test_a_page_filled_by_scripts_says_so():
    head = "<title>Board</title><meta name=description content='Tasks of the week'>"
    text = page(f"<div id=root></div><script>{'let a = 1; ' * 400}</script>", head)
    assert text.startswith(
        "# Board\nTasks of the week\n[… the page is filled by scripts: 4,400 chars of script here"
    )


def test_a_page_longer_than_a_reader_would_ask_for_is_bounded():
    text = page("".join(f"<p>Paragraph number {i} has some words.</p>\n" for i in range(9000)))
    assert len(text) < 62_000
    assert re.search(r"\[… [\d,]+ lines of this page's text", text)
    assert "Paragraph number 8999" in text


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(TAGS), max_size=60))
def test_any_mix_of_tags_is_read(parts):
    reduction = reduce("".join(parts))
    if reduction is not None and "<nav>" not in parts:
        assert reduction.text.count("word") >= min(1, parts.count("word"))


@pytest.mark.parametrize(
    "unit",
    [
        '<li><a href="/item/{i}">Item number {i}</a> <span>text</span></li>',
        "<tr><td>name {i}</td><td>ok</td></tr>",
        "<p>hello {i}",
        "<b>x ",
        "<div class='sidebar'><h1>x</h1>",
        "<a href='x'>t ",
    ],
)
def test_time_grows_with_the_size_only(unit):
    def cost(count: int) -> float:
        text = "<html><body><table>" + "".join(unit.format(i=i) for i in range(count))
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            reduce(text)
            best = min(best, time.process_time() - start)
        return best

    assert cost(8_000) < 9 * cost(2_000) + 0.05


def test_same_input_gives_the_same_output():
    assert shown("front_page.html") == shown("front_page.html")


def test_elements_that_html_does_not_know_are_not_fused():
    shown = page(
        "<p>Stock of today</p><foo>12</foo><bar>34</bar><x-price>7.50</x-price><p>H<sub>2</sub>O</p>"
    )
    assert "1234" not in shown
    assert "347.50" not in shown
    assert "H2O" in shown


def test_struck_words_in_verbatim_text_stay_as_they_are():
    assert "~~" not in page("<p>A listing follows here.</p><pre>a <del>b</del> c</pre>")
