"""What may not be torn apart: negations with what they negate, conditions, numbers with units, names.

Two questions are answered here, both about char ranges of one text. `governed` says which ranges turn
into something else when a part is missing ("do not delete", "unless it is locked"). `atoms` says which
neighbouring words are one thing ("12 March 2024", "--depth 3", "New York"). Word lists cover English,
German, French, Spanish, Russian, Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Range = tuple[int, int]

# Negations that stand before what they deny: English, French, Spanish, Russian.
_AHEAD = (
    "not|no|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|hardly|barely|scarcely|rarely|seldom"
    "|fails?|failed|lacks?|lacking|refus\\w+|avoid\\w*|prevent\\w*|instead|stops?|stopped|little|few|unable|cant"
    "|dont|doesnt|didnt|wont|isnt|wasnt|reject\\w*|disallow\\w*|exclud\\w+|den(?:y|ies|ied)"
    "|ne|pas|jamais|aucun\\w*|rien|personne|ni|sans|guère|nul\\w*|non|évite\\w*|interdi\\w+|refus[eé]\\w*"
    "|nunca|jamás|ning[uú]n\\w*|nada|nadie|sin|tampoco|apenas|evit\\w+"
    "|не|нет|ни|ник\\w+|нич\\w+|ниг\\w+|нельзя|без|едва|избега\\w+|отсутств\\w+|отнюдь"
)
# Conditions, restrictions, and negations that may stand after what they deny.
_AROUND = (
    "unless|except\\w*|only|until|if|provided that|rather|prohibit\\w*|forbid\\w*|impossible|unlikely|false|otherwise"
    "|nicht|nichts|kein\\w*|nie|niemals|niemand\\w*|nirgend\\w*|weder|ohne|außer|nur|kaum|falls|wenn|sofern"
    "|es sei denn|statt|anstatt|verboten|untersagt|darf|dürfen|selten|ausgeschlossen|unmöglich|unterlass\\w+"
    "|mitnichten|verhinder\\w+|vermeid\\w+|verweiger\\w+|ungültig|unzulässig"
    "|sauf|seulement|si|à moins|hormis|excepté|à condition|uniquement|sinon"
    "|salvo|excepto|s[oó]lo|solamente|a menos|prohib\\w+|únicamente|imposible"
    "|кроме|только|если|лишь|невозможно|запре[щт]\\w+|исключ\\w+|незачем|некого|нечего|негде|некуда|вряд|иначе"
    "|안|못"
)
_DENIED = re.compile(rf"(?<!\w)(?:{_AHEAD})(?!\w)|n['’]t(?!\w)|(?<!\w)n['’](?=[aeiouyéèêàh])")
_BOUND = re.compile(rf"(?<!\w)(?:{_AROUND})(?!\w)")
_TRIGGER = re.compile(
    rf"(?<!\w)(?:{_AHEAD}|{_AROUND}|provided|sei|moins|condition|menos)(?!\w)|n['’]t(?!\w)|(?<!\w)n['’]"
)
_WIDE = re.compile(
    "[不没沒未无無非莫勿别別否禁毋甭只仅僅难難]|除[非了外]|如果|若|避免|拒[绝絕]|缺|[なま](?:い|く|かっ|けれ|せん)|[ずぬ](?=[、。にとはもの\\s]|$)"
    "|だけ|のみ|しか|以外|場合|なら|れば|まい|ないで"
    "|(?:않|없|아니|[안못][가-힣]|지 ?(?:마|말)|금지|불가|제외|외에|경우"
    "|으면|다면|라면|하면|려면|[지은는을] 못|만\\b|뿐)"
)

_CLAUSE = re.compile(r", |[;:—–] |[.!?] |\n")
_STRONG = re.compile(
    r"[;:—–]\s|[.!?]\s|\n|[；：。！？]|, (?:but|however|which|who|because|while|although|so)\b"
    r"|, (?:aber|sondern|mais|car|qui|pero|sino|porque|но|а|потому|который) "
)
WHOLE_SENTENCE = 220
"""Chars up to which a sentence with a condition stays in one piece."""
SHORT_SENTENCE = 90
"""The same for a negation that stands before its verb."""
_WHOLE_CJK = 120
_BEFORE, _AFTER = 120, 160


def governed(text: str, start: int, end: int, by_word: bool = True) -> list[Range]:
    """Returns the ranges of the sentence ``text[start:end]`` that stand or fall as one.

    Args:
        text: the whole text.
        start: first char of the sentence.
        end: one past its last char.
        by_word: False where none of its words is among `governing`.
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
    if by_word:
        bound += [match.span() for match in _BOUND.finditer(low)]
    if bound and size <= WHOLE_SENTENCE:
        return [(start, end)]
    ranges = [_scope(text, start, end, start + a, start + b, _STRONG) for a, b in bound]
    for match in _DENIED.finditer(low) if by_word else ():
        if size <= SHORT_SENTENCE:
            return [(start, end)]
        ranges.append(_scope(text, start, end, start + match.start(), start + match.end(), _CLAUSE))
    return merge(ranges) if ranges else ranges


def governing(words: Iterable[str]) -> frozenset[str]:
    """Returns those of some words in lower case that may govern; where none stands, `governed` has nothing.

    Chinese, Japanese and Korean are not told by their words: ask `governed` wherever `has_wide`.
    """
    joined = "\n".join(words)
    found: set[str] = set()
    for match in _TRIGGER.finditer(joined):
        begin = joined.rfind("\n", 0, match.start()) + 1
        end = joined.find("\n", match.end())
        found.add(joined[begin : end if end >= 0 else None])
    return frozenset(found)


def has_wide(text: str) -> bool:
    """Says whether Chinese, Japanese or Korean characters stand in `text`."""
    return bool(_ANY_WIDE.search(text))


_ANY_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def lower_case(text: str) -> str:
    """Returns `text` in lower case, of the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


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
_MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Januar|Februar|März|Mai|Juni|Juli|Okt|Dez|janv|févr|mars|avril"
    r"|juin|juil|août|enero|febrero|marzo|abril|mayo|junio|julio|agosto|января|февраля|марта|апреля|мая|июня|июля|августа"
    r"|сентября|октября|ноября|декабря)[\w.]*"
)
_BY_SIGN = re.compile(
    r"(?=[\d$€£¥`\"“«„「『《〈【(（\u30a1-\u30ff-])(?:"
    rf"(?<!\w)\d[\d.,:/-]{{0,20}} {_MONTH}(?:,? \d{{4}})?"  # dates
    rf"|(?<![\w.])[$€£¥]? ?\d[\d.,]{{0,24}}(?:[  ]\d{{3}}){{0,6}}[  -]?{_UNIT}(?!\w)"  # with units
    r"|[$€£¥] ?\d[\d.,]{0,24}"
    r"|(?<!\S)--?[A-Za-z][\w-]*(?:[= ](?!-)[\w./:@%+-]*[\d/=_.][\w./:@%+-]*(?<![.,:]))"  # flag and value
    r"|`[^`\n]{1,120}`|\"[^\"\n]{1,90}\"|“[^”\n]{1,90}”|«[^»\n]{1,90}»|„[^“”\n]{1,90}[“”]"
    r"|[「『《〈【][^」』》〉】\n]{1,60}[」』》〉】]"
    r"|\([^()\n]{1,60}\)|（[^（）\n]{1,30}）"
    r"|[\u30a1-\u30ff]{2,30}|\d[\d.,]{0,20}[\u3400-\u9fff]{1,2})"
)
_BY_WORD = re.compile(
    rf"(?<!\w)(?=[A-Za-zА-Яа-яµ§#])(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    r"|(?:[Aa]t (?:least|most)|(?:[Ll]ess|[Ff]ewer|[Mm]ore) than|[Uu]p to) \S+(?: \S+)?"
    r"|(?:[Vv]ersion|v|Section|Chapter|Table|Figure|Article|§|No\.|#|RFC|PEP) \d[\w.]*)"
)
_PART = r"[A-Z\u00c0-\u00de\u0410-\u042f](?:(?:rs?|t|rof|en|ol|apt|s)?\.(?=[  ][A-Z])|[\w'’.-]{0,39}[\w'’-])?"
_NAME = re.compile(rf"{_PART}(?: (?:of|the|and|von|van|der|de|du|la|le|del|и)){{0,2}}(?:[  ]{_PART}){{1,4}}")
_MODAL = re.compile(
    r"(?<!\w)(?:must|should|shall|may|might|can|could|will|would|need|ought|muss|müssen|soll(?:te)?n?|kann|können|doit|doivent"
    r"|peut|peuvent|debe\w*|puede\w*|должн\w+|может|можно)(?= )(?: \S+){1,2}"
)


def atoms(text: str, start: int = 0, end: int | None = None) -> list[Range]:
    """Returns the ranges that are one thing: no cut may fall inside.

    >>> text = "It took 12 ms on 3 March 2024 with --depth 3."
    >>> [text[a:b] for a, b in atoms(text)]
    ['12 ms', '3 March 2024', '--depth 3']
    """
    stop = len(text) if end is None else end
    found: list[Range] = []
    for pattern in (_BY_SIGN, _BY_WORD, _NAME, _MODAL):
        found += [match.span() for match in pattern.finditer(text, start, stop)]
    return [(a, b) for a, b in merge(found) if _has_gap(text, a, b)]


def _has_gap(text: str, start: int, end: int) -> bool:
    part = text[start:end]
    return " " in part or not part.isascii()
