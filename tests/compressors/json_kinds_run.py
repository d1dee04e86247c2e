"""Self-made answers of what runs in production: pods, events, logs, errors, infrastructure."""

from __future__ import annotations

import random
from typing import Any


def _random() -> random.Random:
    return random.Random(7)


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
