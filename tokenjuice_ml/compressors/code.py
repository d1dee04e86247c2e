"""Source files: imports, signatures, types and first sentences stay, bodies fold to their line range.

By syntax tree where a grammar is installed, by indentation otherwise. Markup, data files and
notebooks go to modules of their own.
"""

from __future__ import annotations

from functools import partial

from tokenjuice_ml.compressors.code_config import FORMATS, compress_config
from tokenjuice_ml.compressors.code_languages import LANGUAGES, language_of
from tokenjuice_ml.compressors.code_markup import compress_markdown
from tokenjuice_ml.compressors.code_notebook import compress_notebook
from tokenjuice_ml.compressors.code_odd import keep_odd
from tokenjuice_ml.compressors.code_sheet import LONG_LINE, Body, Sheet, bound, render
from tokenjuice_ml.compressors.code_signals import keep_imports, keep_query, keep_signals
from tokenjuice_ml.compressors.code_tree import fold_tree
from tokenjuice_ml.compressors.code_walk import fold_walk
from tokenjuice_ml.compressors.table import query_words
from tokenjuice_ml.types import Context, Reduction

FORM_ENDINGS = {
    **dict.fromkeys(("md", "markdown", "mdx"), "markdown"),
    **dict.fromkeys(("yml", "yaml"), "yaml"),
    **dict.fromkeys(("toml", "lock"), "toml"),
    **dict.fromkeys(("ini", "cfg", "conf", "properties", "env"), "ini"),
    **dict.fromkeys(("css", "scss", "less"), "css"),
    **dict.fromkeys(("dockerfile", "containerfile"), "dockerfile"),
    **dict.fromkeys(("mk", "makefile"), "makefile"),
    "sql": "sql",
    "ipynb": "notebook",
}
# A syntax tree costs about twelve times the text; longer files go by indentation.
MOST_TREE_CHARS = 400_000
MOST_OUTLINE_CHARS = 80_000


def compress(text: str, context: Context) -> Reduction | None:
    """Returns the file with its bodies folded, None when nothing folds."""
    form = _form(context)
    if form == "markdown":
        return compress_markdown(text, context)
    if form == "notebook":
        return compress_notebook(text, context, partial(_fold_markdown, context=context))
    if form in FORMATS:
        return compress_config(text, form, context)
    text = text.replace("\r\n", "\n")
    language = language_of(context.output.extension, context.detection.format, text)
    return _fold(text, language, context)


def _form(context: Context) -> str:
    """Returns the format of a file that is no programming language, "" for the others."""
    extension = (context.output.extension or "").lower()
    return FORM_ENDINGS.get(extension) or context.detection.format


def _fold_markdown(text: str, context: Context) -> str:
    reduction = compress_markdown(text, context)
    return reduction.text if reduction else text


def _fold(text: str, language: str, context: Context) -> Reduction | None:
    sheet = Sheet(text.split("\n"))
    bodies = _fold_rows(sheet, text, language)
    keep_imports(sheet)
    keep_odd(sheet, bodies)
    keep_signals(sheet, text, bodies)
    bound(sheet, MOST_OUTLINE_CHARS)
    keep_query(sheet, bodies, query_words(context.output.query))
    body, omissions = render(sheet)
    if not omissions:
        return None
    return Reduction(body, True, "code", omissions, detail=language or "by indentation")


def _fold_rows(sheet: Sheet, text: str, language: str) -> list[Body]:
    if language in LANGUAGES and len(text) <= MOST_TREE_CHARS and not _minified(sheet, text):
        bodies = fold_tree(sheet, text, language)
        if bodies is not None:
            return bodies
    return fold_walk(sheet)


def _minified(sheet: Sheet, text: str) -> bool:
    return len(text) > 20 * LONG_LINE and max(map(len, sheet.lines)) > len(text) // 3
