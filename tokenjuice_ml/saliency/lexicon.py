"""What a word tells by itself: a figure, a number, a duty, a denial, the head of an atom.

Each different word of a text is looked up once, and what it tells is a set of bits. For what governs other
words and for what begins an atom the bits only say where to look: `protect` reads the text there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FIGURE, SPELLED, BINDS, SHOWS = 1, 2, 4, 8
"""A digit; a number in words; a denial, duty or reason; an example."""
DENIES, BOUNDS, PHRASE = 16, 32, 64
"""May deny what stands ahead; may restrict what stands around; may belong to a restriction of several words."""
MODAL, COUNTS, LONG = 128, 256, 512
"""May be a modal verb; may begin a quantity, a date or a reference; costs more tokens than other words."""
GOVERNS = DENIES | BOUNDS | PHRASE
WORTH = FIGURE | SPELLED | BINDS | SHOWS
LONG_CHARS = 12
"""Chars above which a word is long."""

# A word that ends with `*` stands for all that begin so, with `+` for all longer ones that do.
AHEAD = (
    "not no never none nobody nothing nowhere neither nor cannot without hardly barely scarcely rarely seldom "
    "fail fails failed lack lacks lacking refus+ avoid* prevent* instead stop stops stopped little few unable cant "
    "dont doesnt didnt wont isnt wasnt reject* disallow* exclud+ deny denies denied "
    "ne pas jamais aucun* rien personne ni sans guère nul* non évite* interdi+ refuse* refusé* "
    "nunca jamás ningun* ningún* nada nadie sin tampoco apenas evit+ "
    "не нет ни ник+ нич+ ниг+ нельзя без едва избега+ отсутств+ отнюдь"
).split()
"""Negations that stand before what they deny: English, French, Spanish, Russian."""
AROUND = (
    "unless except* only until if rather prohibit* forbid* impossible unlikely false otherwise "
    "nicht nichts kein* nie niemals niemand* nirgend* weder ohne außer nur kaum falls wenn sofern "
    "statt anstatt verboten untersagt darf dürfen selten ausgeschlossen unmöglich unterlass+ "
    "mitnichten verhinder+ vermeid+ verweiger+ ungültig unzulässig "
    "sauf seulement si hormis excepté uniquement sinon "
    "salvo excepto solo sólo solamente prohib+ únicamente imposible "
    "кроме только если лишь невозможно запрет+ запрещ+ исключ+ незачем некого нечего негде некуда вряд иначе "
    "안 못"
).split()
"""Conditions, restrictions, and negations that may stand after what they deny."""
PHRASES = ("provided that", "es sei denn", "à moins", "à condition", "a menos")
_PHRASE_WORDS = "provided sei moins condition menos".split()
MODALS = (
    "must should shall may might can could will would need ought muss müssen soll solln sollte sollten "
    "kann können doit doivent peut peuvent debe* puede* должн+ может можно"
).split()
MONTHS = (
    "Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec January February March April June July August September "
    "October November December Oktober Dezember janvier février juillet septembre octobre novembre décembre "
    "septiembre octubre noviembre diciembre Januar Februar März Mai Juni Juli Okt Dez janv févr mars avril "
    "juin juil août enero febrero marzo abril mayo junio julio agosto января февраля марта апреля мая июня июля августа "
    "сентября октября ноября декабря"
).split()
_COUNT_WORDS = "at less fewer more up version v section chapter table figure article no rfc pep".split()

_NUMBER_WORDS = frozenset(
    (
        "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy "
        "eighty ninety hundred thousand million billion percent half third twice first zwei drei vier fünf sechs zehn "
        "hundert prozent deux trois quatre cinq dix cent mille dos tres cuatro cinco diez cien mil два две три четыре "
        "пять десять сто тысяч"
    ).split()
)
_BOUND_WORDS = (
    "not no never none nor only unless without except but because since due must should shall cannot require "
    "requires required instead therefore until default means called "
    "nicht nur ohne aber weil muss müssen darf standard ne pas sans mais doit sauf jamais parce seulement "
    "sin pero porque debe nunca solo не нет без но только нельзя потому "
    "不 没 沒 未 无 無 必 須 须 仅 僅 因 ない"
).split()
_EXAMPLE_WORDS = "example examples instance e.g eg z.b beispiel exemple ejemplo например 例".split()
_BINDING = ("kein", "должн")
_EDGES = "\"'“”‘’«»()[]{}*_`.,;:!?…—–-"
_DIGIT = re.compile(r"\d")


def pattern_of(words: Iterable[str]) -> str:
    """Returns the alternatives of a pattern for words with `*` and `+`."""
    return "|".join(re.escape(word[:-1]) + rf"\w{word[-1]}" if word[-1] in "*+" else word for word in words)


def _tables() -> tuple[dict[str, int], dict[str, tuple[tuple[str, int], ...]]]:
    """Returns the bits of whole words, and by their first three chars those of beginnings."""
    whole: dict[str, int] = {}
    begins: dict[str, dict[str, int]] = {}
    sources: tuple[tuple[Iterable[str], int], ...] = (
        (_NUMBER_WORDS, SPELLED), (_BOUND_WORDS, BINDS), (_EXAMPLE_WORDS, SHOWS), (AHEAD, DENIES),
        (AROUND, BOUNDS), (_PHRASE_WORDS, PHRASE), (MODALS, MODAL), (_COUNT_WORDS, COUNTS),
        ([f"{month.lower()}*" for month in MONTHS], COUNTS), ([f"{word}*" for word in _BINDING], BINDS),
    )  # fmt: skip
    for words, bit in sources:
        for word in words:
            if word[-1] not in "*+":
                whole[word] = whole.get(word, 0) | bit
            else:
                group = begins.setdefault(word[:3], {})
                group[word[:-1]] = group.get(word[:-1], 0) | bit
    return whole, {first: tuple(group.items()) for first, group in begins.items()}


_WHOLE, _BEGINS = _tables()
_HEAD = rf"(?:{pattern_of(MODALS)})"
_COUNT_HEAD = rf"(?:(?:{'|'.join(sorted({month.lower() for month in MONTHS}))})[\w.]*|no\.|[§#]|{'|'.join(_COUNT_WORDS)})"
_INSIDE = (
    (re.compile(rf"(?<!\w)(?:{pattern_of([*AHEAD, *AROUND])})(?!\w)|n['’]t(?!\w)|(?<!\w)n['’]"), DENIES | BOUNDS),
    (re.compile(rf"(?<!\w)(?:{'|'.join(_PHRASE_WORDS)})(?!\w)"), PHRASE),
    (re.compile(rf"(?<!\w){_HEAD}(?=\n|\Z)"), MODAL),
    (re.compile(rf"(?<!\w){_COUNT_HEAD}(?=\n|\Z)"), COUNTS),
    (_DIGIT, FIGURE),
)  # fmt: skip


def tell(words: Iterable[str]) -> dict[str, int]:
    """Returns of each different word in lower case what it tells."""
    told: dict[str, int] = {}
    odd: list[str] = []
    for word in words:
        alpha = word.isalpha()
        bare = word if alpha else word.strip(_EDGES)
        bits = _WHOLE.get(bare, 0)
        if len(word) > LONG_CHARS:
            bits |= LONG
        begins = _BEGINS.get(bare[:3])
        if begins:
            for begin, more in begins:
                if bare.startswith(begin):
                    bits |= more if alpha else more & ~BINDS
        if not alpha and bare and not bare.isalpha():
            odd.append(word)
            bits |= _odd(bare)
        told[word] = bits
    _look_inside(odd, told)
    return told


def _odd(bare: str) -> int:
    """Returns what the ends of a word tell that is not of letters alone."""
    bits = BINDS if bare.endswith(("n't", "n’t")) else 0
    return bits | SPELLED if "-" in bare and bare.partition("-")[0] in _NUMBER_WORDS else bits


def _look_inside(odd: list[str], told: dict[str, int]) -> None:
    """Adds what is told by a part of a word: all words are searched as one text."""
    joined = "\n".join(odd)
    for pattern, bits in _INSIDE:
        for match in pattern.finditer(joined):
            begin = joined.rfind("\n", 0, match.start()) + 1
            end = joined.find("\n", match.end())
            word = joined[begin : end if end >= 0 else None]
            told[word] |= bits
