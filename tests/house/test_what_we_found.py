"""Every number in "What we found" stands in a table that the same passage links to."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "what-we-found.md"
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
# A number, with the sign for per cent if it has one.
NUMBER = re.compile(r"(?<![\w.])(\d*\.\d+|\d+)( %)?(?![\w.]*\w)")
# Names with digits in them, and numbers that are settings or refer to claims and levels.
NAMES = re.compile(
    r"`[^`]*`|C4\.5|\bF\d+\b|\bH[01]\b|CIFAR-10|AVX-512|ImageNet\d+|1/\(nu n\)|1/C|1/\d+|"
    r"(claims?|Section|Claims?) \d+( and \d+)?|\b[A-Za-z_]+ = \d+|at 5 %|AdaBoost\.M2"
)


def passages(text):
    """Rows of tables, items of lists and paragraphs, heads and rules left out."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if lines[0].startswith("#"):
            continue
        if lines[0].startswith("|"):
            found += [line for line in lines[2:] if not line.startswith("|---")]
        else:
            found += re.split(r"\n(?=- )", block)
    return found


def numbers(passage):
    """The numbers of a passage: as printed, and whether they are per cent."""
    plain = LINK.sub("]", re.sub(r"^\| *\d+ *\|", "|", passage))
    return [(text, bool(sign)) for text, sign in NUMBER.findall(NAMES.sub(" ", plain))]


def tables(passage, page=PAGE):
    """The texts of the result files that a passage links to."""
    links = [link for link in LINK.findall(passage) if link.endswith((".md", ".csv"))]
    files = [(page.parent / link).resolve() for link in links if "results/" in link]
    return "\n".join(file.read_text() for file in files)


def stands_in(number, percent, text):
    """Whether some number of the text, rounded as this one is, reads the same."""
    decimals = len(number.partition(".")[2])
    half = 0.5 * 10**-decimals + 1e-9 if decimals or percent else 1e-9
    shown = re.findall(r"-?\d*\.?\d+(?: %)?", text)
    return any(
        abs(abs(float(one.removesuffix(" %"))) - float(number)) <= half
        for one in shown
        if one.endswith(" %") == percent
    )


PASSAGES = [(k, one) for k, one in enumerate(passages(PAGE.read_text())) if numbers(one)]


@pytest.mark.parametrize(("place", "passage"), PASSAGES, ids=lambda one: str(one)[:50])
def test_every_number_stands_in_a_table_that_the_passage_links_to(place, passage):
    text = tables(passage)
    assert text, f"the passage has numbers and links to no table: {passage}"
    missing = [
        number for number, percent in numbers(passage) if not stands_in(number, percent, text)
    ]
    assert not missing, f"{missing} are in none of the linked tables: {passage}"


def test_most_of_the_page_is_checked():
    assert sum(len(numbers(passage)) for _, passage in PASSAGES) > 100


def test_a_number_that_is_in_no_table_is_found():
    text = "| kNN | 0.907 | 83.1 % | 14 |"
    assert stands_in(".907", False, text)
    assert stands_in(".91", False, text)
    assert not stands_in(".908", False, text)
    assert stands_in("83", True, text)
    assert not stands_in("83", False, text)
    assert not stands_in("84", True, text)
    assert not stands_in("15", False, text)


def test_names_are_no_numbers_and_numbers_are_not_lost():
    line = "| 3 | with C4.5 (F11) claim 7: .85 and 12.5 %, 1.5 to 2.7 times, `--jobs 2` |"
    assert numbers(line) == [(".85", False), ("12.5", True), ("1.5", False), ("2.7", False)]
