"""docs/SETTINGS.md: the table of all settings, and what a table does not tell."""

from __future__ import annotations

from typing import Any

from tokenjuice_ml.cli.config import spell
from tokenjuice_ml.settings import FIELDS

_HEAD = """\
# Settings

Made by `tj config docs`. The names are the same in TOML (`[tokenjuice]`), Python (`options={...}`), the
environment (`TOKENJUICE_<NAME>`), the CLI (`--set NAME=VALUE`) and RPC. Later layers win: defaults <
`~/.config/tokenjuice/config.toml` < project `.tokenjuice/config.toml` < environment < call. A project may only
set what cannot hurt.

In Python, `TokenJuice(settings)` takes a `Settings`, a mapping that is put on top of what is configured
(`TokenJuice({"ml_target_ratio": 0.3})`, checked as `options` are), or nothing: what is configured.

| setting | default | allowed | a project may set it | meaning |
|---|---|---|---|---|
"""

_TAIL = """
## Where originals are kept
Whatever `tj` runs (its verbs, `tj serve`, `tj mcp`) keeps them on disk, in `ccr_dir`. The library keeps them in its own
memory unless `ccr_disk_enabled` is true (or `TokenJuice(disk=True)`): with it, `tj retrieve` and other processes find them,
as it is one store; without it, only the process that made a token gives its original back.

## Plain text and the model
- `ml_target_ratio` is of the text itself: the footer (at most 40 tokens) comes on top, which shows in short texts. It is met as
  near as whole sentences (or spans) allow; where they do not, `detail` says what was kept. At 1 nothing is left out.
- `ml_timeout_ms` is for all of a call: waiting for the sidecar, its queue and the model. One core scores about 30,000 characters
  (8,500 tokens) a second, and the sidecar has one thread: 5,000 ms are good for some 120,000 characters on a core that is free, less
  where others ask as well. What cannot be done in time is refused at once and cut without the model. So for texts as long as
  the default `ml_max_input_chars` (200,000) set `ml_timeout_ms` to 10,000 or more; longer texts need both raised,
  and 4,000,000 characters are the most that the sidecar takes.
- `ml_cold_start = "wait"` waits for a sidecar that is not there yet, within `ml_timeout_ms`.
- A sidecar belongs to a user, a model, a device and a version. Where two configurations share one, the
  `ml_sidecar_idle_timeout_secs` of whoever started it holds; `tj sidecar stop` and the next call bring in the other's.
- A sidecar that dies is started again by the next call. Only starts that never led to an answer count against it: then the next
  waits 2, 10, 60 and at last 300 s (2 s at most for `wait`, unless the sidecar named a fault of the model). `detail` and
  `tj sidecar status` say how long; `tj sidecar warm` and `start` try at once.
- `ml_model_id` is looked for on this machine only: nothing is downloaded.
"""


def markdown() -> str:
    """Returns docs/SETTINGS.md, which a test holds to it."""
    return _HEAD + "".join(map(_row, FIELDS.values())) + _TAIL


def _row(item: Any) -> str:
    project = "yes" if item.metadata["project"] else "no"
    cells = (f"`{item.name}`", f"`{spell(item.default)}`", allowed(item), project, item.metadata["doc"])
    return f"| {' | '.join(cells)} |\n"


def allowed(item: Any) -> str:
    """Returns the values that a setting may have, where its default does not tell."""
    rules = item.metadata
    if "choices" in rules:
        return ", ".join(rules["choices"])
    if "low" in rules and "high" in rules:
        return f"{rules['low']:g} to {rules['high']:g}"
    return f"from {rules['low']:g}" if "low" in rules else ""
