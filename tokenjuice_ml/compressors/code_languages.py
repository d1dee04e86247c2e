"""The languages: their file endings, grammars, and what in a syntax tree folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is read.

    Attributes:
        module: package of the grammar, "" where there is none.
        function: name of its entry.
        named: node types with a ``body`` field whose name is worth keeping inside other bodies.
        nameless: node types with a ``body`` field that are callbacks or closures.
        raw: further query patterns, capturing ``@body`` or ``@block``.
        comments: node types of comments.
        data: node types of literals that fold when long.
        types: node types of declarations that are kept inside bodies.
        macros: node types of macro calls that may hold whole functions.
    """

    module: str
    function: str = "language"
    named: tuple[str, ...] = ()
    nameless: tuple[str, ...] = ()
    raw: str = ""
    comments: tuple[str, ...] = ("comment",)
    data: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()


_JS_NAMED = ("function_declaration", "generator_function_declaration", "method_definition")
_JS_NAMELESS = ("arrow_function", "function_expression", "generator_function")
_JS_DATA = ("array", "object", "template_string")
_TS_TYPES = ("class_declaration", "interface_declaration", "enum_declaration")
_BLOCK_COMMENTS = ("line_comment", "block_comment")

LANGUAGES: dict[str, Language] = {
    "python": Language(
        "tree_sitter_python",
        named=("function_definition",),
        data=("dictionary", "list", "set", "tuple", "string"),
        types=("class_definition",),
    ),
    "javascript": Language(
        "tree_sitter_javascript",
        named=_JS_NAMED,
        nameless=_JS_NAMELESS,
        raw="(class_static_block body: (_) @body)",
        data=_JS_DATA,
        types=("class_declaration",),
    ),
    "typescript": Language(
        "tree_sitter_typescript",
        "language_typescript",
        named=_JS_NAMED,
        nameless=_JS_NAMELESS,
        data=_JS_DATA,
        types=_TS_TYPES,
    ),
    "tsx": Language(
        "tree_sitter_typescript",
        "language_tsx",
        named=_JS_NAMED,
        nameless=_JS_NAMELESS,
        data=_JS_DATA,
        types=_TS_TYPES,
    ),
    "rust": Language(
        "tree_sitter_rust",
        named=("function_item",),
        nameless=("closure_expression",),
        comments=_BLOCK_COMMENTS,
        data=("array_expression", "string_literal", "raw_string_literal"),
        types=("struct_item", "enum_item", "impl_item", "trait_item"),
        macros=("macro_invocation",),
    ),
    "go": Language(
        "tree_sitter_go",
        named=("function_declaration", "method_declaration"),
        nameless=("func_literal",),
        data=("literal_value", "raw_string_literal"),
    ),
    "java": Language(
        "tree_sitter_java",
        named=("method_declaration", "constructor_declaration", "compact_constructor_declaration"),
        nameless=("lambda_expression",),
        raw="(static_initializer (block) @body)",
        comments=_BLOCK_COMMENTS,
        data=("array_initializer", "string_literal"),
        types=("class_declaration",),
    ),
    "c": Language(
        "tree_sitter_c",
        named=("function_definition",),
        raw="(struct_specifier body: (_)) @type",
        data=("initializer_list",),
    ),
    "cpp": Language(
        "tree_sitter_cpp",
        named=("function_definition",),
        nameless=("lambda_expression",),
        raw="(struct_specifier body: (_)) @type (class_specifier body: (_)) @type",
        data=("initializer_list", "raw_string_literal"),
    ),
    "c_sharp": Language(
        "tree_sitter_c_sharp",
        named=(
            "method_declaration",
            "constructor_declaration",
            "destructor_declaration",
            "operator_declaration",
            "conversion_operator_declaration",
            "local_function_statement",
            "accessor_declaration",
        ),
        nameless=("lambda_expression",),
        data=("initializer_expression", "collection_expression"),
    ),
    "ruby": Language(
        "tree_sitter_ruby",
        named=("method", "singleton_method"),
        nameless=("do_block",),
        data=("array", "hash", "heredoc_body"),
        types=("class", "module"),
    ),
    "php": Language(
        "tree_sitter_php",
        "language_php",
        named=("function_definition", "method_declaration"),
        nameless=("anonymous_function",),
        data=("array_creation_expression", "heredoc", "nowdoc"),
        types=("class_declaration",),
    ),
    "bash": Language(
        "tree_sitter_bash",
        named=("function_definition",),
        data=("heredoc_body", "array"),
    ),
    "kotlin": Language(
        "tree_sitter_kotlin",
        raw="(function_body (block) @body) (anonymous_initializer (block) @body)"
        " (secondary_constructor (block) @body) (lambda_literal) @block",
        comments=_BLOCK_COMMENTS,
        types=("class_declaration", "object_declaration"),
    ),
    "swift": Language(
        "tree_sitter_swift",
        named=("function_declaration", "init_declaration", "deinit_declaration"),
        raw="(computed_property) @body (lambda_literal) @block",
        comments=("comment", "multiline_comment"),
        data=("array_literal", "dictionary_literal"),
        types=("class_declaration",),
    ),
    "scala": Language(
        "tree_sitter_scala",
        named=("function_definition",),
        comments=("comment", "block_comment"),
        types=("class_definition", "object_definition", "trait_definition"),
    ),
    "lua": Language(
        "tree_sitter_lua",
        named=("function_declaration", "function_definition"),
        data=("table_constructor",),
    ),
}

EXTENSIONS: dict[str, str] = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "rs": "rust",
    "go": "go",
    "java": "java",
    "c": "c",
    **dict.fromkeys(("cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "ipp", "cu", "cuh", "ino"), "cpp"),
    **dict.fromkeys(("cs", "csx"), "c_sharp"),
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    **dict.fromkeys(("php", "phtml"), "php"),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh"), "bash"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    "swift": "swift",
    **dict.fromkeys(("scala", "sc", "sbt"), "scala"),
    "lua": "lua",
}
# Names other stages may use for a language.
ALIASES = {
    "js": "javascript",
    "ts": "typescript",
    "c#": "c_sharp",
    "csharp": "c_sharp",
    "c++": "cpp",
    "shell": "bash",
    "sh": "bash",
    "py": "python",
    "rs": "rust",
    "rb": "ruby",
    "kt": "kotlin",
}
# Signs that tell a language where no name does; each is counted in the first part of the text.
SIGNS: dict[str, tuple[str, ...]] = {
    "python": (
        "\ndef ",
        "\n    def ",
        "\nimport ",
        "\nfrom ",
        "self.",
        "\n@",
        " is None",
        "elif ",
        "):\n",
        '"""',
    ),
    "rust": (
        "fn ",
        "let mut ",
        "\nimpl",
        "pub fn",
        "\nuse ",
        "#[",
        "-> ",
        "&self",
        "match ",
        "::<",
        "Option<",
    ),
    "go": ("\npackage ", "package ", "\nfunc ", " := ", "err != nil", "\nimport (", "\ntype ", " struct {"),
    "typescript": (": string", ": number", "interface ", "export ", "readonly ", "=> {", " as ", "private "),
    "javascript": ("const ", "=> {", "function ", "require(", "module.exports", "let ", "===", "export "),
    "java": (
        "public class",
        "import java",
        "private ",
        "public ",
        "@Override",
        "new ",
        "String ",
        "package ",
    ),
    "c_sharp": ("using System", "namespace ", "public ", "get; set;", "private ", "var ", "async Task"),
    "cpp": ("#include <", "std::", "namespace ", "template <", "template<", "::", "public:", "virtual "),
    "c": ("#include <", "#define ", "int ", "static ", "struct ", "->", "void ", "NULL", "char *"),
    "ruby": ("\n  def ", "\nend", "\n  end", "require '", "attr_", "do |", "@", "module ", " => "),
    "php": ("<?php", "$this->", "function ", "namespace ", "public function", "use ", "->"),
    "bash": ("#!/bin/", "\nfi\n", " then\n", "\ndone", "echo ", "$(", "local ", "if [ ", "esac"),
    "kotlin": ("fun ", "val ", "\nimport ", "override fun", "data class", "private val", "when ("),
    "swift": ("func ", "let ", "var ", "guard ", "import Foundation", "extension ", "-> ", "init("),
    "scala": ("def ", "val ", "object ", "case class", "import ", "extends ", "override def"),
    "lua": ("local ", "function ", "end\n", "nil", "then\n", "~="),
    "elixir": ("defmodule ", "def ", " do\n", "|> ", "end\n"),
}
# A sign that only this language has, worth several others.
SURE: dict[str, tuple[str, ...]] = {
    "php": ("<?php",),
    "go": ("err != nil", " := ", "\nimport (\n"),
    "rust": ("let mut ", "pub fn ", "&self", "impl ", "#[derive"),
    "python": ("):\n", "__init__", "elif ", "\ndef "),
    "kotlin": ("fun ", "data class "),
    "swift": ("import Foundation", "guard let", "func "),
    "java": ("import java", "@Override", "public class"),
    "c_sharp": ("using System", "get; set;"),
    "ruby": ("attr_", " do |", "require '", "puts ", "def initialize"),
    "elixir": ("defmodule ", " |> ", "defp "),
    "cpp": ("std::", "template <", "template<"),
    "c": ("#define ", "NULL"),
    "typescript": (": string", ": number", "interface "),
    "javascript": ("module.exports", "require("),
    "bash": ("#!/bin/bash", "#!/bin/sh", "\nfi\n", "#!/usr/bin/env bash"),
    "lua": ("local function", " then\n", "~="),
    "scala": ("case class ", "override def ", "object ", " = {\n"),
}


def language_of(extension: str | None, format_: str, text: str) -> str:
    """Returns the language by file ending, by the detected format, or by its signs; "" if unknown."""
    if extension and extension.lower() in EXTENSIONS:
        return EXTENSIONS[extension.lower()]
    name = ALIASES.get(format_.lower(), format_.lower())
    if name in LANGUAGES:
        return name
    return "" if extension else guess(text)


def guess(text: str) -> str:
    r"""Returns the language whose signs stand in the first 20,000 characters, "" if none is clear.

    >>> guess("import os\n\ndef main():\n    self.x = 1\n    if x is None:\n        return\n")
    'python'
    """
    head = "\n" + text[:20000]
    first = text[:200].split("\n", 1)[0]
    if first.startswith("#!"):
        for word, name in (("python", "python"), ("node", "javascript"), ("ruby", "ruby"), ("sh", "bash")):
            if word in first:
                return name
    scores = {
        name: sum(sign in head for sign in signs)
        + 2 * sum(min(3, head.count(sign)) for sign in SURE.get(name, ()))
        for name, signs in SIGNS.items()
    }
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= 5 else ""


@lru_cache(maxsize=32)
def grammar(name: str) -> tuple[Any, Any, Lock] | None:
    """Returns parser and compiled query of a language, or None where its grammar is not installed.

    Both keep state while they work, so they are used under the lock that comes with them.
    """
    from importlib import import_module

    spec = LANGUAGES.get(name)
    if spec is None:
        return None
    try:
        tree_sitter: Any = import_module("tree_sitter")
        language = tree_sitter.Language(getattr(import_module(spec.module), spec.function)())
        query = tree_sitter.Query(language, _query_text(spec))
    except (ImportError, AttributeError, ValueError, SyntaxError, tree_sitter_errors()):
        return None
    return tree_sitter.Parser(language), tree_sitter.QueryCursor(query), Lock()


def tree_sitter_errors() -> type[Exception]:
    """Returns the error of a query that does not fit the installed grammar."""
    try:
        from tree_sitter import QueryError
    except ImportError:
        return ValueError
    return QueryError


def _query_text(spec: Language) -> str:
    parts = [f"({node} body: (_) @body)" for node in spec.named]
    parts += [f"({node} body: (_) @block)" for node in spec.nameless]
    parts += [f"({node}) @comment" for node in spec.comments]
    parts += [f"({node}) @data" for node in spec.data]
    parts += [f"({node}) @type" for node in spec.types]
    parts += [f"({node}) @macro" for node in spec.macros]
    parts.append("(ERROR) @error")
    return "\n".join([*parts, spec.raw])
