"""Secrets are masked before anything is shown or stored; what only looks alike stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenjuice_ml.api import Interceptor, TokenJuice
from tokenjuice_ml.redact import redact, redact_file
from tokenjuice_ml.settings import Settings

# Put together here so that no scanner takes this file for a leak.
HEX, WORD = "0123456789abcdef", "Zx9Qw3Er7Ty1Ui5Op2As8Df4Gh6Jk0LzXcVbNm"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" + "A" * 58 + "\n" + "-----END RSA PRIVATE KEY-----"
SECRETS = {
    "aws-access-key": "AKIA" + "IOSFODNN7EXAMPLE",
    "github-token": "ghp_" + WORD[:36],
    "gitlab-token": "glpat-" + WORD[:20],
    "slack-token": "xoxb-" + "123456789012-" + WORD[:24],
    "api-key": "sk-" + "proj-" + WORD,
    "stripe-key": "sk_live_" + WORD[:24],
    "google-api-key": "AIza" + WORD[:35],
    "npm-token": "npm_" + WORD[:36],
    "pypi-token": "pypi-AgE" + WORD + WORD,
    "huggingface-token": "hf_" + WORD[:34],
    "sendgrid-key": "SG." + WORD[:22] + "." + WORD,
    "twilio-key": "SK" + HEX * 2,
    "mailchimp-key": HEX * 2 + "-us12",
    "digitalocean-token": "dop_v1_" + HEX * 4,
    "databricks-token": "dapi" + HEX * 2,
    "shopify-token": "shpat_" + HEX * 2,
    "vault-token": "hvs." + WORD[:30],
    "docker-token": "dckr_pat_" + WORD[:27],
    "telegram-token": "123456789:AA" + WORD[:33],
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + WORD,
    "private-key": PEM,
}
PLACES = ("{}", "x {} y", '{{"k": "{}"}}', "id={}", "a,{},b", "'{}'", "line\n{}\nline", "\t{}\r\n")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", SECRETS)
def test_known_shapes_are_masked_wherever_they_stand(kind, place):
    done = redact(place.format(SECRETS[kind]))
    body = SECRETS[kind].removeprefix("-----BEGIN RSA PRIVATE KEY-----\n").split("\n")[0]
    assert body not in done.text
    assert done.masks == 1
    assert f"[redacted:{kind}]" in done.text
    before, after = place.split("{}", 1) if "{{" not in place else ('{"k": "', '"}')
    assert done.text.startswith(before)
    assert done.text.endswith(after)


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("postgres://app:hunter2@db.example.org/x", "hunter2", "postgres://app:[redacted:url-password]@db.example.org/x"),
        ("https://u:p@ss:w@h/x", "p@ss:w", "https://u:[redacted:url-password]@h/x"),
        ("redis://:geheim99@cache:6379/0", "geheim99", "redis://:[redacted:url-password]@cache:6379/0"),
        ("DB_PASSWORD=correcthorse", "correcthorse", "DB_PASSWORD=[redacted:secret]"),
        ("DB_PASSWORD=s3cr3tvalue1", "s3cr3tvalue1", "DB_PASSWORD=[redacted:secret]"),
        ('{"client_secret": "only letters"}', None, None),
        ('{"client_secret":"abcdefgh"}', "abcdefgh", '{"client_secret":"[redacted:secret]"}'),
        ("Authorization: Bearer abc123def456ghi", "abc123def456ghi", "Authorization: Bearer [redacted:secret]"),
        ('-H "Authorization: Basic dXNlcjpwYXNzMTIz"', "dXNlcjpwYXNzMTIz", '-H "Authorization: Basic [redacted:secret]"'),
        ('"authorization": "Bearer abc123def456"', "abc123def456", '"authorization": "Bearer [redacted:secret]"'),
        ("aws_secret_access_key = " + WORD + "/+", WORD, "aws_secret_access_key = [redacted:secret]"),
        ("AccountName=a;AccountKey=" + "q" * 86 + "==;x", "q" * 86, "AccountName=a;AccountKey=[redacted:azure-key];x"),
        ("https://hooks.slack.com/services/T0001/B0002/" + WORD[:24], WORD[:24], None),
    ],
)  # fmt: skip
def test_values_go_and_their_names_stay(text, gone, left):
    done = redact(text)
    if gone is not None:
        assert gone not in done.text
        assert done.masks == 1
    if left is not None:
        assert done.text == left


@pytest.mark.parametrize(
    "text",
    [
        "def login(user: str, password: str) -> bool:",
        "password = os.environ['DB_PASSWORD']",
        "secret: ${SECRET}  token_count=12",
        "DB_PASSWORD=$PGPASSWORD PASSWORD=********",
        "https://example.org:8080/path?q=a@b http://host/a:b@c",
        "task-sk-learn-container-id-more-words-here disk-usage",
        '<div class="sk-toggleable__content sk-estimator-doc-link fitted">',
        "commit 3f786850e387550fdab836ed7e6dc881de23001b AKIA",
        "key-value pairs; the api_key: required",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "Authorization: Basic authentication is used; token: basic identification",
        "error: password authentication failed for user",
        "9a0364b9e99bb480dd25e1f0284c8555",
        "eyJust a word",
        "max_tokens: 4096, total_tokens=12345678",
    ],
)
def test_what_only_looks_alike_stays(text):
    assert redact(text) == (text, 0)
    assert redact(text).text is text


@given(st.text(max_size=400))
def test_masking_twice_changes_nothing(text):
    once = redact(f"{text} https://a:{text}@b {SECRETS['api-key']} {text} password={text}").text
    assert redact(once).text == once


def test_a_key_that_breaks_off_is_masked():
    text = "-----BEGIN PRIVATE KEY-----\n" + "QUJD\n" * 30
    assert "QUJD" not in redact(text).text


@pytest.mark.parametrize(
    "unit", ["eyJ", "eyJabcdefgh.", "-----BEGIN PRIVATE KEY-----", "://a:b", "password=", "secret:", "sk-", "A", "\n", "x@://"]
)  # fmt: skip
def test_no_text_makes_it_slow(unit):
    text = unit * (400_000 // len(unit))
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 2


LOG = (
    "\n".join(f"step {n} went well" for n in range(900))
    + f"\nerror: token {SECRETS['github-token']} refused\n"
)


@pytest.mark.parametrize("as_bytes", [False, True])
def test_the_shown_text_and_the_stored_original_are_masked(as_bytes):
    juice = TokenJuice(Settings(redact_secrets=True))
    text = LOG.encode() + b"\xff\n" if as_bytes else LOG
    result = juice.compress(text, command="./build.sh", exit_code=1)
    assert result.token is not None
    assert "error: token [redacted:github-token] refused" in result.text
    assert result.masked == 1
    assert result.to_json()["masked"] == 1
    original = juice.retrieve(result.token)
    assert b"[redacted:github-token]" in original
    assert b"ghp_" not in original
    if as_bytes:
        assert original.endswith(b"\xff\n")


@pytest.mark.parametrize(
    "hints", [{"bypass": True}, {"options": {"router_enabled": False}}, {"options": {"profile": "off"}}]
)
def test_texts_that_are_not_cut_are_masked_too(hints):
    result = TokenJuice(Settings(redact_secrets=True)).compress(SECRETS["npm-token"], **hints)
    assert result.text == "[redacted:npm-token]"


def test_off_is_the_default_and_loads_nothing():
    code = (
        "import sys; from tokenjuice_ml import compress; compress('x' * 4000, tool='exec', command='./x')\n"
        "assert 'tokenjuice_ml.redact' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert TokenJuice(Settings()).compress(SECRETS["npm-token"]).text == SECRETS["npm-token"]


def test_utf16_originals_are_kept_as_the_masked_text():
    juice = TokenJuice(Settings(redact_secrets=True))
    result = juice.compress(LOG.encode("utf-16"), command="./build.sh", exit_code=1)
    assert "ghp_" not in result.text
    assert b"[redacted:github-token]" in juice.retrieve(result.token)


def masked_by(*words: str, given: str | None = None) -> str:
    """Returns what the command line prints with masking switched on."""
    done = subprocess.run(
        [sys.executable, "-m", "tokenjuice_ml.cli.main", *words],
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, "TOKENJUICE_REDACT_SECRETS": "1"},
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("verb", [["reduce"], ["reduce", "--raw"], ["reduce-json"], ["batch", "-"]])
def test_command_line(verb):
    text = f"small {SECRETS['stripe-key']} output"
    given = json.dumps({"text": text}) if "json" in verb[0] or verb[0] == "batch" else text
    said = masked_by(*verb, given=given)
    assert "sk_live" not in said
    assert "small [redacted:stripe-key] output" in said


@pytest.mark.parametrize(("options", "rows"), [([], 3), (["--raw"], 3), (["--json"], 3), ([], 180_000)])
def test_wrapped_commands(options, rows):
    """Also one too large to be held in memory."""
    code = f"print(('a line of text ' * 7 + '\\n') * {rows}); print('error: sk_' + 'live_{SECRETS['stripe-key'][8:]}')"
    said = masked_by("wrap", *options, "--", sys.executable, "-c", code)
    assert "sk_live" not in said
    assert "[redacted:stripe-key]" in said


def test_a_large_file_is_masked_in_pieces(tmp_path):
    filler = b"nothing to see here, just a line of text\n" * 20_000
    big = filler + PEM.encode() + b"\n" + filler * 2 + SECRETS["jwt"].encode() + b"\n\xff\xfe" + filler
    (tmp_path / "big").write_bytes(big)
    assert redact_file(tmp_path / "big", tmp_path / "masked") == 2
    masked = (tmp_path / "masked").read_bytes()
    assert b"MIIEow" not in masked
    assert masked.count(b"\n\xff\xfe") == 1
    assert (tmp_path / "masked").stat().st_mode & 0o077 == 0


class TestInterceptor:
    """Redaction, then the cut, then after-hooks."""

    def test_order(self):
        seen = []
        juice = TokenJuice(Settings(savings_enabled=False))

        def after(result):
            seen.append(result.text)
            return result.text + "\n(seen)"

        intercept = Interceptor(juice, redact=lambda text: text.replace("ghp_", "gone_"), after=[after])
        shown = intercept(LOG, command="./build.sh", exit_code=1)
        assert "ghp_" not in seen[0]
        assert shown.endswith("\n(seen)")
        token = seen[0].rsplit("⟦tj:", 1)[1].split("⟧")[0]
        assert b"ghp_" not in juice.retrieve(token)

    def test_a_redactor_that_fails_shows_nothing(self):
        def broken(text):
            raise ValueError(text)

        shown = Interceptor(TokenJuice(Settings()), redact=broken)(LOG)
        assert shown == "[… 901 lines withheld: the redaction hook failed (ValueError)]"

    def test_an_after_hook_that_fails_changes_nothing(self):
        def broken(result):
            raise ValueError

        assert Interceptor(TokenJuice(Settings()), after=[broken])("text") == "text"
