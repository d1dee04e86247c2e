"""Self-made documents in the shapes that common tools and services answer with, and what must stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.compressors.json_kinds_build import audit, eslint, package, pytestjson, sarif
from tests.compressors.json_kinds_run import cloudwatch, docker, es, events, pods, sentry, terraform, tfstate
from tests.compressors.json_kinds_work import anthropic, geojson, issues, jira, openai, openapi

NEEDED: dict[Callable[..., Any], list[str]] = {
    anthropic: [
        "PermissionError: access denied to /srv/vault",
        "decided to ship version 4.2",
        "look at module 0 and tell",
        "src/mod",
    ],
    openai: ["Never refund twice", "invoice 1035 is locked by audit", "Question 0:", "lookup_invoice"],
    issues: ["Data loss after upgrade to 3.1", "dev3", "884", "regression", "maria"],
    jira: [
        "Card numbers appear in the log",
        "PAY-220",
        "Blocked",
        "Highest",
        "Ana Lima",
        "takes more than nine minutes",
    ],
    pods: [
        "CrashLoopBackOff",
        "OOMKilled",
        "137",
        "42",
        "node-3",
        "-00011",
        "registry.example/api:1.4.2",
        "prod",
    ],
    events: ["FailedScheduling", "insufficient memory", "web-33", "Warning"],
    cloudwatch: ["KeyError: 'tenant' in handler line 88", "processed batch"],
    es: [
        "upstream ledger refused the write: quota exceeded",
        "10432",
        "ERROR",
        '"failed":1',
        "32",
        "10400",
        "2026-03-01T10:23:00Z",
    ],
    sentry: ["OperationalError: database is locked", "SHOP-0A", "4000", "checkout", "unresolved"],
    package: ["vite build", "node tools/deploy.mjs --prod", "react", "^18.2.0", "vitest", "2.7.1", ">=20"],
    docker: [
        "137",
        "OOMKilled",
        "/shop-api",
        "shop/api:1.4.2",
        "unhealthy",
        "Failed to connect to localhost port 8080",
        "18080",
        "/data:/var/lib/data:rw",
        "NODE_ENV=production",
        "172.18.0.5",
        "RestartCount",
    ],
    audit: [
        "pkg-9",
        "critical",
        "Remote code execution in template engine",
        "<9.2.0",
        '"total":40',
        "GHSA-0009",
    ],
    pytestjson: [
        "tests/test_12.py::test_case_51",
        "assert 41 == 42",
        '"failed":1',
        ">  assert total() == 42",
    ],
    eslint: [
        "part5.ts",
        "'frobnicate5' is not defined",
        "no-undef",
        "part41.ts",
        "'frobnicate41' is not defined",
        "15",
    ],
    sarif: ["SQL built from user input", "src/db44.py", "144", "R004", "scanner"],
    terraform: ["aws_instance.web[13]", '["delete","create"]', "ami-2", "t3.large", '["update"]'],
    tfstate: [
        "lb-1.example.net",
        "aws_instance.web[3]",
        "module.db.aws_db_instance.main",
        "postgres",
        "15.4",
        "private_ip",
    ],
    geojson: ["EPSG:4326", "District 3", "Polygon", "population"],
    openapi: [
        "1.9.0",
        "https://api.shop.example/v1",
        "/things3/{id}",
        "getThing3",
        "delete.operationId",
        "Thing3",
        "bearer",
    ],
}
