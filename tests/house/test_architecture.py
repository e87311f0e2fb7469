"""The layers of both packages, enforced: imports point to earlier rows only."""

from pathlib import Path

import pytest

import lexiprog
from tests.house.layers import circles, relative, sources, unplaced, wrong_way
from tests.house.source_rules import (
    forbidden_attributes,
    forbidden_imports,
    forbidden_words,
    private_use,
    too_long,
)

# A module may import modules of earlier rows only, and of its own row if both share a folder.
# Patterns are tried from the top, so a file can be placed above the rest of its folder.
ENGINE_ROWS = [
    ["errors", "outline", "cones", "evaluate", "progress", "frozen", "readable"],
    ["display/*"],
    ["certificate", "checks", "store", "lockrecord", "comparison"],
    ["solution"],
    ["recall"],
    ["result", "reference", "solver", "canonical", "highs"],
    ["subproblem"],
    ["stage"],
    ["describe"],
    ["locks/argument"],
    ["locks/value"],  # which form of a problem is compiled
    ["compile"],
    ["custom", "judge", "warm", "polish"],
    ["locks/price", "locks/face"],
    ["locks/chains", "locks/record"],
    ["relax"],
    ["failure", "adopt"],
    ["execute"],
    ["program"],
    ["formulations/levels"],
    ["formulations/leximin", "formulations/goals"],
    ["formulations/preemptive", "formulations/minimax_regret"],
    ["tradeoff"],
    ["compare"],
    ["plots/canvas"],
    ["plots/*"],
]
ENGINE_ONLY = {"display/*": ["outline"]}

BOOST_ROWS = [
    ["rows", "sample_weights", "metrics", "datasets/*"],
    ["margins", "margins/*"],
    ["learners/*"],
    ["programs/*"],
    ["reductions/*"],
    ["pools/*"],
    ["weights/*"],
    ["classifiers/*"],
    ["plots/canvas"],
    ["plots/*"],
    ["experiments/contenders", "experiments/facts", "experiments/store"],
    ["experiments/cells", "experiments/run"],
    ["experiments/studies"],
    ["experiments/measure"],
    ["experiments/choose", "experiments/paper", "experiments/markdown"],
    ["experiments/statistics"],
    ["experiments/tables/*"],
    ["experiments/figures/sheet"],
    ["experiments/figures/*"],
    ["experiments/report"],
    ["experiments/__main__"],
]

# The one module that knows how CVXPY works inside, and what that means.
INSIDE_CVXPY = "canonical"
CVXPY_INTERNALS = ["cvxpy.reductions"]
CVXPY_INTERNAL_CALLS = ["get_problem_data", "solve_via_data"]

ENGINE_NEVER_IMPORTS = ["lexiprog_boost", "sklearn"]
ENGINE_NEVER_SAYS = ["boost", "classifier", "margin"]
LONGEST_FILE = 250

ROOT = Path(__file__).parents[2]
ENGINE = sources(ROOT / "lexiprog")
BOOST = sources(ROOT / "lexiprog_boost")


def outside_canonical() -> dict[str, str]:
    return {module: source for module, source in ENGINE.items() if module != INSIDE_CVXPY}


CLAIMS = {
    "every engine module has its place": lambda: unplaced(ENGINE, ENGINE_ROWS),
    "every boost module has its place": lambda: unplaced(BOOST, BOOST_ROWS),
    "the engine imports earlier rows only": lambda: wrong_way(
        "lexiprog", ENGINE, ENGINE_ROWS, ENGINE_ONLY
    ),
    "boost imports earlier rows only": lambda: wrong_way("lexiprog_boost", BOOST, BOOST_ROWS),
    "no imports go in a circle": lambda: (
        circles("lexiprog", ENGINE) + circles("lexiprog_boost", BOOST)
    ),
    "imports are written in full": lambda: relative(ENGINE) + relative(BOOST),
    "one module imports the inside of cvxpy": lambda: forbidden_imports(
        outside_canonical(), CVXPY_INTERNALS
    ),
    "one module calls the inside of cvxpy": lambda: forbidden_attributes(
        outside_canonical(), CVXPY_INTERNAL_CALLS
    ),
    "the engine imports no application": lambda: forbidden_imports(ENGINE, ENGINE_NEVER_IMPORTS),
    "the engine speaks of no application": lambda: forbidden_words(ENGINE, ENGINE_NEVER_SAYS),
    "boost uses public names of the engine": lambda: private_use(
        BOOST, "lexiprog", [*lexiprog.__all__, "__version__"]
    ),
    "files are short": lambda: too_long(ENGINE, LONGEST_FILE) + too_long(BOOST, LONGEST_FILE),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim_holds(claim):
    complaints = CLAIMS[claim]()
    assert not complaints, f"{claim}, but:\n" + "\n".join(complaints)


ROWS = [["low"], ["peer", "other"], ["folder/first"], ["folder/*"], ["high"]]
AROUND = dict.fromkeys(["__init__", "low", "peer", "other", "folder/a", "high"], "")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("low", "from pkg.high import thing"),
        ("low", "import pkg.high"),
        ("low", "def late():\n    from pkg import high"),
        ("low", "from pkg import high as h"),
        ("low", "import pkg"),
        ("low", "from pkg import Name"),
        ("low", "from pkg.folder import a"),
        ("low", "from pkg.missing import thing"),
        ("peer", "from pkg.other import thing"),
        ("folder/first", "from pkg.folder.a import thing"),
        ("folder/__init__", "from pkg.high import thing"),
        ("low", "if TYPE_CHECKING:\n    pass\nelse:\n    import pkg.high"),
    ],
)
def test_an_import_that_points_up_is_found(module, source):
    assert wrong_way("pkg", {**AROUND, module: source}, ROWS)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("high", "from pkg.folder.a import thing\nimport pkg.low"),
        ("high", "import numpy\nfrom pkgs import high"),
        ("folder/b", "from pkg.folder.a import thing"),
        ("folder/__init__", "from pkg.folder.a import thing"),
        ("__init__", "from pkg.high import thing"),
        ("low", "if TYPE_CHECKING:\n    from pkg.high import Thing"),
    ],
)
def test_an_import_that_points_down_is_left_alone(module, source):
    assert not wrong_way("pkg", {**AROUND, module: source}, ROWS)


def test_a_module_bound_to_one_neighbour_may_not_import_another():
    modules = {**AROUND, "high": "import pkg.low\nimport pkg.peer"}
    assert wrong_way("pkg", modules, ROWS, {"high": ["peer"]}) == [
        "high:1: imports low, but may import only peer"
    ]


def test_a_circle_inside_a_folder_is_found():
    modules = {"folder/a": "import pkg.folder.b", "folder/b": "from pkg.folder import a"}
    assert len(circles("pkg", modules)) == 1
    assert not circles("pkg", modules | {"folder/b": ""})


def test_a_new_module_must_be_placed():
    assert unplaced({"__init__": "", "low": "", "new/__init__": "", "novel": ""}, ROWS) == [
        "novel: not in any row; place it where its imports allow"
    ]


@pytest.mark.parametrize(
    "source",
    ["import a.b", "from a import b", "from a.b.c import d", "def f():\n    import a.b.c"],
)
def test_a_forbidden_import_is_found(source):
    assert forbidden_imports({"m": source}, ["a.b"])
    assert not forbidden_imports({"m": source}, ["a.bc", "b"])


@pytest.mark.parametrize(
    "source",
    [
        "import pkg.inner",
        "from pkg.inner import Public",
        "from pkg import Hidden",
        "import pkg\npkg.hidden()",
        "import pkg as p\ndef f():\n    return p.inner.Public",
    ],
)
def test_use_of_a_private_name_is_found(source):
    assert private_use({"m": source}, "pkg", ["Public"])
    assert not private_use({"m": "import pkg as p\np.Public.x"}, "pkg", ["Public"])


def test_words_calls_relative_imports_and_long_files_are_found():
    assert forbidden_words({"m": "x = 1\n# the Margin"}, ["margin"]) == ["m:2: says 'Margin'"]
    assert forbidden_attributes({"m": "problem.inside()"}, ["inside"]) == ["m:1: uses .inside"]
    assert relative({"m": "from . import other"}) == ["m:1: relative import"]
    assert too_long({"m": "x\n" * 3}, 2) == ["m: 3 lines, at most 2"]
