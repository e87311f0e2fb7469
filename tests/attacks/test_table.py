"""The documentation's table of attacks names every kind, with none that got through."""

import re
from pathlib import Path

from tests.attacks import (
    clocks,
    files,
    forgeries,
    fronts,
    models,
    tally,
    test_names,
    test_workers,
)

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "withstands.md"


def kinds():
    """The names of all tallies in the modules of attacks."""
    for module in (clocks, files, forgeries, fronts, models, test_names, test_workers):
        text = Path(module.__file__).read_text(encoding="utf-8")
        yield from re.findall(r'Tally\("(.*?)"\)', text)


def test_every_kind_of_attack_is_in_the_table_and_none_got_through():
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- attacks -->")[2].partition("<!-- end -->")[0]
    rows = dict(re.findall(r"^\| (.*?) \| [\d,]+ \| (\d+) \|$", table, re.M))
    assert set(kinds()) == set(rows)
    assert set(rows.values()) == {"0"}


def test_by_night_the_seed_is_another_and_by_day_the_same():
    assert tally.seed({}) == tally.seed({}) == 31
    nightly = {"LEXIPROG_PROFILE": "nightly"}
    assert tally.seed(nightly) != tally.seed(nightly)
    assert tally.seed(nightly | {"LEXIPROG_ATTACK_SEED": "5"}) == 5
