"""Takes wrappers off a command: shells, env, interpreters, package runners, exec in a container."""

from __future__ import annotations

import re
import shlex

from tokenjuice_ml import command_tables as tables

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELL_FLAG = re.compile(r"-[A-Za-z]*c[A-Za-z]*\Z")


def shell_body(name: str, words: list[str]) -> str | None:
    """Returns the text that a shell is told to run, or None."""
    if name == "eval":
        return " ".join(words[1:])
    if name == "su":
        return _value_after(words, ("-c", "--command"))
    if name == "nix-shell":
        return _value_after(words, ("--run", "--command"))
    if name not in tables.SHELLS:
        return None
    if name == "cmd":
        at = next((i for i, word in enumerate(words) if word.lower() in ("/c", "/k")), 0)
        return " ".join(words[at + 1 :]) if at else None
    if name in ("powershell", "pwsh"):
        at = next((i for i, word in enumerate(words) if word.lower() in ("-command", "-c")), 0)
        return " ".join(words[at + 1 :]) if at else None
    if name == "wsl":
        rest = _after_options(words[1:], frozenset({"-d", "-u", "--distribution", "--user", "--cd"}), 0)
        return " ".join(map(shlex.quote, rest)) if rest else None
    for at, word in enumerate(words[1:], 1):
        if _SHELL_FLAG.match(word):
            body = words[at + 1 :]
            while body and body[0].startswith("-") and len(body) > 1:
                body = body[1:]
            return body[0] if body else None
        if not word.startswith(("-", "+")):
            if words[at - 1] in ("-o", "+o", "-O"):
                continue
            return None
    return None


def _value_after(words: list[str], options: tuple[str, ...]) -> str | None:
    for at, word in enumerate(words[:-1]):
        if word in options:
            return words[at + 1]
    return None


def unwrap(name: str, words: list[str]) -> list[str] | None:
    """Returns the words of the command inside a wrapper, None where there is no wrapper."""
    if name == "env":
        return _unwrap_env(words[1:]) or None
    if name in ("python", "node", "php", "ruby"):
        return _unwrap_interpreter(name, words)
    if name in tables.WRAPPERS:
        values, skip = tables.WRAPPERS[name]
        return _package_program(name, words, _after_options(words[1:], values, skip)) or None
    if name in ("yarn", "pnpm", "bun", "npm") and len(words) > 1:
        tool = _node_tool(name, words)
        if tool:
            return tool
    if name in tables.RUNNER_PROGRAMS:
        return _unwrap_runner(name, words)
    return None


def _unwrap_env(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("-u", "--unset", "-C", "--chdir"):
            at += 2
        elif word in ("-S", "--split-string"):
            rest = words[at + 1 :]
            return shlex_split(rest[0]) + rest[1:] if rest else []
        elif word.startswith("-") or _ASSIGNMENT.match(word):
            at += 1
        else:
            break
    return words[at:]


def shlex_split(text: str) -> list[str]:
    """Returns the shell words of `text`; whitespace words where the quotes do not balance."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _unwrap_interpreter(name: str, words: list[str]) -> list[str] | None:
    at = 1
    values = tables.GLOBAL_VALUES.get(name, frozenset())
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        if name == "python" and word == "-m":
            return words[at + 1 :] or None
        if name == "python" and re.match(r"-[A-Za-z]*m[A-Za-z]\w+", word) and not word.startswith("--"):
            return [word[word.index("m") + 1 :], *words[at + 1 :]]
        if word in ("-c", "-e", "-", "--eval", "-p", "--print", "-r", "--test") or word == "-S":
            return words[at + 1 :] or None if (name, word) == ("ruby", "-S") else None
        at += 2 if word in values else 1
    if at >= len(words):
        return None
    script = words[at].replace("\\", "/")
    if "/.bin/" in script or script.startswith("vendor/bin/") or "/vendor/bin/" in script:
        return words[at:]
    found = re.search(r"node_modules/(?:@[\w.-]+/)?([\w.-]+)/", script) if name == "node" else None
    return [found.group(1), *words[at + 1 :]] if found else None


def _after_options(words: list[str], values: frozenset[str], skip: int) -> list[str]:
    """Returns what follows a wrapper's options and its `skip` positional words."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            if skip == 0:
                break
            continue
        if word.startswith("-") and word != "-":
            at += 2 if word in values else 1
        elif _ASSIGNMENT.match(word):
            at += 1
        elif skip > 0:
            skip -= 1
            at += 1
        else:
            break
    return words[at:]


def _package_program(name: str, words: list[str], rest: list[str]) -> list[str]:
    """`npx jest@29` runs jest; `npx -c "…"` runs the text."""
    if name not in ("npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "bun", "pipx", "uv"):
        return rest
    if not rest:
        body = _value_after(words, ("-c", "--call"))
        return ["sh", "-c", body] if body else []
    first = rest[0]
    package = first if first.rfind("@") <= 0 else first[: first.rfind("@")]
    package = re.split(r"[=<>~!\[]", package)[0] or package
    return [tables.PACKAGE_PROGRAMS.get(package, package), *rest[1:]]


def _node_tool(name: str, words: list[str]) -> list[str] | None:
    """`yarn jest`, `pnpm --filter x vitest run`: a package's own program by its bare name."""
    values = tables.GLOBAL_VALUES.get(name, frozenset())
    rest = _after_options(words[1:], values, 0)
    if rest[:1] == ["workspace"] and name == "yarn":
        rest = rest[2:]
        if rest and rest[0] not in tables.NODE_TOOLS:
            return ["yarn", *rest]
    if name == "npm" or not rest or rest[0] not in tables.NODE_TOOLS:
        return None
    return rest


def _unwrap_runner(name: str, words: list[str]) -> list[str] | None:
    values = tables.GLOBAL_VALUES.get(name, frozenset())
    at = 1
    phrase = [name]
    while at < len(words) and len(phrase) < 4:
        word = words[at]
        if word.startswith("-"):
            at += 2 if word in values else 1
            continue
        phrase.append(tables.VERB_ALIASES.get(name, {}).get(word, "exec" if (name, word) in _EXECS else word))
        at += 1
        known = tables.RUNNERS.get(tuple(phrase))
        if known is not None:
            return _inside_runner(" ".join(phrase), words, at, known)
    return None


_EXECS = {("npm", "x"), ("mise", "x"), ("asdf", "x")}


def _inside_runner(
    phrase: str, words: list[str], at: int, known: tuple[frozenset[str], int]
) -> list[str] | None:
    options, skip = known
    rest = words[at:]
    if phrase in tables.DASHED and "--" in rest:
        return rest[rest.index("--") + 1 :] or None
    module = _module_option(phrase, rest, options)
    if module:
        return module
    inner = _after_options(rest, options, skip)
    inner = _package_program(phrase.split()[0], rest, inner)
    if phrase == "hatch run" and inner and ":" in inner[0]:
        inner = [inner[0].split(":", 1)[1], *inner[1:]]
    if phrase == "coverage run" or (inner and inner[0].endswith(".py")):
        return ["python", *inner] if inner and phrase != "coverage run" else None
    return inner or None


def _module_option(phrase: str, rest: list[str], options: frozenset[str]) -> list[str] | None:
    """`uv run -m pytest`, `coverage run -m pytest`: the module is the program."""
    if phrase not in ("uv run", "coverage run"):
        return None
    at = 0
    while at < len(rest) and rest[at].startswith("-") and rest[at] != "--":
        if rest[at] in ("-m", "--module"):
            return rest[at + 1 :] or None
        at += 2 if rest[at] in options else 1
    return None
