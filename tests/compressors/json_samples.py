"""JSON documents of known shapes, made up, the same on every run."""

from __future__ import annotations

import json
import random
from typing import Any


def _random() -> random.Random:
    return random.Random(7)


def pods(count: int = 60) -> dict[str, Any]:
    """What ``kubectl get pods -o json`` prints."""
    rng = _random()
    items = []
    for number in range(count):
        bad = number in (17, 41)
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"web-{number:03d}-{rng.randrange(16**5):05x}",
                    "namespace": "shop",
                    "labels": {"app": "web", "pod-template-hash": "7d9c5b"},
                    "uid": f"{rng.randrange(16**12):012x}",
                },
                "spec": {
                    "nodeName": f"node-{number % 5}",
                    "containers": [
                        {"name": "web", "image": "shop/web:1.4.2", "resources": {"limits": {"cpu": "500m"}}}
                    ],
                },
                "status": {
                    "phase": "Failed" if bad else "Running",
                    "podIP": f"10.0.{number % 7}.{number}",
                    "containerStatuses": [
                        {
                            "name": "web",
                            "ready": not bad,
                            "restartCount": 23 if bad else 0,
                            "state": {"waiting": {"reason": "CrashLoopBackOff"}} if bad else {"running": {}},
                        }
                    ],
                },
            }
        )
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": "88123"}}


def package_lock(count: int = 120) -> dict[str, Any]:
    """A lock file of npm, version 3."""
    rng = _random()
    packages: dict[str, Any] = {"": {"name": "shop", "version": "1.0.0", "dependencies": {"left": "^1.2.0"}}}
    for number in range(count):
        entry: dict[str, Any] = {
            "version": f"{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(9)}",
            "resolved": f"https://registry.example/pkg-{number}/-/pkg-{number}.tgz",
            "integrity": f"sha512-{rng.randrange(16**40):040x}==",
        }
        if number % 3 == 0:
            entry["dev"] = True
        if number % 4 == 0:
            entry["dependencies"] = {f"pkg-{(number + 7) % count}": "^1.0.0"}
        packages[f"node_modules/pkg-{number}"] = entry
    return {"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": packages}


def openapi(count: int = 40) -> dict[str, Any]:
    """An API description."""
    paths: dict[str, Any] = {}
    for number in range(count):
        paths[f"/v1/things{number}/{{id}}"] = {
            method: {
                "operationId": f"{method}Thing{number}",
                "summary": f"{method.title()} one of the things numbered {number}",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK"}, "404": {"description": "Not found"}},
            }
            for method in ("get", "delete")
        }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "2.1.0"},
        "servers": [{"url": "https://api.example/v1"}],
        "paths": paths,
        "components": {"schemas": {"Thing": {"type": "object", "properties": {"id": {"type": "string"}}}}},
    }


def geojson(count: int = 80) -> dict[str, Any]:
    """Points and one long line."""
    rng = _random()
    features: list[Any] = [
        {
            "type": "Feature",
            "properties": {"name": f"stop {number}", "lines": number % 4, "wheelchair": number % 2 == 0},
            "geometry": {
                "type": "Point",
                "coordinates": [round(rng.uniform(8, 9), 6), round(rng.uniform(47, 48), 6)],
            },
        }
        for number in range(count)
    ]
    features.append(
        {
            "type": "Feature",
            "properties": {"name": "route", "lines": 1, "wheelchair": False},
            "geometry": {
                "type": "LineString",
                "coordinates": [[8 + step / 500, 47.5] for step in range(400)],
            },
        }
    )
    return {"type": "FeatureCollection", "features": features}


def sarif(count: int = 50) -> dict[str, Any]:
    """Findings of a static check."""
    results = [
        {
            "ruleId": f"R{number % 6}",
            "level": "error" if number == 31 else "warning",
            "message": {"text": f"Variable x{number} is assigned but never used in this function"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": f"src/mod{number % 9}.c"},
                        "region": {"startLine": 10 + number, "startColumn": 5},
                    }
                }
            ],
        }
        for number in range(count)
    ]
    rules = [{"id": f"R{number}", "shortDescription": {"text": f"Rule {number}"}} for number in range(6)]
    driver = {"name": "lintex", "version": "4.2", "rules": rules}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def har(count: int = 60) -> dict[str, Any]:
    """Requests of a page load."""
    rng = _random()
    entries = [
        {
            "startedDateTime": f"2024-05-01T10:00:{number % 60:02d}.000Z",
            "time": 4210.5 if number == 22 else round(rng.uniform(10, 90), 2),
            "request": {
                "method": "POST" if number % 9 == 0 else "GET",
                "url": f"https://shop.example/assets/{number}.js",
                "headers": [{"name": "accept", "value": "*/*"}, {"name": "cookie", "value": "a=b" * 30}],
            },
            "response": {
                "status": 503 if number == 22 else 200,
                "content": {
                    "size": rng.randrange(90000),
                    "mimeType": "text/javascript",
                    "text": "var x=1;" * 60,
                },
            },
        }
        for number in range(count)
    ]
    return {"log": {"version": "1.2", "creator": {"name": "browser", "version": "1"}, "entries": entries}}


def cargo_metadata(count: int = 70) -> dict[str, Any]:
    """What ``cargo metadata`` prints."""
    packages = [
        {
            "name": f"crate{number}",
            "version": f"0.{number}.1",
            "id": f"registry+https://index.example#crate{number}@0.{number}.1",
            "license": "MIT OR Apache-2.0" if number != 12 else "GPL-3.0",
            "dependencies": [{"name": f"crate{number + 1}", "req": "^0.1", "kind": None, "optional": False}],
            "targets": [
                {"kind": ["lib"], "name": f"crate{number}", "src_path": f"/src/crate{number}/lib.rs"}
            ],
            "features": {"default": ["std"], "std": []},
            "edition": "2021",
        }
        for number in range(count)
    ]
    nodes = [{"id": package["id"], "deps": [], "features": ["std"]} for package in packages]
    return {
        "packages": packages,
        "workspace_members": ["path+file:///src/app#0.1.0"],
        "resolve": {"nodes": nodes, "root": None},
        "target_directory": "/src/target",
        "version": 1,
    }


def terraform(count: int = 40) -> dict[str, Any]:
    """What ``terraform show -json`` prints of a plan."""
    changes = [
        {
            "address": f"aws_instance.web[{number}]",
            "mode": "managed",
            "type": "aws_instance",
            "name": "web",
            "index": number,
            "change": {
                "actions": ["delete", "create"] if number == 9 else ["no-op"],
                "before": {"ami": "ami-01", "instance_type": "t3.micro", "tags": {"Name": f"web-{number}"}},
                "after": {"ami": "ami-02" if number == 9 else "ami-01", "instance_type": "t3.micro"},
            },
        }
        for number in range(count)
    ]
    return {"format_version": "1.2", "terraform_version": "1.8.1", "resource_changes": changes}


def log_lines(count: int = 400) -> str:
    """JSON lines as services write them."""
    rng = _random()
    lines = []
    for number in range(count):
        entry: dict[str, Any] = {
            "ts": f"2024-05-01T10:{number // 60:02d}:{number % 60:02d}Z",
            "level": "info",
            "msg": f"request done in {rng.randrange(90)} ms",
            "path": rng.choice(["/a", "/b", "/c"]),
            "status": 200,
        }
        if number == 211:
            entry |= {"level": "error", "msg": "connection refused by db-3:5432", "status": 500}
        lines.append(json.dumps(entry))
    return "\n".join(lines) + "\n"


def users(count: int = 300) -> list[dict[str, Any]]:
    """Rows with an outlier, a rare category, and a field that few have."""
    rng = _random()
    rows: list[dict[str, Any]] = []
    for number in range(count):
        row: dict[str, Any] = {
            "id": 10_000 + number,
            "name": f"user {number}",
            "plan": "free" if number != 123 else "enterprise",
            "spend": 99999.5 if number == 77 else round(rng.uniform(1, 20), 2),
            "active": True,
        }
        if number == 201:
            row["note"] = "asked for deletion"
        rows.append(row)
    return rows


DOCUMENTS = {
    "pods": pods,
    "package-lock": package_lock,
    "openapi": openapi,
    "geojson": geojson,
    "sarif": sarif,
    "har": har,
    "cargo-metadata": cargo_metadata,
    "terraform": terraform,
    "users": users,
}
