"""What may not be torn apart: negations with what they negate, conditions, numbers with units, names.

Two questions are answered here, both about char ranges of one text. `governed` says which ranges turn
into something else when a part is missing ("do not delete", "unless it is locked"). `atoms` says which
neighbouring words are one thing ("12 March 2024", "--depth 3", "New York"). Word lists cover English,
German, French, Spanish, Russian, Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tokenjuice_ml.saliency.lexicon import (
    AHEAD,
    AROUND,
    BOUNDS,
    DENIES,
    MODALS,
    MONTHS,
    PHRASE,
    PHRASES,
    pattern_of,
)
from tokenjuice_ml.saliency.units import Segment
from tokenjuice_ml.saliency.words import lower_case

Range = tuple[int, int]

_DENIED = re.compile(rf"(?<!\w)(?:{pattern_of(AHEAD)})(?!\w)|n['’]t(?!\w)|(?<!\w)n['’](?=[aeiouyéèêàh])")
_BOUND = re.compile(rf"(?<!\w)(?:{pattern_of(AROUND)}|{'|'.join(PHRASES)})(?!\w)")
# Here and below the set of first chars stands first: only then does the search skip what cannot match.
_WIDE = re.compile(
    "[不没沒未无無非莫勿别別否禁毋甭只仅僅难難除如若避拒缺なまずぬだのし以場れ않없아안못지금불제외에경으다라하려은는을만뿐]"
    "(?:(?<=[不没沒未无無非莫勿别別否禁毋甭只仅僅难難若缺않없뿐])|(?<=除)[非了外]|(?<=如)果|(?<=避)免|(?<=拒)[绝絕]"
    "|(?<=[なま])(?:い|く|かっ|けれ|せん)|(?<=[ずぬ])(?=[、。にとはもの\\s]|$)|(?<=だ)け|(?<=の)み|(?<=し)か|(?<=以)外"
    "|(?<=場)合|(?<=な)ら|(?<=れ)ば|(?<=아)니|(?<=[안못])[가-힣]|(?<=지) ?(?:마|말)|(?<=금)지"
    "|(?<=불)가|(?<=제)외|(?<=외)에|(?<=경)우|(?<=으)면|(?<=[다라])면|(?<=하)면|(?<=려)면|(?<=[지은는을]) 못"
    "|(?<=만)\\b)"
)

_CLAUSE = re.compile(r"[,;:—–.!?\n](?:(?<=\n)| )")
_STRONG = re.compile(
    r"[;:—–.!?\n；：。！？,](?:(?<=[\n；：。！？])|(?<=[;:—–.!?])\s"
    r"|(?<=,) (?:(?:but|however|which|who|because|while|although|so)\b"
    r"|(?:aber|sondern|mais|car|qui|pero|sino|porque|но|а|потому|который) ))"
)
WHOLE_SENTENCE = 220
"""Chars up to which a sentence with a condition stays in one piece."""
SHORT_SENTENCE = 90
"""The same for a negation that stands before its verb."""
_WHOLE_CJK = 120
HELD, _ASK = 1, 2
_BEFORE, _AFTER = 120, 160


def governed(text: str, start: int, end: int, by_word: bool = True) -> list[Range]:
    """Returns the ranges of the sentence ``text[start:end]`` that stand or fall as one.

    Args:
        text: the whole text.
        start: first char of the sentence.
        end: one past its last char.
        by_word: False where none of its words governs others, as `lexicon` tells.
    """
    low = lower_case(text[start:end])
    size = end - start
    bound: list[Range] = []
    if not low.isascii() and has_wide(low):
        if size <= _WHOLE_CJK:
            if _WIDE.search(low) or (by_word and _BOUND.search(low)):
                return [(start, end)]
        else:
            bound += [match.span() for match in _WIDE.finditer(low)]
    denied: list[Range] = []
    if by_word:
        bound += [match.span() for match in _BOUND.finditer(low)]
        denied += [match.span() for match in _DENIED.finditer(low)]
    bound, denied = ([(start + a, start + b) for a, b in found] for found in (bound, denied))
    return _held(text, start, end, bound, denied)


def governed_by(
    text: str, low: str, start: int, end: int, words: Sequence[tuple[int, int, int]]
) -> list[Range]:
    """Returns the same as `governed`, from the words alone that may govern; not for Chinese and the like.

    Args:
        text: the whole text.
        low: the same in lower case.
        start: first char of the sentence.
        end: one past its last char.
        words: of each such word where it starts and ends, and what it tells.
    """
    bound: list[Range] = []
    denied: list[Range] = []
    for first, last, told in words:
        if told & PHRASE:
            return governed(text, start, end)
        stop = min(last, end)
        if told & BOUNDS:
            bound += [match.span() for match in _BOUND.finditer(low, first, stop)]
        if told & DENIES:
            denied += [match.span() for match in _DENIED.finditer(low, first, stop)]
    return _held(text, start, end, bound, denied)


def _held(text: str, start: int, end: int, bound: list[Range], denied: list[Range]) -> list[Range]:
    """Returns what is held together by restrictions and by negations of one sentence."""
    size = end - start
    if (bound and size <= WHOLE_SENTENCE) or (denied and size <= SHORT_SENTENCE):
        return [(start, end)]
    ranges = [_scope(text, start, end, a, b, _STRONG) for a, b in bound]
    ranges += [_scope(text, start, end, a, b, _CLAUSE) for a, b in denied]
    return merge(ranges) if ranges else ranges


def wide_hits(low: str, segments: Sequence[Segment]) -> bytearray | None:
    """Returns of each segment whether Chinese, Japanese or Korean may govern in it; None where none is written.

    It is `HELD` where that is sure and makes the whole segment stay together, 0 where nothing governs, else
    another number: ask `governed`.
    """
    if low.isascii() or not has_wide(low):
        return None
    hits = bytearray(len(segments) + 1)
    at, last = 0, len(segments) - 1
    for match in _WIDE.finditer(low):
        first, stop = match.span()
        while at < last and segments[at][1] <= first:
            at += 1
        start, end = segments[at][:2]
        if stop > end:
            hits[at + 1] = _ASK
        held = start <= first and stop <= end and end - start <= _WHOLE_CJK
        hits[at] = HELD if held or hits[at] == HELD else _ASK
    # With these a word may end because the segment does.
    if any(map(low.__contains__, "ずぬ만")):
        for index, segment in enumerate(segments):
            if low[segment[1] - 1] in "ずぬ만":
                hits[index] = hits[index] or _ASK
    return hits


def has_wide(text: str) -> bool:
    """Says whether Chinese, Japanese or Korean characters stand in `text`."""
    return bool(_ANY_WIDE.search(text))


def unspaced(text: str, fine: bool) -> list[Range]:
    """Returns the stretches of Chinese and Japanese inside which no word is known to end.

    Nothing parts words there but punctuation, and in Japanese the end of a run of kana, where a phrase ends as a rule.

    Args:
        text: the text.
        fine: whether to part Japanese phrases too, not only what punctuation parts.
    """
    if text.isascii() or not has_wide(text):
        return []
    return [match.span() for match in (_PHRASE if fine else _STRETCH).finditer(text)]


def announced(text: str) -> list[Range]:
    """Returns short leads with the figure behind their colon: it says nothing without what it is of.

    >>> text = "Bring this along. For the base: 150 g of clay"
    >>> [text[a:b] for a, b in announced(text)]
    ['For the base: 150']
    """
    found: list[Range] = []
    for colon in (": ", "："):
        at = text.find(colon)
        while at >= 0:
            start, word = _lead(text, at), _LED.match(text, at + len(colon))
            if start >= 0 and word:
                found.append((start, word.end() if colon == ": " else word.start() + 1))
            at = text.find(colon, at + 1)
    return found


def _lead(text: str, colon: int) -> int:
    """Returns where the lead of a colon begins, -1 where it is long."""
    left = max(0, colon - _LEAD)
    places = [(text.rfind(mark, left, colon), len(mark)) for mark in _LEAD_BEGINS]
    return max([place + size for place, size in places if place >= 0], default=-1 if left else 0)


_LED = re.compile(r"(?=[\d$€£¥±~<>≤≥+-])\S{1,42}")
_LEAD = 42
_LEAD_BEGINS = ("\n", ". ", "! ", "? ", "; ", ", ", ") ", "。", "；", "，", "、")
_MOST_UNSPACED = 40
_STOPS = r"\s\u3000-\u3004\u3008-\u3020\u30fb\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65—–…,;:!?()\[\]\"“”"
_STRETCH = re.compile(rf"[^{_STOPS}]{{2,{_MOST_UNSPACED}}}")
_PHRASE = re.compile(
    rf"[^{_STOPS}\u3041-\u309f]{{1,{_MOST_UNSPACED}}}[\u3041-\u309f]{{0,20}}|[\u3041-\u309f]{{2,20}}"
)
_ANY_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _scope(text: str, start: int, end: int, at: int, after: int, begins: re.Pattern[str]) -> Range:
    """Widens a negation to its clause: subject, verb and object, as far as they are near."""
    left = max(start, at - _BEFORE)
    for match in begins.finditer(text, left, at):
        left = match.end()
    if left > start and not text[left - 1].isspace():
        left = _space_before(text, start, left)
    stop = _STRONG.search(text, after, min(end, after + _AFTER))
    right = stop.end() if stop else min(end, after + _AFTER)
    while right < end and not text[right - 1].isspace() and right < after + _AFTER + 40:
        right += 1
    return left, right


def _space_before(text: str, start: int, at: int) -> int:
    space = max(text.rfind(" ", start, at), text.rfind("\n", start, at))
    return max(start, space + 1, at - 40)


def merge(ranges: list[Range]) -> list[Range]:
    """Returns sorted ranges with those that overlap made one.

    >>> merge([(5, 9), (0, 2), (8, 12)])
    [(0, 2), (5, 12)]
    """
    out: list[Range] = []
    for a, b in sorted(ranges):
        if out and a < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


_UNIT = r"(?:[%‰€$£¥]|°[CF]?|[^\W\d_]{1,20}(?:/[a-z]{1,4})?)"
_MONTH = rf"(?:{'|'.join(MONTHS)})(?:\.(?= \d)|(?!\w))"
_BY_SIGN = re.compile(
    r"[\d$€£¥`\"“«„「『《〈【(（\u30a1-\u30ff-](?:"
    rf"(?<=\d)(?<!\w.)[\d.,:/-]{{0,20}} {_MONTH}(?:,? \d{{4}})?"  # dates
    rf"|(?<![\w.].)(?:(?<=\d)|(?<=[$€£¥]) ?\d)[\d.,]{{0,24}}(?:[  ]\d{{3}}){{0,6}}(?<![.,])[  -]?{_UNIT}(?!\w)"  # with units
    r"|(?<=[$€£¥]) ?\d[\d.,]{0,24}"
    r"|(?<=-)(?<!\S.)-?[A-Za-z][\w-]*(?:[= ](?!-)[\w./:@%+-]*[\d/=_.][\w./:@%+-]*(?<![.,:]))"  # flag and value
    r"|(?<=`)[^`\n]{1,120}`|(?<=\")[^\"\n]{1,90}\"|(?<=“)[^”\n]{1,90}”|(?<=«)[^»\n]{1,90}»|(?<=„)[^“”\n]{1,90}[“”]"
    r"|(?<=[「『《〈【])[^」』》〉】\n]{1,60}[」』》〉】]"
    r"|(?<=\()[^()\n]{1,60}\)|(?<=（)[^（）\n]{1,30}）"
    r"|(?<=[\u30a1-\u30ff])[\u30a1-\u30ff]{1,29}|(?<=\d)[\d.,]{0,20}[\u3400-\u9fff]{1,2})"
)
_COUNTED = (
    rf"(?=[A-Za-zА-Яа-яµ§#])(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    r"|(?:[Aa]t (?:least|most)|(?:[Ll]ess|[Ff]ewer|[Mm]ore) than|[Uu]p to) \S+(?: \S+)?"
    r"|(?:[Vv]ersion|v|Section|Chapter|Table|Figure|Article|§|No\.|#|RFC|PEP) \d[\w.]*)"
)
_DUTY = rf"(?:{pattern_of(MODALS)})(?= )(?: \S+){{1,2}}"
_BY_WORD, _MODAL = (re.compile(rf"(?<!\w){body}") for body in (_COUNTED, _DUTY))
_WORD_COUNTED, _WORD_DUTY = (re.compile(rf"\S*?(?<!\w)({body})") for body in (_COUNTED, _DUTY))
_PART = r"[A-Z\u00c0-\u00de\u0410-\u042f](?:(?:rs?|t|rof|en|ol|apt|s)?\.(?=[  ][A-Z])|[\w'’.-]{0,39}[\w'’-])?"
_NAME = re.compile(rf"{_PART}(?: (?:of|the|and|von|van|der|de|du|la|le|del|и)){{0,2}}(?:[  ]{_PART}){{1,4}}")


def atoms(text: str, counting: Iterable[Range] | None = None, modal: Iterable[Range] = ()) -> list[Range]:
    """Returns the ranges that are one thing: no cut may fall inside.

    Args:
        text: the text.
        counting: the words that may begin a quantity, a date or a reference; None: any may.
        modal: the words that may be modal verbs; not read where `counting` is None.

    >>> text = "It took 12 ms on 3 March 2024 with --depth 3."
    >>> [text[a:b] for a, b in atoms(text)]
    ['12 ms', '3 March 2024', '--depth 3']
    """
    found = [match.span() for pattern in (_BY_SIGN, _NAME) for match in pattern.finditer(text)]
    if counting is None:
        found += [match.span() for pattern in (_BY_WORD, _MODAL) for match in pattern.finditer(text)]
    else:
        found += _begun(text, _WORD_COUNTED, counting) + _begun(text, _WORD_DUTY, modal)
    return [(a, b) for a, b in merge(found) if _has_gap(text, a, b)]


def _begun(text: str, pattern: re.Pattern[str], words: Iterable[Range]) -> list[Range]:
    """Returns the atoms that begin in some words; what begins one ends its word, and a blank follows."""
    found: list[Range] = []
    past = 0
    for start, end in words:
        if end > past and text.startswith(" ", end):
            match = pattern.match(text, max(start, past))
            if match:
                found.append(match.span(1))
                past = match.end()
    return found


def _has_gap(text: str, start: int, end: int) -> bool:
    part = text[start:end]
    return " " in part or not part.isascii()
