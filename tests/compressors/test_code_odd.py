"""A body that is unlike its siblings does not hide in a fold."""

from __future__ import annotations

import time

import pytest

from tests.compressors.markup_context import NAMES, context
from tokenjuice_ml.compressors import code
from tokenjuice_ml.types import Kind, Reduction

BODIES = {
    "py": """def save_{low}(request):
    \"\"\"Stores a {low}.\"\"\"
    data = parse(request, timeout=30)
    require_login(request)
    validate(data, schemas.{up})
    try:
        item = db.{low}s.insert(data)
    except db.Error as error:
        log.error("could not store {low}: %s", error)
        raise
    return ok(item, retries=3)


""",
    "go": """func (s *Server) Save{name}(w http.ResponseWriter, r *http.Request) {{
\tvar in {name}Input
\tif err := decode(r, &in); err != nil {{
\t\thttp.Error(w, err.Error(), http.StatusBadRequest)
\t\treturn
\t}}
\tif !s.may(r, "{low}.save") {{
\t\thttp.Error(w, "forbidden", http.StatusForbidden)
\t\treturn
\t}}
\tout, err := s.{low}s.Save(r.Context(), in)
\tif err != nil {{
\t\ts.fail(w, err)
\t\treturn
\t}}
\twriteJSON(w, http.StatusCreated, out)
}}

""",
    "ts": """router.post("/{low}s", async (req, res, next) => {{
  try {{
    const owner = await authenticate(req);
    const body = {low}Schema.parse(req.body);
    const item = await db.{low}.create({{ data: body, owner: owner.id }});
    log.info("{low} saved", {{ id: item.id }});
    res.status(201).json(item);
  }} catch (error) {{
    next(error);
  }}
}});

""",
}
HEADS = {
    "py": "import time\n\n\n",
    "go": 'package api\n\nimport "net/http"\n\n',
    "ts": 'import { db } from "./db";\n\n',
}
# Language, what stands in one body, what stands there instead, and what the reader must see.
CASES = [
    ("py", "        raise\n", "        pass\n", "        pass"),
    ("py", "        raise\n", "        return ok(None)\n", "        return ok(None)"),
    ("py", "timeout=30)", "timeout=3000)", "timeout=3000)"),
    ("py", "    require_login(request)\n", "", 'no "require_login(request)" here, which 23 alike have'),
    ("py", "    try:\n", "    time.sleep(5)\n    try:\n", "    time.sleep(5)"),
    (
        "py",
        "    validate(",
        '    if data.get("debug"):\n        return ok(data)\n    validate(',
        'if data.get("debug"):',
    ),
    ("go", "http.StatusCreated", "http.StatusOK", "writeJSON(w, http.StatusOK, out)"),
    ("go", "\tif !s.may(", "\tif false && !s.may(", "if false && !s.may("),
    ("go", "\t\ts.fail(w, err)\n", "\t\t_ = err\n", "_ = err"),
    ("ts", "    next(error);\n", "    res.status(200).json({});\n", "    res.status(200).json({});"),
    ("ts", "await authenticate(req)", '{ id: "root" }', 'const owner = { id: "root" };'),
]


def source(language: str, changed: int = -1, old: str = "", new: str = "") -> str:
    parts = [HEADS[language]]
    for index, name in enumerate(NAMES):
        body = BODIES[language].format(low=name, up=name.upper(), name=name.capitalize())
        parts.append(body.replace(old, new) if index == changed else body)
    return "".join(parts)


def reduce(text: str, language: str) -> Reduction:
    reduction = code.compress(text, context(text, Kind.CODE, extension=language))
    assert reduction is not None
    return reduction


@pytest.mark.parametrize("place", [0, 23])
@pytest.mark.parametrize(("language", "old", "new", "seen"), CASES)
def test_what_one_body_does_otherwise_is_seen(language: str, old: str, new: str, seen: str, place: int):
    text = source(language, place, old, new)
    plain, reduction = reduce(source(language), language), reduce(text, language)
    assert text != source(language)
    assert seen not in plain.text
    assert seen in reduction.text
    # It stands below the head of its body, and costs little.
    heads = [
        reduction.text.find(head)
        for head in (f"_{NAMES[place]}(", f"Save{NAMES[place].capitalize()}(", f"/{NAMES[place]}s")
    ]
    head = max(heads)
    following = reduction.text.find(seen)
    assert 0 < head < following < head + 500
    assert len(reduction.text) < len(plain.text) + 300


@pytest.mark.parametrize("language", sorted(BODIES))
def test_bodies_that_are_alike_stay_folded(language: str):
    reduction = reduce(source(language), language)
    assert "alike have" not in reduction.text
    assert len(reduction.text) < 0.35 * len(source(language))


def test_bodies_of_their_own_are_no_family():
    words = ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda_", "theta", "zeta"]
    text = "".join(
        f"def {a}(x):\n    {a}_{b} = x.{b}\n    for {b} in {a}_{b}:\n        yield {b} ** {n}\n    del {a}_{b}[{n}:]\n\n\n"
        for n, (a, b) in enumerate(zip(words, reversed(words), strict=True))
    )
    assert "alike have" not in reduce(text, "py").text


def test_risks_inside_a_lone_body_are_seen():
    filler = "".join(f"    step_{n} = work(step_{n - 1})\n" for n in range(1, 60))
    text = f"def run(step_0):\n{filler}    page = client.get(link, verify=False)\n{filler}    try:\n        page.close()\n    except Exception:\n        pass\n{filler}"
    body = reduce(text, "py").text
    assert "verify=False" in body
    assert "    except Exception:\n        pass" in body


@pytest.mark.parametrize("language", sorted(BODIES))
def test_time_grows_with_the_size_only(language: str):
    def cost(times: int) -> float:
        text = "".join(
            source(language, n % 24, *CASES[0][1:3]).replace("kiosk", f"kiosk{n}") for n in range(times)
        )
        best = 9.0
        for _ in range(2):
            start = time.process_time()
            reduce(text, language)
            best = min(best, time.process_time() - start)
        return best

    assert cost(8) < 10 * cost(2) + 0.05
