"""The vocabulary of `signals`: words of many tools and a few human languages. Data only."""

from __future__ import annotations

# What a level written in a line is worth: 0 none, 1 notice, 2 warning, 3 error.
LEVEL_RANK = {
    **dict.fromkeys(
        ("trace", "debug", "fine", "finer", "verbose", "info", "information", "10", "20", "30"), 0
    ),
    **dict.fromkeys(("notice",), 1),
    **dict.fromkeys(("warn", "warning", "40"), 2),
    **dict.fromkeys(("error", "err", "eror", "fatal", "critical", "crit", "severe"), 3),
    **dict.fromkeys(("alert", "emerg", "emergency", "panic", "50", "60"), 3),
}

# Any of these in a lower-cased line makes it worth judging. Prefixes cover their longer forms.
TRIGGERS = (
    *(
        "error",
        "err!",
        "fail",
        "fatal",
        "panic",
        "exception",
        "traceback",
        "abort",
        "assert",
        "segfault",
        "segmentation",
        "crash",
    ),
    *(
        "warn",
        "deprecat",
        "denied",
        "forbidden",
        "unauthorized",
        "killed",
        "refused",
        "reject",
        "timeout",
        "unreachable",
    ),
    *(
        "undefined",
        "unresolved",
        "unexpected",
        "unknown",
        "invalid",
        "missing",
        "mismatch",
        "expected",
        "illegal",
        "broken",
    ),
    *(
        "conflict",
        "violation",
        "overflow",
        "underfull",
        "overfull",
        "leak",
        "corrupt",
        "uncaught",
        "unhandled",
        "cannot",
        "exited",
    ),
    *(
        "critical",
        "severe",
        "emerg",
        "alert",
        "vulnerab",
        "offense",
        "passed",
        "passing",
        "problem",
        "elifecycle",
        "terminat",
    ),
    *(
        "expired",
        "unavailable",
        "no space left",
        "read-only file",
        "too many open",
        "not permitted",
        "deadlock",
    ),
    "core dumped",
    "not found",
    "no such",
    "can't",
    "could not",
    "couldn't",
    "unable to",
    "timed out",
    "exit code",
    "exit status",
    "exit 1",
    "non-zero",
    "caused by",
    "not ok",
    "tests run",
    "tests:",
    "build succe",
    "out of memory",
    "stack trace",
    "[-]",
    "level=",
    '"level":5',
    '"level":6',
    "***",
    *("fehler", "fehlgeschlagen", "erreur", "fallo", "errore"),
    # Marks of test runners that use none of the words above.
    *(
        "(x)",
        " [e]",
        "[unittest]",
        "xpass",
        ") test",
        "test#test_",
        "test::test",
        "(in test file",
        " condition:",
    ),
    *("rspec ./", "cucumber features", "crystal spec ", "not satisfied", "testfailed"),
    # The same of compilers, shells and data bases.
    *("npm error", "not in scope", "unbound", "halted", "attempt to ", "explicit package", "no rule to"),
    *("went wrong", "not recognized", "ora-", "definitely lost"),
    # What a run says that went wrong without a word of error: numbers that are none, figures that fell.
    *(
        "=nan",
        ": nan",
        ":nan",
        "=-nan",
        "=inf",
        "=-inf",
        ": inf ",
        ": inf,",
        ": -inf",
        "regressed",
        "degraded",
    ),
    *("sigabrt", "sigsegv", "sigkill", "sigbus", "sigill", "sigfpe"),
)

# The same in letters beyond ASCII; looked for only where a text has such letters.
WIDE_TRIGGERS = (
    "✗",
    "✘",
    "✖",
    "×",
    "❌",
    "✕",
    "⨯",
    "échec",
    "ошибка",
    "错误",
    "失败",
    "錯誤",
    "失敗",
    "エラー",
    "例外",
    "오류",
    "실패",
    " › ",
)

ERROR_WORDS = (
    r"[a-z_.$:]*(?:error|exception)s?|err!|eror|fail(?:s|ed|ure|ures|ing)?|fatal|panic(?:ked|s)?|traceback"
    r"|abort(?:ed|ing|s)?|segfault(?:ed)?|segmentation fault|core dumped|crash(?:ed|es)?|killed"
    r"|uncaught|unhandled"
    r"|undefined (?:reference|symbol|variable|method|function)s?|(?:is|are|function \S{1,80}) undefined"
    r"|unresolved (?:external|reference|symbol|import|module|name|identifier|inclusion|include|dependenc)\w*"
    r"|not ok|assertion|assert(?:ed)?!?:|not satisfied|not in scope|unbound[ -](?:\w+-)?(?:identifier"
    r"|variable|value|module|constructor|type)|execution halted"
    r"|attempt to (?:call|index|perform|compare|concatenate)"
    r"|explicit package name|no rule to make|went wrong|not recognized|ora-\d{4,5}|definitely lost"
    r"|sig(?:abrt|segv|kill|bus|ill|fpe)"
    r"|no such file|command not found|module not found|out of memory|timed out|refused|corrupt(?:ed|ion)?"
    r"|(?:could not|couldn't|cannot|can't|unable to) \w+|permission denied|syntax error|mismatch(?:ed|es)?"
    r"|i/o timeout|timeout (?:exceeded|expired|reached|waiting|after)|expired|unavailable"
    r"|no space left|deadlock"
    r"|read-only file system|too many open files|operation not permitted"
    r"|fehler|fehlgeschlagen|erreur|échec|fallo|errore|ошибка|\S*(?:错误|失败|錯誤|失敗|エラー|例外|오류|실패)\S*"
    r"|[✗✘✖❌✕⨯]"
)
WARNING_WORDS = (
    r"warn|warning|warnings|[a-z]*warning|deprecat(?:ed|ion|ions)|not found|unexpected|invalid"
    r"|missing|illegal"
    r"|unknown|expected|conflicts?|violations?|broken|leak(?:s|ed)?|overfull|underfull|rejected"
    r"|unreachable|offenses?|unresolved|regressed|degraded|denied"
)
NOTICE_WORDS = (
    r"unauthorized|forbidden|vulnerabilit(?:y|ies)|security|critical|todo|fixme|retry(?:ing)?"
    r"|time-?out"
)

# What takes the sting out of a word; removed from the line before words count.
# The first of the two only where the line holds a "=".
BENIGN_VALUES = (
    r"[\w.]*(?:error|exception|warning|fail|assert)[\w.]*\s?(?:=>|:=)\s?(?:no value|off|on|true|false"
    r"|null|\d+)\b"
    r"|[\w.]*(?:error|exception|warning|fail|assert)[\w.]*\s?=\s?(?:off|on|0|true|false|null|none)\b"
)
BENIGN = (
    # What a verb of progress speaks of is a name, whatever words are in it.
    r"^\s*(?:compil|check|download|install|collect|fetch|unpack|build|add|copy|creat|extract|inflat|link)"
    r"ing:? \S+"
    r"|(?:^|[\s,;(|])\d+ unresolved (?!external)\w+|unresolved(?: \w+)?: \d+"
    r"|license exception|\b(?:0|no|zero|any|without(?: any)?|on|if|in case of|ignore|ignoring|allowed"
    r"|expected|handle|handles)"
    r" (?:\w+ )?(?:errors?|failures?|failed|failing|warnings?|exceptions?|problems?|issues?|crash|unexpected"
    r"|leaks?|bytes definitely lost)\b"
    r"|\bexceptions?['\"]?\s?[:=]\s?0\b(?!\.)"
    r"|\b(?:unexpected |fail_?on_?)?(?:errors?|fail|failures?|failed|failing|warn|warnings?|aborted|crashed"
    # Written so that most lines with a colon need not be asked: a 0 stands right behind it or a blank.
    r"|lost|problems?)['\"]?(?:\s?(?:[:=]0\b(?!\.)|[:=]\s{0,7}\s0\b(?!\.)"
    r"|[:=]\s{0,8}(?:none|off|false|null)\b(?=\s*$|[,;)|]))| 0\b(?!\.))"
    # A field that holds nothing.
    r"|\w{0,40}(?:errors?|exceptions?|fail(?:ed|ures?)?|warnings?|err)(?:_?(?:message|msg|text|reason|code))?['\"]?\s?[:=]\s{0,3}"
    r"(?:\"\"|''|\[\]|\{\}|<nil>|n/a\b)"
    r"|\w{0,40}(?:errors?|fail(?:ed|ures?)?|warnings?|err)(?:_?(?:message|msg|text|reason|code))?['\"]?\s?[:=]\s{0,3}"
    r"(?:none|null|nil|false)\b(?=\s*$|[,;)|}\]])"
    r"|\bmax_?\w{0,12}(?:errors?|failures?)"
    r"|\b(?:error|exception|failure|warning|crash)s?[ -](?:handl\w+|report\w*|recover\w*|messages?"
    r"|pages?|codes?|class\w*"
    r"|log(?:s|ger|ging)?|types?|boundar\w+|track\w+|rates?|modes?|tolerance|safe\w*|free|prone|output"
    r"|stream)\b"
    r"|\b(?:fail[- ](?:fast|safe|over)|failover|failsafe|errors only|dead ?lock free|unknown-linux"
    r"|deprecation policy)\b"
)
