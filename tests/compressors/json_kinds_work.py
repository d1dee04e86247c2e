"""Self-made answers of services that people and agents work with: chats, issues, maps, API descriptions."""

from __future__ import annotations

import json
import random
from typing import Any


def _random() -> random.Random:
    return random.Random(7)


def anthropic(n: int = 60) -> dict[str, Any]:
    """A session with tool calls, in content blocks."""
    r = _random()
    m: list[Any] = []
    for i in range(n):
        if i % 3 == 0:
            m.append(
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "text",
                            "text": f"Please look at module {i} and tell me whether the parser of part {r.randint(1, 99)} handles empty input. "
                            * 2,
                        }
                    ],
                }
            )
        elif i % 3 == 1:
            m.append(
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": f"I will read file {i} now. "},
                        {
                            "type": "tool_use",
                            "id": f"toolu_{r.getrandbits(64):x}",
                            "name": "Read",
                            "input": {"path": f"src/mod{i}.py"},
                        },
                    ],
                }
            )
        else:
            m.append(
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": f"toolu_{r.getrandbits(64):x}",
                            "content": [
                                {
                                    "type": "text",
                                    "text": (
                                        "PermissionError: access denied to /srv/vault"
                                        if i == 32
                                        else f"def f{i}(): pass # nothing of note "
                                    )
                                    * 3,
                                }
                            ],
                        }
                    ],
                }
            )
    m.append(
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "We decided to ship version 4.2 without the vault."}],
        }
    )
    return {"model": "m", "messages": m}


def openai(n: int = 70) -> dict[str, Any]:
    """A chat with tool calls beside the text."""
    r = _random()
    m: list[Any] = [{"role": "system", "content": "You are a careful billing helper. Never refund twice."}]
    for i in range(n):
        m.append(
            {
                "role": "user",
                "content": f"Question {i}: why was invoice {1000 + i} sent to the wrong address and who did that?",
            }
        )
        if i % 5 == 0:
            m.append(
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": f"call_{r.getrandbits(60):x}",
                            "type": "function",
                            "function": {
                                "name": "lookup_invoice",
                                "arguments": json.dumps({"number": 1000 + i}),
                            },
                        }
                    ],
                }
            )
            m.append(
                {
                    "role": "tool",
                    "tool_call_id": f"call_{i}",
                    "content": "error: invoice 1035 is locked by audit" if i == 35 else '{"ok":true}',
                }
            )
        m.append(
            {
                "role": "assistant",
                "content": f"Invoice {1000 + i} went out after the address was changed by the customer on day {i}.",
            }
        )
    return {"id": "chatcmpl-1", "messages": m}


def _user(r: random.Random, n: str) -> dict[str, Any]:
    return {
        "login": n,
        "id": r.randint(1, 9**8),
        "node_id": "MDQ6" + n,
        "avatar_url": f"https://a.example/u/{n}",
        "url": f"https://api.example/users/{n}",
        "html_url": f"https://example.com/{n}",
        "followers_url": f"https://api.example/users/{n}/followers",
        "type": "User",
        "site_admin": False,
    }


def issues(n: int = 40) -> list[Any]:
    """A page of the issues of a repository."""
    r = _random()
    return [
        {
            "url": f"https://api.example/repos/a/b/issues/{900 - i}",
            "html_url": f"https://example.com/a/b/issues/{900 - i}",
            "id": r.randint(1, 9**9),
            "node_id": f"I_{r.getrandbits(60):x}",
            "number": 900 - i,
            "title": f"Crash when saving part {i} on slow disks"
            if i != 17
            else "Data loss after upgrade to 3.1",
            "user": _user(r, f"dev{i % 7}"),
            "labels": [
                {
                    "id": 5,
                    "url": "https://x",
                    "name": "bug" if i % 2 else "regression",
                    "color": "f00",
                    "default": True,
                    "description": "Something is not working",
                }
            ],
            "state": "open" if i % 4 else "closed",
            "locked": False,
            "assignee": _user(r, "maria") if i % 3 == 0 else None,
            "assignees": [],
            "milestone": None,
            "comments": i % 9,
            "created_at": f"2026-02-{1 + i % 27:02}T10:00:00Z",
            "updated_at": f"2026-03-{1 + i % 27:02}T10:00:00Z",
            "closed_at": None,
            "author_association": "NONE",
            "body": f"Steps: open part {i}, save, see the crash. " * 6,
            "reactions": {"url": "https://x", "total_count": 0, "+1": 0, "-1": 0},
        }
        for i in range(n)
    ]


def jira(n: int = 35) -> dict[str, Any]:
    """A search of tickets, descriptions as document trees."""
    r = _random()
    return {
        "expand": "schema,names",
        "startAt": 0,
        "maxResults": 50,
        "total": n,
        "issues": [
            {
                "expand": "operations",
                "id": str(10000 + i),
                "self": f"https://jira.example/rest/api/3/issue/{10000 + i}",
                "key": f"PAY-{200 + i}",
                "fields": {
                    "summary": f"Refund of order {i} is slow"
                    if i != 20
                    else "Card numbers appear in the log",
                    "status": {
                        "self": "https://jira.example/s/1",
                        "description": "",
                        "iconUrl": "https://x/i.png",
                        "name": "Blocked" if i == 20 else "In Progress" if i % 2 else "Done",
                        "id": "3",
                        "statusCategory": {"id": 4, "key": "x", "colorName": "yellow", "name": "In Progress"},
                    },
                    "assignee": {
                        "self": "https://jira.example/u",
                        "accountId": f"5b{r.getrandbits(70):x}",
                        "displayName": ["Ana Lima", "Bo Chen", "Eva Roth"][i % 3],
                        "avatarUrls": {"48x48": "https://x"},
                        "active": True,
                    },
                    "priority": {
                        "self": "https://x",
                        "iconUrl": "https://x",
                        "name": "Highest" if i == 20 else "Medium",
                        "id": "3",
                    },
                    "issuetype": {"self": "https://x", "id": "1", "name": "Bug", "subtask": False},
                    "created": f"2026-01-{1 + i % 28:02}T09:00:00.000+0000",
                    "updated": f"2026-02-{1 + i % 28:02}T09:00:00.000+0000",
                    "labels": ["backend"],
                    "customfield_10020": None,
                    "customfield_10021": None,
                    "description": {
                        "type": "doc",
                        "version": 1,
                        "content": [
                            {
                                "type": "paragraph",
                                "content": [
                                    {
                                        "type": "text",
                                        "text": f"The refund of order {i} takes more than nine minutes when the ledger is busy.",
                                    }
                                ],
                            }
                        ],
                    },
                },
            }
            for i in range(n)
        ],
    }


def geojson(n: int = 80) -> dict[str, Any]:
    """Shapes with names."""
    r = _random()
    return {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": "EPSG:4326"}},
        "features": [
            {
                "type": "Feature",
                "id": i,
                "properties": {"name": f"District {i}", "population": r.randint(1000, 90000)},
                "geometry": {
                    "type": "Polygon",
                    "coordinates": [
                        [[round(r.random() * 90, 6), round(r.random() * 90, 6)] for _ in range(30)]
                    ],
                },
            }
            for i in range(n)
        ],
    }


def openapi(n: int = 40) -> dict[str, Any]:
    """A description of an interface."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Shop", "version": "1.9.0", "description": "The shop's own interface."},
        "servers": [{"url": "https://api.shop.example/v1"}],
        "paths": {
            f"/things{i}/{{id}}": {
                "get": {
                    "operationId": f"getThing{i}",
                    "summary": f"Returns thing {i}",
                    "tags": ["things"],
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                    ],
                    "responses": {
                        "200": {
                            "description": "ok",
                            "content": {
                                "application/json": {"schema": {"$ref": f"#/components/schemas/Thing{i}"}}
                            },
                        },
                        "404": {"description": "not found"},
                    },
                },
                "delete": {
                    "operationId": f"deleteThing{i}",
                    "summary": f"Removes thing {i}",
                    "responses": {"204": {"description": "gone"}},
                },
            }
            for i in range(n)
        },
        "components": {
            "schemas": {
                f"Thing{i}": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {
                        "id": {"type": "string"},
                        "size": {"type": "integer"},
                        "note": {"type": "string", "description": f"A note on thing {i}"},
                    },
                }
                for i in range(n)
            },
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }
