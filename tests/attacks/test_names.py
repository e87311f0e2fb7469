"""Names that would act upon a terminal or a page are shown and not obeyed."""

import html
import json
import re
import unicodedata
import warnings

import cvxpy as cp
import pytest

import lexiprog as lx
from tests.attacks.tally import Tally

NASTY = [
    "<!--<script>", "</script><script>alert(1)</script>", "a\x1b[2Jb", "evil\u202etxt.exe", "\x07",
    "a\u2066b\u2069", "]]>", "<img src=x onerror=alert(1)>", "&lt;", "'\"`", "a\r\nb", "\x9b31m",
    "\u200bzero", "x\ufeff", "{braces}", "%s %d", "\\u202e",
]  # fmt: skip
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def names(rng, count):
    """Nasty names, and random mixtures of them."""
    pieces = [*NASTY, "x", "cost", " ", "ä", "<", ">", "\x00", "\u2028"]
    mixtures = ["".join(rng.choices(pieces, k=rng.randrange(1, 4))) for _ in range(count)]
    return [name for name in dict.fromkeys([*NASTY, *mixtures]) if name.strip()]


def program(first, second):
    x = cp.Variable(2, nonneg=True, name="x")
    levels = {first: cp.Minimize(x[0] + 2 * x[1]), second: cp.Minimize(cp.abs(x[0] - x[1]))}
    return lx.preemptive(levels, [cp.sum(x) >= 4])


def unseen(text):
    return [letter for letter in text if letter != "\n" and unicodedata.category(letter) in UNSEEN]


def texts(first):
    """Everything that is printed of a program with such a name."""
    made = program(first, "last")
    result = made.solve()
    yield str(made), repr(made), repr(result), str(result[first]), str(lx.tradeoff(made, first))
    yield str(lx.explore(made)), str(lx.compare_solvers(made, ["HIGHS"]))
    for ask in (lambda: result[first + "?"], lambda: made[first + "?"]):
        try:
            ask()
        except KeyError as error:
            yield (str(error),)
    x, least = cp.Variable(name=first), cp.Parameter(name=first)
    told = lx.Progress(first, first, "HIGHS", 0.0, None, None, finished=False)
    yield str(told), repr(lx.preemptive({first: cp.Minimize(x)}, [x >= least]).compile([least]))
    try:
        lx.preemptive({first: cp.Minimize(x)}, [x >= 1, x <= 0]).solve()
    except lx.StageError as error:
        yield str(error), *(part.text for part in error.conflict)


def attack(count):
    tally = Tally("names that act upon terminals and pages")
    for name in names(tally.rng, count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for some in texts(name):
                for text in some:
                    tally.note(not unseen(text), f"{name!r}: {text!r:.200}")
            page = lx.explore(program(name, "last"))._repr_html_()
        data = re.search(r"const DATA = (.*?);\n", html.unescape(page), re.S)[1]
        tally.note(not unseen(page.replace("\t", "")), f"{name!r} in a page")
        tally.note("<" not in data, f"{name!r} in a script: {data[:100]!r}")
        known = json.loads(data)["levels"][0]["name"]
        known = known.replace("\r", "").replace("\t", "")  # which browsers show as spaces
        tally.note(not unseen(known), f"{name!r} in a script, as {known!r}")
    return tally


def test_no_name_acts_upon_a_terminal_or_a_page():
    attack(5).check()


@pytest.mark.nightly
def test_no_name_of_many_acts_upon_a_terminal_or_a_page():
    attack(200).check()


def test_a_name_that_looks_like_a_script_leaves_the_explorer_whole(tmp_path):
    lx.explore(program("<!--<script>", "</script>")).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<!--" not in page
    assert "\\u003c!--\\u003cscript>" in page
    assert page.count("<script") == page.count("</script>") == 1
