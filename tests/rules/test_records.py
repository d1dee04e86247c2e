"""Of many records of one form those that differ are shown where they do; of those alike the first is."""

from __future__ import annotations

import pytest

from tests.rules.test_blind_failures import cut


def pod(number: int, **other: str) -> str:
    """Returns what `kubectl describe pods` prints of one healthy pod, with other values where given."""
    own = {"image": "hub.example/shop:3.1.4", "state": "Running", "memory": "512Mi", "ready": "True", **other}
    return (
        f"Name:             shop-{number:05x}\nNamespace:        live\nPriority:         0\n"
        f"Node:             node-{number}/10.0.0.{number}\nStart Time:       Mon, 05 Jan 2026 10:00:0{number % 10} +0000\n"
        f"Labels:           app=shop\n                  tier=web\nStatus:           Running\nIP:               10.1.0.{number}\n"
        f"Containers:\n  web:\n    Container ID:   containerd://{number:032x}\n    Image:          {own['image']}\n"
        f"    State:          {own['state']}\n      Started:      Mon, 05 Jan 2026 10:01:0{number % 10} +0000\n"
        f"    Ready:          {own['ready']}\n    Restart Count:  0\n    Limits:\n      cpu:     1\n      memory:  {own['memory']}\n"
        "    Mounts:\n      /var/run/secrets from token (ro)\nConditions:\n  Type    Status\n"
        f"  Ready   {own['ready']}\nQoS Class:       Burstable\nEvents:          <none>\n\n"
    )


def pods(count: int, at: int, **other: str) -> str:
    return "".join(pod(number, **(other if number == at else {})) for number in range(count))


@pytest.mark.parametrize("count", [3, 14, 60])
@pytest.mark.parametrize(
    "other", [{"memory": "64Mi"}, {"image": "hub.example/shop:3.1.3"}, {"ready": "False"}]
)
def test_the_record_that_differs_is_shown_where_it_does(count: int, other: dict[str, str]) -> None:
    body = cut("kubectl -n live describe pods -l app=shop", pods(count, count - 2, **other), 0)
    assert next(iter(other.values())) in body
    record = body[body.index(f"shop-{count - 2:05x}") :].split("Name: ")[0]
    assert next(iter(other.values())) in record
    assert f"{count - 2} of {count} records as the first of them" in body.split("\n", 1)[0]


def test_of_records_alike_the_name_stays_and_nothing_else() -> None:
    body = cut("kubectl describe pods", pods(20, 7, memory="64Mi"), 0)
    assert body.count("Name: ") == 20
    assert body.count("Container ID:") == 2


def test_two_records_are_shown_as_ever() -> None:
    assert cut("kubectl describe pods", pods(2, 1, memory="64Mi"), 0).count("Image: ") == 2


def test_half_of_one_sort_is_no_secret() -> None:
    text = "".join(pod(number, image=f"hub.example/shop:3.1.{number % 2}") for number in range(10))
    body = cut("kubectl describe pods", text, 0)
    assert body.count("hub.example/shop:3.1.1") == 5


def test_the_benchmark_that_got_worse_is_whole() -> None:
    lines = []
    for at in range(100):
        change, word = ("[-0.3% +0.1% +0.5%] (p = 0.70 > 0.05)", "No change in performance detected.")
        if at == 41:
            change, word = ("[+80.1% +82.2% +84.9%] (p = 0.00 < 0.05)", "Performance has regressed.")
        lines += [
            f"parse/case_{at}            time:   [{at}.1 us {at}.2 us {at}.3 us]",
            f"                        change: {change}",
            f"                        {word}",
        ]
    body = cut("cargo bench", "\n".join(lines), 0)
    assert "\n".join(lines[41 * 3 : 41 * 3 + 3]) in body
    assert "1 regression" in body.split("\n", 1)[0]
    assert "no error" not in body
