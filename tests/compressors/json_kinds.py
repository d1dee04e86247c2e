"""Self-made documents in the shapes that common tools and services answer with."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
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


def pods(n: int = 30) -> dict[str, Any]:
    """Pods, one of which keeps crashing."""
    r = _random()
    it: list[Any] = []
    for i in range(n):
        bad = i == 11
        it.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"api-{r.getrandbits(36):09x}-{i:05d}",
                    "namespace": "prod" if i % 2 else "staging",
                    "uid": f"{r.getrandbits(120):x}",
                    "resourceVersion": str(r.randint(1, 9**8)),
                    "creationTimestamp": "2026-03-01T10:00:00Z",
                    "labels": {"app": "api", "pod-template-hash": "abc"},
                    "ownerReferences": [
                        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "api-abc", "uid": "u"}
                    ],
                    "managedFields": [
                        {
                            "manager": "kubelet",
                            "operation": "Update",
                            "fieldsV1": {"f:status": {"f:conditions": {}}},
                        }
                    ],
                },
                "spec": {
                    "nodeName": f"node-{i % 4}",
                    "containers": [
                        {
                            "name": "api",
                            "image": "registry.example/api:1.4.2",
                            "ports": [{"containerPort": 8080}],
                            "resources": {"limits": {"memory": "512Mi"}},
                            "env": [{"name": "A", "value": "b"}],
                        }
                    ],
                    "restartPolicy": "Always",
                    "serviceAccountName": "default",
                    "tolerations": [{"key": "x", "operator": "Exists"}],
                },
                "status": {
                    "phase": "Running",
                    "conditions": [
                        {
                            "type": "Ready",
                            "status": "False" if bad else "True",
                            "reason": "ContainersNotReady" if bad else None,
                        },
                        {"type": "PodScheduled", "status": "True"},
                    ],
                    "hostIP": "10.0.0.1",
                    "podIP": f"10.1.0.{i}",
                    "containerStatuses": [
                        {
                            "name": "api",
                            "state": {
                                "waiting": {
                                    "reason": "CrashLoopBackOff",
                                    "message": "back-off 5m0s restarting failed container",
                                }
                            }
                            if bad
                            else {"running": {"startedAt": "2026-03-01T10:00:05Z"}},
                            "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
                            if bad
                            else {},
                            "ready": not bad,
                            "restartCount": 42 if bad else 0,
                            "image": "registry.example/api:1.4.2",
                            "imageID": f"sha256:{r.getrandbits(200):x}",
                            "containerID": f"containerd://{r.getrandbits(200):x}",
                        }
                    ],
                    "startTime": "2026-03-01T10:00:00Z",
                },
            }
        )
    return {"apiVersion": "v1", "kind": "List", "items": it, "metadata": {"resourceVersion": ""}}


def events(n: int = 60) -> dict[str, Any]:
    """Events of a cluster."""
    r = _random()
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "apiVersion": "v1",
                "count": 1 + i % 9,
                "eventTime": None,
                "firstTimestamp": "2026-03-01T10:00:00Z",
                "lastTimestamp": f"2026-03-01T10:{i % 60:02}:00Z",
                "involvedObject": {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": f"web-{i}",
                    "namespace": "prod",
                    "resourceVersion": "1",
                    "uid": f"{r.getrandbits(100):x}",
                },
                "kind": "Event",
                "message": "0/4 nodes are available: insufficient memory"
                if i == 33
                else f"Successfully pulled image for web-{i}",
                "metadata": {
                    "creationTimestamp": "2026-03-01T10:00:00Z",
                    "name": f"web-{i}.17{r.getrandbits(40):x}",
                    "namespace": "prod",
                    "resourceVersion": "1",
                    "uid": f"{r.getrandbits(100):x}",
                },
                "reason": "FailedScheduling" if i == 33 else "Pulled",
                "reportingComponent": "",
                "reportingInstance": "",
                "source": {"component": "kubelet", "host": f"node-{i % 4}"},
                "type": "Warning" if i == 33 else "Normal",
            }
            for i in range(n)
        ],
    }


def cloudwatch(n: int = 120) -> dict[str, Any]:
    """Events of a log group."""
    r = _random()
    return {
        "events": [
            {
                "logStreamName": f"2026/03/01/[$LATEST]{r.getrandbits(100):x}",
                "timestamp": 1772530000000 + i * 900,
                "message": "[ERROR] KeyError: 'tenant' in handler line 88"
                if i == 71
                else f"INFO RequestId: {r.getrandbits(100):x} processed batch {i} with 25 records\n",
                "ingestionTime": 1772530000500 + i * 900,
                "eventId": str(r.getrandbits(180)),
            }
            for i in range(n)
        ],
        "searchedLogStreams": [],
    }


def es(n: int = 50) -> dict[str, Any]:
    """Hits of a search with counts."""
    r = _random()
    return {
        "took": 12,
        "timed_out": False,
        "_shards": {"total": 5, "successful": 4, "skipped": 0, "failed": 1},
        "hits": {
            "total": {"value": 10432, "relation": "gte"},
            "max_score": 9.1,
            "hits": [
                {
                    "_index": "logs-2026.03",
                    "_id": f"{r.getrandbits(90):x}",
                    "_score": 9.1 - i * 0.1,
                    "_source": {
                        "@timestamp": f"2026-03-01T10:{i:02}:00Z",
                        "level": "ERROR" if i == 23 else "INFO",
                        "service": ["cart", "pay"][i % 2],
                        "trace_id": f"{r.getrandbits(120):x}",
                        "message": "upstream ledger refused the write: quota exceeded"
                        if i == 23
                        else f"order {i} stored in {r.randint(3, 90)} ms",
                        "host": {"name": f"h{i % 5}", "ip": "10.0.0.1"},
                    },
                    "sort": [i],
                }
                for i in range(n)
            ],
        },
        "aggregations": {
            "by_level": {"buckets": [{"key": "INFO", "doc_count": 10400}, {"key": "ERROR", "doc_count": 32}]}
        },
    }


def sentry(n: int = 30) -> list[Any]:
    """Issues of an error tracker."""
    r = _random()
    return [
        {
            "id": str(r.randint(10**9, 10**10)),
            "shareId": None,
            "shortId": f"SHOP-{i}A",
            "title": f"TypeError: cannot read cart of session {i}"
            if i
            else "OperationalError: database is locked",
            "culprit": f"shop.views.part{i} in checkout",
            "permalink": f"https://sentry.example/issues/{i}",
            "logger": None,
            "level": "error",
            "status": "unresolved" if i % 3 else "resolved",
            "statusDetails": {},
            "isPublic": False,
            "platform": "python",
            "project": {"id": "1", "name": "shop", "slug": "shop", "platform": "python"},
            "type": "error",
            "metadata": {
                "value": f"cannot read cart of session {i}",
                "type": "TypeError",
                "filename": f"shop/views{i}.py",
                "function": "checkout",
                "display_title_with_tree_label": False,
            },
            "numComments": 0,
            "assignedTo": None,
            "isBookmarked": False,
            "isSubscribed": False,
            "hasSeen": False,
            "annotations": [],
            "count": str(4000 - i * 100),
            "userCount": 300 - i,
            "firstSeen": "2026-02-01T00:00:00Z",
            "lastSeen": f"2026-03-0{1 + i % 8}T00:00:00Z",
            "stats": {"24h": [[1772500000 + h * 3600, r.randint(0, 9)] for h in range(24)]},
        }
        for i in range(n)
    ]


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


def docker() -> list[Any]:
    """One container, inspected."""
    r = _random()
    return [
        {
            "Id": f"{r.getrandbits(250):x}",
            "Created": "2026-03-01T10:00:00Z",
            "Path": "node",
            "Args": ["server.js"],
            "State": {
                "Status": "exited",
                "Running": False,
                "Paused": False,
                "Restarting": False,
                "OOMKilled": True,
                "Dead": False,
                "Pid": 0,
                "ExitCode": 137,
                "Error": "",
                "StartedAt": "2026-03-01T10:00:00Z",
                "FinishedAt": "2026-03-01T11:00:00Z",
                "Health": {
                    "Status": "unhealthy",
                    "FailingStreak": 3,
                    "Log": [
                        {
                            "Start": "x",
                            "ExitCode": 1,
                            "Output": "curl: (7) Failed to connect to localhost port 8080",
                        }
                    ],
                },
            },
            "Image": f"sha256:{r.getrandbits(250):x}",
            "Name": "/shop-api",
            "RestartCount": 5,
            "HostConfig": {
                "Binds": ["/data:/var/lib/data:rw"],
                "PortBindings": {"8080/tcp": [{"HostIp": "", "HostPort": "18080"}]},
                "Memory": 268435456,
                **{f"Setting{i}": None if i % 2 else 0 for i in range(70)},
                "MaskedPaths": [f"/proc/p{i}" for i in range(30)],
            },
            "GraphDriver": {
                "Data": {
                    "LowerDir": ":".join(
                        f"/var/lib/docker/overlay2/{r.getrandbits(200):x}/diff" for _ in range(20)
                    )
                },
                "Name": "overlay2",
            },
            "Mounts": [
                {"Type": "bind", "Source": "/data", "Destination": "/var/lib/data", "Mode": "rw", "RW": True}
            ],
            "Config": {
                "Hostname": "abc",
                "Env": ["NODE_ENV=production", "DB_HOST=db.internal"]
                + [f"VAR_{i}=value number {i} of the long list" for i in range(60)],
                "Cmd": ["node", "server.js"],
                "Image": "shop/api:1.4.2",
                "Labels": {f"com.example.label{i}": f"some text {i}" for i in range(40)},
            },
            "NetworkSettings": {
                "Networks": {
                    "shop_default": {"IPAddress": "172.18.0.5", "Gateway": "172.18.0.1", "Aliases": ["api"]}
                }
            },
        }
    ]


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


def terraform(n: int = 40) -> dict[str, Any]:
    """A plan."""
    r = _random()
    return {
        "format_version": "1.2",
        "terraform_version": "1.7.0",
        "resource_changes": [
            {
                "address": f"aws_instance.web[{i}]",
                "mode": "managed",
                "type": "aws_instance",
                "name": "web",
                "index": i,
                "provider_name": "registry.example/hashicorp/aws",
                "change": {
                    "actions": ["delete", "create"] if i == 13 else ["update"] if i == 20 else ["no-op"],
                    "before": {
                        "ami": "ami-1",
                        "instance_type": "t3.small",
                        "tags": {"Name": f"web{i}"},
                        "id": f"i-{r.getrandbits(60):x}",
                    },
                    "after": {
                        "ami": "ami-2" if i == 13 else "ami-1",
                        "instance_type": "t3.large" if i == 20 else "t3.small",
                        "tags": {"Name": f"web{i}"},
                        "id": f"i-{r.getrandbits(60):x}",
                    },
                    "after_unknown": {},
                    "before_sensitive": False,
                    "after_sensitive": False,
                },
            }
            for i in range(n)
        ],
        "configuration": {
            "root_module": {
                "resources": [
                    {"address": f"aws_instance.web{i}", "expressions": {"ami": {"constant_value": "ami-1"}}}
                    for i in range(20)
                ]
            }
        },
    }


def tfstate(n: int = 25) -> dict[str, Any]:
    """A state."""
    r = _random()
    return {
        "format_version": "1.0",
        "terraform_version": "1.7.0",
        "values": {
            "outputs": {"lb_dns": {"sensitive": False, "value": "lb-1.example.net"}},
            "root_module": {
                "resources": [
                    {
                        "address": f"aws_instance.web[{i}]",
                        "mode": "managed",
                        "type": "aws_instance",
                        "name": "web",
                        "index": i,
                        "provider_name": "registry.example/hashicorp/aws",
                        "schema_version": 1,
                        "values": {
                            "ami": "ami-1",
                            "arn": f"arn:aws:ec2:eu:1:instance/i-{i}",
                            "instance_type": "t3.small",
                            "private_ip": f"10.0.0.{i}",
                            **{f"attr_{j}": None if j % 2 else f"v{r.randint(1, 9)}" for j in range(40)},
                            "tags": {"Name": f"web{i}"},
                        },
                        "sensitive_values": {},
                    }
                    for i in range(n)
                ],
                "child_modules": [
                    {
                        "address": "module.db",
                        "resources": [
                            {
                                "address": "module.db.aws_db_instance.main",
                                "type": "aws_db_instance",
                                "name": "main",
                                "values": {
                                    "engine": "postgres",
                                    "engine_version": "15.4",
                                    "status": "available",
                                },
                            }
                        ],
                    }
                ],
            },
        },
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
