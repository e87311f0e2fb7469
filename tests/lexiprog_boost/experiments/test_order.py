"""The rooms of the experiments, in the order in which a study passes through them."""

from fnmatch import fnmatchcase
from pathlib import Path

from tests.house.layers import edges, sources

# As the package's docstring has it; patterns are tried from the top.
ROWS = [
    ["__init__", "*/__init__"],
    ["cells/shared_trees"],
    ["cells/contenders", "cells/facts", "cells/store"],
    ["cells/*"],
    ["study"],
    ["loading"],
    ["studies"],
    ["measure"],
    ["report/markdown", "report/paper", "report/results"],
    ["report/statistics"],
    ["report/tables/*"],
    ["report/figures/*"],
    ["report/overview", "report/writing"],
    ["__main__"],
]
BOOST = sources(Path(__file__).parents[3] / "lexiprog_boost")


def row(module):
    inside = module.removeprefix("experiments/")
    return next(k for k, names in enumerate(ROWS) if any(fnmatchcase(inside, n) for n in names))


def is_inside(module):
    return module.startswith("experiments/")


def is_wrong(one, other):
    same_row = row(other) == row(one)
    return row(other) > row(one) or (same_row and Path(one).parent != Path(other).parent)


def test_every_import_inside_the_experiments_points_to_an_earlier_row_or_its_own_folder():
    found = [edge[:2] for edge in edges("lexiprog_boost", BOOST) if all(map(is_inside, edge[:2]))]
    assert len(found) > 50
    assert [f"{one} imports {other}" for one, other in found if is_wrong(one, other)] == []


def test_nothing_else_imports_the_experiments():
    importers = {one for one, other, _ in edges("lexiprog_boost", BOOST) if is_inside(other)}
    assert [one for one in importers if not is_inside(one)] == []
