"""Recognises YAML, TOML and INI."""

from __future__ import annotations

from itertools import pairwise

from tokenjuice_ml.detection.sample import Sample


def keys(sample: Sample) -> tuple[str, str] | None:
    """Returns format and evidence of configuration: keys before a sign."""
    yaml = sections = assigned = keyed = 0
    other = 0.0
    for line in sample.full:
        bare = line.strip()
        if not bare or bare[0] in "#;" or bare in ("---", "...", '"""', "]", "}", "],"):
            continue
        indent = len(line) - len(line.lstrip())
        if _is_section(bare):
            sections += 1
        elif _yaml_key(bare):
            yaml += 1
            keyed = indent
        elif _toml_key(bare):
            assigned += 1
            keyed = indent
        elif bare.startswith("- "):
            other += 0.2
        elif bare[0] in "\"'":
            other += 0.1
        elif indent > keyed and yaml + assigned and bare[-1] not in "{;":
            # A value goes on where a line stands deeper than its key.
            other += 0.15
        else:
            other += 4 if bare[-1] in "{;" else 1
            if other > 24 and other > yaml + sections + assigned:
                return None
    return _decide(sample, yaml, sections, assigned, yaml + sections + assigned + other)


def _decide(sample: Sample, yaml: int, sections: int, assigned: int, total: float) -> tuple[str, str] | None:
    if total < 3:
        return None
    if sections and assigned >= 2 and sections + assigned >= 0.75 * total:
        typed = any(
            '= "' in line or "= [" in line or line.endswith(("= true", "= false")) for line in sample.full
        )
        return "toml" if typed else "ini", f"{sections} sections, {assigned} keys"
    if yaml >= 3 and yaml >= 0.75 * total and _nested(sample):
        return "yaml", f"{yaml} YAML keys"
    return None


def _is_section(bare: str) -> bool:
    if bare[0] != "[" or bare[-1] != "]":
        return False
    inner = bare.strip("[]")
    return (
        bool(inner) and (inner[0].isalpha() or inner[0] in '"_') and "," not in inner and " = " not in inner
    )


def _yaml_key(bare: str) -> bool:
    key, sign, rest = bare.removeprefix("- ").partition(":")
    if not sign or not key or (rest and rest[0] != " ") or len(key) > 60:
        return False
    key = key.strip("\"'")
    return " " not in key and (key[:1].isalnum() or key[:1] in "_./<$") and bare[-1] not in ";{,"


def _toml_key(bare: str) -> bool:
    key, sign, _ = bare.partition("=")
    return bool(sign) and key.strip().strip('"').replace(".", "").replace("-", "").replace("_", "").isalnum()


def _nested(sample: Sample) -> bool:
    """Says whether keys stand under keys, as in YAML, and not in a list of ``name: value`` lines."""
    if sample.full[0] in ("---", "%YAML 1.2"):
        return True
    deeper = sum(line[-1] == ":" and after[:1] in " -" for line, after in pairwise(sample.full))
    return deeper >= 1 and deeper >= 0.03 * len(sample.full)
