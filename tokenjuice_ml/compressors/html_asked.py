"""Asks the article extractor's own expressions once for each sort of element, not for each element.

Most of them test the attributes of single elements by regular expressions, which lxml calls back
for, several times an element: half of the extractor's time. What such a test says depends on the
element's name and attributes alone, so it is remembered by these. The answers are the same.
"""

from __future__ import annotations

import re
from typing import Any

_LISTS = (
    *("OVERALL_DISCARD_XPATH", "TEASER_DISCARD_XPATH", "DISCARD_IMAGE_ELEMENTS", "RAW_TREE_PRUNE_XPATH"),
    *("REMOVE_COMMENTS_AND_LISTS_XPATH", "REMOVE_COMMENTS_XPATH"),
)
_NAMESPACES = {"re": "http://exslt.org/regular-expressions"}
_WHOLE = re.compile(r"\.//\*\s*(\[\s*self::\w+(?:\s+or\s+self::\w+)*\s*\])?\s*(\[.+\])", re.DOTALL)
_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_BETWEEN = re.compile(r"(?<=\])\s*(?=\[)")
_ATTRIBUTE, _NAME = re.compile(r"@([\w-]+)"), re.compile(r"self::(\w+)")
# What may stand in a test that looks at nothing but an element's name and attributes; texts are quotes here.
_LOCAL = re.compile(
    r"\[(?:\s|\bor\b|\band\b|re:test\(|contains\(|starts-with\(|translate\(|not\(|[(),=|']|@[\w-]+|self::\w+)*\]"
)
_TRUTH = re.compile(r"\[\s*not\(")
_MOST_KNOWN, _LONGEST = 4000, 400
_quick = False


class Asked:
    """An expression whose first tests look at single elements; called with a tree, as the expression is.

    Args:
        path: the expression.
        names: the test for names, "" where all elements are asked.
        local: tests of attributes.
        rest: tests that look further.
    """

    def __init__(self, path: str, names: str, local: str, rest: str) -> None:
        from lxml import etree

        self.path = path
        self._attributes = frozenset(_ATTRIBUTE.findall(_TEXT.sub("", local)))
        self._names = _NAME.findall(names) or ["*"]
        self._test = etree.XPath(f"self::*{local}", namespaces=_NAMESPACES)
        self._rest = etree.XPath(f"self::*{rest}", namespaces=_NAMESPACES) if rest else None
        self._known: dict[Any, bool] = {}

    def __call__(self, tree: Any) -> list[Any]:
        """Returns the elements below `tree` that the expression finds, in their order."""
        answer, below = self._answer, tree.iterdescendants(*self._names)
        found = [element for element in below if element.keys() and answer(element)]
        rest = self._rest
        return found if rest is None else [element for element in found if rest(element)]

    def holds_for(self, element: Any) -> bool:
        """Returns what the tests of attributes say."""
        return bool(self._test(element))

    def _answer(self, element: Any) -> bool:
        wanted = self._attributes
        # In their order: the first of two attributes counts where a test names both.
        key = (element.tag, *[pair for pair in element.items() if pair[0] in wanted])
        if len(key) == 1:
            return False
        known = self._known.get(key)
        if known is None:
            known = self.holds_for(element)
            if sum([len(value) for _, value in key[1:]]) <= _LONGEST:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[key] = known
        return known


def asked(expression: Any) -> Any:
    """Returns a quick form of an expression where it is of the right sort, else itself."""
    from lxml import etree

    path = getattr(expression, "path", "")
    whole = _WHOLE.fullmatch(path.strip())
    if whole is None:
        return expression
    # Texts may hold brackets: they are looked at as rows of quotes.
    masked = _TEXT.sub(lambda text: "'" * len(text[0]), whole[2])
    local = end = 0
    for between in [*_BETWEEN.finditer(masked), None]:
        start = between.start() if between else len(masked)
        if not _LOCAL.fullmatch(masked, end, start):
            break
        local, end = start, between.end() if between else start
    rest = masked[local:].strip()
    # A test of the place among others needs the others.
    if "@" not in masked[:local] or (rest and not _TRUTH.match(rest)) or "()" in rest:
        return expression
    quick = Asked(path, whole[1] or "", whole[2][:local], whole[2][local:].strip())
    # Elements without such attributes are not asked: what holds for one of them is not for us.
    names = {"div", "unnamed", *_NAME.findall(path)}
    return expression if any(quick.holds_for(etree.Element(name)) for name in names) else quick


def quicken() -> None:
    """Puts quick forms in place of the extractor's expressions; those of other sorts stay."""
    global _quick
    if _quick:
        return
    _quick = True
    from trafilatura import xpaths

    for name in _LISTS:
        expressions = getattr(xpaths, name, None)
        if isinstance(expressions, list):
            expressions[:] = [asked(expression) for expression in expressions]
