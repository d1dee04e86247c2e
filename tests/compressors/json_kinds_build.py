"""Self-made reports of build and test tools."""

from __future__ import annotations

from typing import Any


def package(n: int = 90) -> dict[str, Any]:
    """A manifest with many scripts and dependencies."""
    return {
        "name": "shop-front",
        "version": "2.7.1",
        "private": True,
        "type": "module",
        "engines": {"node": ">=20"},
        "scripts": {
            "build": "vite build",
            "test": "vitest run",
            "lint": "eslint src",
            "deploy": "node tools/deploy.mjs --prod",
            **{f"gen:{i}": f"node tools/gen.mjs --part {i} --out build/{i}" for i in range(40)},
        },
        "dependencies": {f"lib-number-{i}": f"^{i % 9}.{i % 7}.0" for i in range(n)} | {"react": "^18.2.0"},
        "devDependencies": {f"dev-number-{i}": f"^{i % 9}.{i % 7}.1" for i in range(n)}
        | {"vitest": "^1.4.0"},
        "eslintConfig": {"rules": {f"rule-{i}": "off" for i in range(60)}},
    }


def audit(n: int = 40) -> dict[str, Any]:
    """Known holes in dependencies."""
    return {
        "auditReportVersion": 2,
        "vulnerabilities": {
            f"pkg-{i}": {
                "name": f"pkg-{i}",
                "severity": "critical" if i == 9 else ["low", "moderate"][i % 2],
                "isDirect": i % 5 == 0,
                "via": [
                    {
                        "source": 1000 + i,
                        "name": f"pkg-{i}",
                        "dependency": f"pkg-{i}",
                        "title": "Remote code execution in template engine"
                        if i == 9
                        else f"Slow regular expression in part {i}",
                        "url": f"https://github.example/advisories/GHSA-{i:04}",
                        "severity": "critical" if i == 9 else "low",
                        "cwe": ["CWE-94"],
                        "cvss": {"score": 9.8 if i == 9 else 3.1, "vectorString": "CVSS:3.1/AV:N"},
                        "range": f"<{i}.2.0",
                    }
                ],
                "effects": [f"pkg-{i + 1}"],
                "range": f"<{i}.2.0",
                "nodes": [f"node_modules/pkg-{i}"],
                "fixAvailable": {"name": f"pkg-{i}", "version": f"{i}.2.0", "isSemVerMajor": False}
                if i % 3
                else False,
            }
            for i in range(n)
        },
        "metadata": {
            "vulnerabilities": {"info": 0, "low": 20, "moderate": 19, "high": 0, "critical": 1, "total": 40},
            "dependencies": {"prod": 200, "dev": 300, "total": 500},
        },
    }


def pytestjson(n: int = 80) -> dict[str, Any]:
    """A test report."""
    return {
        "created": 1772530000.1,
        "duration": 14.2,
        "exitcode": 1,
        "root": "/srv/app",
        "environment": {},
        "summary": {"passed": n - 1, "failed": 1, "total": n, "collected": n},
        "collectors": [
            {
                "nodeid": f"tests/test_{i}.py",
                "outcome": "passed",
                "result": [{"nodeid": f"tests/test_{i}.py::test_a", "type": "Function", "lineno": i}],
            }
            for i in range(40)
        ],
        "tests": [
            {
                "nodeid": f"tests/test_{i // 4}.py::test_case_{i}",
                "lineno": i,
                "outcome": "failed" if i == 51 else "passed",
                "keywords": ["test", "pytestmark", f"test_case_{i}"],
                "setup": {"duration": 0.001 * i, "outcome": "passed"},
                "call": {
                    "duration": 0.002 * i,
                    "outcome": "failed" if i == 51 else "passed",
                    **(
                        {
                            "crash": {
                                "path": "/srv/app/tests/test_12.py",
                                "lineno": 77,
                                "message": "AssertionError: assert 41 == 42",
                            },
                            "traceback": [
                                {"path": "tests/test_12.py", "lineno": 77, "message": "AssertionError"}
                            ],
                            "longrepr": "def test_case_51():\n>  assert total() == 42\nE  assert 41 == 42",
                        }
                        if i == 51
                        else {}
                    ),
                },
                "teardown": {"duration": 0.0005, "outcome": "passed"},
            }
            for i in range(n)
        ],
    }


def eslint(n: int = 50) -> list[Any]:
    """A linter report: most files are clean."""
    return [
        {
            "filePath": f"/srv/app/src/part{i}.ts",
            "messages": [
                {
                    "ruleId": "no-undef",
                    "severity": 2,
                    "message": f"'frobnicate{i}' is not defined.",
                    "line": 10 + i,
                    "column": 5,
                    "nodeType": "Identifier",
                    "messageId": "undef",
                    "endLine": 10 + i,
                    "endColumn": 15,
                }
            ]
            if i % 12 == 5
            else [],
            "suppressedMessages": [],
            "errorCount": 1 if i % 12 == 5 else 0,
            "fatalErrorCount": 0,
            "warningCount": 0,
            "fixableErrorCount": 0,
            "fixableWarningCount": 0,
            "source": "const a = 1;\n" * 40 if i % 12 == 5 else None,
            "usedDeprecatedRules": [],
        }
        for i in range(n)
    ]


def sarif(n: int = 60) -> dict[str, Any]:
    """Findings with their rules."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "scanner",
                        "version": "1.2",
                        "rules": [
                            {
                                "id": f"R{i:03}",
                                "name": f"Rule{i}",
                                "shortDescription": {"text": f"Short text of rule {i}"},
                                "fullDescription": {
                                    "text": f"Long text of rule {i} that explains much of it. " * 3
                                },
                                "help": {"text": "help " * 30},
                                "defaultConfiguration": {"level": "warning"},
                            }
                            for i in range(40)
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": f"R{i % 40:03}",
                        "ruleIndex": i % 40,
                        "level": "error" if i == 44 else "warning",
                        "message": {
                            "text": "SQL built from user input" if i == 44 else f"Variable v{i} is never read"
                        },
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": f"src/db{i}.py", "uriBaseId": "%SRCROOT%"},
                                    "region": {"startLine": 100 + i, "startColumn": 3, "endColumn": 20},
                                }
                            }
                        ],
                        "partialFingerprints": {"primaryLocationLineHash": f"{i:032x}"},
                    }
                    for i in range(n)
                ],
            }
        ],
    }
