"""One fact in a very long output of a build or test tool: it stays, nearly all else goes."""

from __future__ import annotations

import pytest

from tests.fixtures.generators import builds, containers, dotnet_apple
from tests.rules.helpers import chosen, run
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import ToolOutput

TAX = ("left: 100", "right: 119", "src/part0.rs:41:9", "case_1000", "1999 passed; 1 failed")
CASES = {
    "cargo test": ("cargo test", 101, builds.cargo_test(), "tests/cargo-test", TAX),
    "go test": (
        "go test -v ./...",
        1,
        builds.go_test(),
        "tests/go-test",
        ("orders_test.go:41: total(100) = 100; want 119", "--- FAIL: TestCase1000", "shop/orders"),
    ),
    "maven": (
        "mvn -B package",
        1,
        builds.maven_build(),
        "build/maven",
        ("Order.java:[41,17] cannot find symbol", "taxRate(com.acme.Region)", "BUILD FAILURE"),
    ),
    "npm build": (
        "npm run build",
        1,
        builds.npm_build(),
        "build/npm-build",
        ("ERROR in ./src/pages/Checkout.tsx:88:31", "> 88 |   return addTax(total.text);"),
    ),
    "dotnet build": (
        "dotnet build",
        1,
        dotnet_apple.build(40, 600),
        "build/dotnet",
        ("OrderService.cs(88,31): error CS0029", "taxRate", "2 Error(s)"),
    ),
    "dotnet test": (
        "dotnet test",
        1,
        dotnet_apple.vstest(2000),
        "tests/dotnet-test",
        ("Total_IncludesTax", "Expected: 119.00", "OrderTests.cs:line 41"),
    ),
    "docker build": (
        "docker build --progress=plain .",
        1,
        containers.buildkit(packages=900),
        "devops/docker-build",
        ("src/routes/orders.ts(41,7): error TS2322", "Dockerfile:14"),
    ),
    "docker run": (
        "docker run --rm shop/job:3",
        1,
        containers.run_crash(3000),
        "devops/docker-run",
        ("ValueError: row 11873: price is empty", 'File "/app/load.py", line 23'),
    ),
    "docker compose": (
        "docker compose up",
        1,
        containers.compose_up(3000),
        "devops/docker-compose",
        ("exited with code 137", "Cannot allocate memory", "Connection refused"),
    ),
    "docker ps": (
        "docker ps -a",
        0,
        containers.ps(600),
        "devops/docker-ps",
        ("Exited (137) 4 minutes ago", "Restarting (1)", "(unhealthy)"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_fact_survives(name: str) -> None:
    command, code, text, rule_id, facts = CASES[name]
    output = ToolOutput(text=text, tool="exec", command=command, exit_code=code)
    rule = chosen(output)
    assert rule is not None
    assert rule.id == rule_id
    reduction = run(rule, output)
    assert reduction is not None
    assert [fact for fact in facts if fact not in reduction.text] == []
    assert 1 - estimate(reduction.text) / estimate(text) >= 0.95


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_unknown_exit_code_keeps_the_fact_too(name: str) -> None:
    command, _, text, _, facts = CASES[name]
    output = ToolOutput(text=text, tool="exec", command=command)
    rule = chosen(output)
    assert rule is not None
    reduction = run(rule, output)
    assert reduction is not None
    assert [fact for fact in facts if fact not in reduction.text] == []
