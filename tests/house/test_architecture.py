"""The layers, enforced: imports point to the same package or to earlier layers."""

from pathlib import Path

import pytest

import lexiprog
from tests.house import packages
from tests.house.layers import circles, relative, sources, unplaced, wrong_way
from tests.house.packages import Package
from tests.house.source_rules import (
    changed_behind_the_scenes,
    class_names_compared,
    forbidden_attributes,
    forbidden_imports,
    forbidden_words,
    namesakes,
    private_fields,
    private_use,
    sentences_read,
    twice,
)

# The one door to how CVXPY works inside, and what that means.
INSIDE_CVXPY = "cvxpy_adapter/"
CVXPY_INTERNALS = ["cvxpy.reductions", "cvxpy.settings", "cvxpy.problems", "cvxpy.atoms"]
CVXPY_INTERNAL_CALLS = ["get_problem_data", "solve_via_data", "_cache", "_construct_chain"]
# Private fields of CVXPY's objects, and the one module beside the door that may name them.
CVXPY_PRIVATE = ["_callback", "_parent", "_validate_value", "_value"]
BESIDE_THE_ADAPTER = "model/expressions"

ENGINE_NEVER_IMPORTS = ["lexiprog_boost", "sklearn"]
ENGINE_NEVER_SAYS = ["boost", "classifier", "margin"]

ROOT = Path(__file__).parents[2]
ENGINE = sources(ROOT / "lexiprog")
BOOST = sources(ROOT / "lexiprog_boost")


def outside_the_adapter() -> dict[str, str]:
    return {
        module: source for module, source in ENGINE.items() if not module.startswith(INSIDE_CVXPY)
    }


CLAIMS = {
    "every engine module has its place": lambda: unplaced(ENGINE, packages.ENGINE),
    "every boost module has its place": lambda: unplaced(BOOST, packages.BOOST),
    "the engine imports earlier layers only": lambda: wrong_way(
        "lexiprog", ENGINE, packages.ENGINE
    ),
    "boost imports earlier layers only": lambda: wrong_way("lexiprog_boost", BOOST, packages.BOOST),
    "no module is called like a function it defines": lambda: namesakes(ENGINE) + namesakes(BOOST),
    "no class stands for two things": lambda: twice(
        ENGINE | {f"boost/{m}": s for m, s in BOOST.items()}
    ),
    "no imports go in a circle": lambda: (
        circles("lexiprog", ENGINE) + circles("lexiprog_boost", BOOST)
    ),
    "imports are written in full": lambda: relative(ENGINE) + relative(BOOST),
    "one module imports the inside of cvxpy": lambda: forbidden_imports(
        outside_the_adapter(), CVXPY_INTERNALS
    ),
    "one module calls the inside of cvxpy": lambda: forbidden_attributes(
        outside_the_adapter(), CVXPY_INTERNAL_CALLS
    ),
    "private fields of cvxpy have one place beside": lambda: private_fields(
        {m: s for m, s in outside_the_adapter().items() if m != BESIDE_THE_ADAPTER}, CVXPY_PRIVATE
    ),
    "the engine imports no application": lambda: forbidden_imports(ENGINE, ENGINE_NEVER_IMPORTS),
    "the engine speaks of no application": lambda: forbidden_words(ENGINE, ENGINE_NEVER_SAYS),
    "boost uses public names of the engine": lambda: private_use(
        BOOST, "lexiprog", [*lexiprog.__all__, "__version__"]
    ),
    "classes are recognised by type": lambda: class_names_compared(ENGINE),
    "nothing reads a sentence": lambda: sentences_read(ENGINE) + sentences_read(BOOST),
    "nothing is changed through __dict__": lambda: (
        changed_behind_the_scenes(ENGINE) + changed_behind_the_scenes(BOOST)
    ),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim_holds(claim):
    complaints = CLAIMS[claim]()
    assert not complaints, f"{claim}, but:\n" + "\n".join(complaints)


ROWS = [
    [Package("low", "", "")],
    [Package("peer other", "", ""), Package("sibling", "", "")],
    [Package("folder/", "", "")],
    [Package("high", "", "")],
]
AROUND = dict.fromkeys(["__init__", "low", "peer", "other", "sibling", "folder/a", "high"], "")


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
        ("peer", "from pkg.folder.a import thing"),
        ("peer", "from pkg.sibling import thing"),
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
        ("peer", "from pkg.other import thing"),
        ("__init__", "from pkg.high import thing"),
        ("low", "if TYPE_CHECKING:\n    from pkg.high import Thing"),
    ],
)
def test_an_import_that_points_down_is_left_alone(module, source):
    assert not wrong_way("pkg", {**AROUND, module: source}, ROWS)


def test_the_complaint_says_where_the_module_may_go():
    modules = {**AROUND, "low": "import pkg.folder.a", "high": "import pkg.low"}
    (complaint,) = wrong_way("pkg", modules, ROWS)
    assert complaint == (
        "low:1 imports folder/a, which is no earlier layer (folder/). By what it imports and who "
        "imports it, it may stand in: folder/, high."
    )
    (complaint,) = wrong_way("pkg", modules | {"high": "", "other": "import pkg.low"}, ROWS)
    assert complaint.endswith("split it, or let it be handed what it needs.")


def test_a_circle_inside_a_folder_is_found():
    modules = {"folder/a": "import pkg.folder.b", "folder/b": "from pkg.folder import a"}
    assert len(circles("pkg", modules)) == 1
    assert not circles("pkg", modules | {"folder/b": ""})


def test_a_new_module_must_be_placed():
    assert unplaced({"__init__": "", "low": "", "novel": ""}, ROWS) == [
        "novel belongs to no package; the packages, in order, are: "
        "low, peer other, sibling, folder/, high"
    ]


def test_namesakes_and_twins_are_found():
    assert namesakes({"folder/solve": "def solve(): ...", "folder/other": "class solve: ..."}) == [
        "folder/solve defines a function of its own name"
    ]
    assert twice({"a": "class X: ...", "b": "class X: ...", "c": "class Y: ..."}) == [
        "X is defined in a and b"
    ]
    types = {"a": "class Face: ...\nYes = Face", "b": "Face: TypeAlias = int", "c": "Yes = int"}
    assert twice(types) == ["Face is defined in a and b"]


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


@pytest.mark.parametrize(
    "source",
    [
        "type(x).__name__ == 'Sum'",
        "'Sum' != x.__class__.__name__",
        "kind = type(x).__name__",
        "TABLE[type(x).__name__]",
    ],
)
def test_a_class_recognised_by_its_name_is_found(source):
    assert class_names_compared({"m": source})
    assert not class_names_compared({"m": "f'{type(x).__name__} is odd'\nisinstance(x, Sum)"})


@pytest.mark.parametrize(
    "source",
    ["answer.said.startswith('x')", "str(error).partition(':')", "'dual(' in reference.label"],
)
def test_a_sentence_that_is_read_is_found(source):
    assert sentences_read({"m": source})
    assert not sentences_read(
        {"m": "f'{answer.said}'\n' '.join(str(error).split())\nkind in KINDS"}
    )


@pytest.mark.parametrize(
    "source",
    ["x.__dict__['a'] = 1", "x.__dict__.update(a=1)", "vars(x)['a'] = 1", "del x.__dict__['a']"],
)
def test_a_change_through_the_dict_is_found(source):
    assert changed_behind_the_scenes({"m": source})
    assert not changed_behind_the_scenes({"m": "state = {**x.__dict__}\nx.__dict__['a']"})


def test_words_calls_and_relative_imports_are_found():
    assert forbidden_words({"m": "x = 1\n# the Margin"}, ["margin"]) == ["m:2: says 'Margin'"]
    assert forbidden_attributes({"m": "problem.inside()"}, ["inside"]) == ["m:1: uses .inside"]
    assert private_fields({"m": "getattr(leaf, '_value')"}, ["_value"])
    assert private_fields({"m": "leaf._value = 1"}, ["_value"]) == ["m:1: knows _value"]
    assert not private_fields({"m": "self._value = leaf.value"}, ["_value"])
    assert relative({"m": "from . import other"}) == ["m:1: relative import"]
