"""The modules of the experiments, in the order in which a study passes through them."""

from pathlib import Path

from tests.house.layers import edges, sources

# As the package's docstring has it: a module imports earlier rows only.
ROWS = [
    ["__init__", "markdown"],
    ["methods"],
    ["cell"],
    ["study"],
    ["studies", "measure", "results"],
    ["statistics"],
    ["score_tables", "model_tables"],
    ["rank_tables", "figures"],
    ["writing"],
    ["__main__"],
]
BOOST = sources(Path(__file__).parents[3] / "lexiprog_boost")


def row(module):
    return next(k for k, names in enumerate(ROWS) if module.removeprefix("experiments/") in names)


def is_inside(module):
    return module.startswith("experiments/")


def test_every_import_inside_the_experiments_points_to_an_earlier_row():
    inside = [edge[:2] for edge in edges("lexiprog_boost", BOOST) if all(map(is_inside, edge[:2]))]
    assert len(inside) > 30
    wrong = [(importer, module) for importer, module in inside if row(module) >= row(importer)]
    assert [f"{importer} imports {module}" for importer, module in wrong] == []


def test_nothing_else_imports_the_experiments():
    importers = {one for one, other, _ in edges("lexiprog_boost", BOOST) if is_inside(other)}
    assert [one for one in importers if not is_inside(one)] == []
