"""Lines that stand alone in a run that begins alike are shown, whatever the rule folds."""

from __future__ import annotations

import pytest

from tests.rules.test_blind_failures import cut


def among(lines: list[str], odd: str, place: int = 150) -> str:
    """Returns the lines with one more somewhere among them."""
    return "\n".join([*lines[:place], odd, *lines[place:], ""])


APPLY = [f"aws_instance.web[{at}]: Modifying... [id=i-{at:08x}]" for at in range(150)] + [
    f"aws_instance.web[{at}]: Modifications complete after {at % 9}s [id=i-{at:08x}]" for at in range(150)
]
APPLIED = ["", "Apply complete! Resources: 0 added, 150 changed, 1 destroyed."]
STEPS = [f"#9 {at / 10:.2f} ({at}/300) Installing lib-part{at} (1.{at}-r0)" for at in range(300)]
BUILT = ["#10 exporting to image", "#10 DONE 1.0s"]
DEBUG = [
    f'client.go:99: 2026-01-02 10:00:00.{at:03} [debug] Looks like there are no changes for Service "s{at}"'
    for at in range(300)
]
HTTP = [
    f"npm http fetch GET 200 https://registry.example.org/part-{at} {at % 90}ms (cache hit)"
    for at in range(300)
]
SETUP = [f"Setting up libpart{at}:amd64 (1.{at}-1) ..." for at in range(300)]
ASSETS = [f"asset part-{at}.{at:08x}.js {at % 90} KiB [emitted] [immutable]" for at in range(300)]
ASSETS.append("webpack 5.90.0 compiled successfully in 900 ms")


@pytest.mark.parametrize(
    ("command", "text", "odd"),
    [
        ("terraform apply -auto-approve", APPLY + APPLIED, "aws_db_instance.books: Destroying... [id=books-prod]"),
        ("terraform apply -auto-approve", APPLY + APPLIED, "aws_db_instance.books: Destruction complete after 2m8s"),
        ("docker build .", STEPS + BUILT, "#9 12.1 WARNING: opening https://mirror.example/main: temporary error"),
        ("docker build .", STEPS + BUILT, "#9 12.1 [app] TOKEN is not defined, falling back to http://localhost:80"),
        ("docker build .", STEPS + BUILT, "#9 12.1 config: SIGNING_KEY empty, writing trial settings"),
        ("helm upgrade shop ./chart --debug", DEBUG, 'client.go:99: 2026-01-02 10:00:00.151 [debug] Service "s7" image: hub/shop:3.1 => hub/shop:latest'),
        ("npm install --loglevel http", HTTP, "npm http fetch GET 200 https://packages.example.net/part-9 9ms (cache miss)"),
        ("apt-get -y dist-upgrade", SETUP, "The following packages were automatically removed: postgresql-15"),
        ("apt-get -y dist-upgrade", SETUP, "Configuration file '/etc/shop/shop.conf'\n ==> Modified (by you or by a script) since installation."),
        ("pnpm run build", ASSETS, "asset vendors.1b2c3d4e.js 9.8 MiB [emitted] [immutable] [big]"),
        ("aws s3 sync --delete ./dist s3://shop", [f"upload: dist/a{at}.js to s3://shop/a{at}.js" for at in range(300)], "delete: s3://shop/index.html"),
    ],
)  # fmt: skip
def test_a_line_that_stands_alone_is_shown(command: str, text: list[str], odd: str) -> None:
    body = cut(command, among(text, odd), 0)
    assert odd in body
    assert len(body) < 0.2 * len("\n".join(text))


def test_what_was_deleted_is_named_on_a_failure() -> None:
    text = [f"upload: dist/a{at}.js to s3://shop/a{at}.js" for at in range(300)]
    text.append(
        "upload failed: dist/b.js to s3://shop/b.js An error occurred (AccessDenied) when calling PutObject"
    )
    body = cut("aws s3 sync --delete ./dist s3://shop", among(text, "delete: s3://shop/index.html"), 1)
    assert "delete: s3://shop/index.html" in body
    assert "AccessDenied" in body


@pytest.mark.parametrize(
    "line",
    [
        "#9 12.1 0 skipped",
        "#9 12.1 Skipped: 0",
        "#9 12.1 src/remove.c",
        "#9 12.1 (150/300) Installing python3-deprecation (2.1-r0)",
    ],
)
def test_a_name_and_a_count_of_none_are_no_words(line: str) -> None:
    assert line not in cut("docker build .", among(STEPS + BUILT, line), 0)


def test_a_word_that_many_lines_hold_tells_nothing() -> None:
    text = [f"#9 {at / 10:.2f} layer {at} skipped" for at in range(300)]
    assert "skipped" not in cut("docker build .", "\n".join(text + BUILT), 0)


def test_where_each_line_has_its_own_words_none_is_odd() -> None:
    names = ["".join(chr(97 + (at * step + step) % 26) for step in range(3, 11)) for at in range(300)]
    text = [f"#9 {at / 10:.2f} Installing {name}" for at, name in enumerate(names)]
    assert "Installing" not in cut("docker build .", "\n".join(text + BUILT), 0).replace("Installing …", "")
