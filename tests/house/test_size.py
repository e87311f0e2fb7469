"""The code stays within `size_limits.py`, and `.ci/house.py` measures what it says."""

import importlib.util
from pathlib import Path

import pytest

from tests.house.size_limits import EXCEPTIONS, LAZY, LIMITS

_SPEC = importlib.util.spec_from_file_location("house", Path(__file__).parents[2] / ".ci/house.py")
house = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(house)


@pytest.fixture(scope="module")
def measured():
    figures, places = house.read()
    walked = house.walked("engine")
    return figures | {f"engine: {name}": number for name, number in walked.items()}, places


@pytest.mark.parametrize("figure", [name for name in LIMITS if LIMITS[name].limit is not None])
def test_the_code_has_not_grown(measured, figure):
    now, limit = measured[0][figure], LIMITS[figure].limit
    assert now <= limit, f"{figure}: {now:,}, and at most {limit:,} are allowed; see `make house`"


@pytest.mark.parametrize("figure", LIMITS)
def test_a_limit_never_falls_below_its_goal(figure):
    limit, goal = LIMITS[figure]
    assert limit is None or goal is None or limit >= goal


@pytest.mark.parametrize("kind", EXCEPTIONS)
def test_what_breaks_a_rule_of_shape_is_a_named_exception(measured, kind):
    found = measured[1][kind]
    allowed = {place for places in EXCEPTIONS[kind].values() for place in places.split()}
    novel = [f"{place} ({found[place]})" for place in sorted(found.keys() - allowed)]
    assert not novel, f"{kind} that are no named exceptions:\n" + "\n".join(novel)
    stale = sorted(allowed - found.keys())
    assert not stale, "exceptions that are not needed any more:\n" + "\n".join(stale)


def early(loaded, lazy):
    return [m for m in loaded if any(f"{m}.".startswith(f"{name}.") for name in lazy)]


@pytest.mark.parametrize("package", LAZY)
def test_importing_a_package_leaves_the_optional_ones_alone(package):
    loaded = house.loaded(package)
    assert package in loaded
    found = early(loaded, LAZY[package])
    assert not found, f"`import {package}` loads " + ", ".join(found)


def test_what_is_loaded_too_early_is_found():
    assert early(["a.plots", "a.plots.inner", "a.plotser", "a"], ["a.plots"]) == [
        "a.plots",
        "a.plots.inner",
    ]


SOURCE = '''"""A docstring
of two lines."""

import os
from a import (
    b,
)

# A comment alone.
text = """not a docstring

but code"""


class Kind:
    """A docstring."""

    def method(self, x):  # counted
        """One more."""
        if x and self or os:
            return [y for y in x if y]

        def inner():
            while x:
                pass
            else:
                return b
        return inner
'''


def test_lines_of_code_leave_out_blanks_comments_and_docstrings():
    assert house.code_lines(SOURCE) == 4 + 2 + 1 + 1 + 2 + 5 + 1
    assert house.import_lines(SOURCE) == 4
    assert house.sizes({"__init__": "import a\n", "folder/m": "x = 1\n"}) == {
        "modules": 1,
        "lines of code": 2,
        "import lines, %": 50.0,
    }


def test_complexity_counts_branches_conditions_and_comprehensions():
    found = {name: house.complexity(node) for name, node in house.functions(house.parsed(SOURCE))}
    # method: 1, if, and, or, the comprehension and its condition; inner: 1, while, its else.
    assert found == {"Kind.method": 6, "Kind.method.inner": 3}


def test_long_functions_and_files_are_found():
    body = '    """Docstring."""\n' + "    x = 1\n" * 59
    assert not house.beyond("pkg", {"m": "def f():\n" + body})["long functions"]
    longer = house.beyond("pkg", {"m": "def f():\n" + body + "    y = 1\n"})
    assert longer["long functions"] == {"pkg/m.py:f": 61}
    files = {"m": "x = 1\n" * 601, "n": "x = 1\n" * 600}
    assert house.beyond("pkg", files)["long files"] == {"pkg/m.py": 601}
    branches = "def f(x):\n" + "    if x: pass\n" * 15
    assert house.beyond("pkg", {"m": branches})["complex functions"] == {"pkg/m.py:f": 16}


def test_a_small_module_with_one_importer_is_found():
    modules = {"a": "", "b": "x\n" * 80, "c": "", "d": "import pkg.a, pkg.b, pkg.c"}
    assert house.small_modules("pkg", modules | {"e": "import pkg.c"}) == {"a": 0}
    assert house.small_modules("pkg", modules) == {"a": 0, "c": 0}


def test_a_walk_counts_named_functions_that_are_called():
    code = "import cvxpy, lexiprog\nlexiprog.Subproblem('p', cvxpy.Minimize(cvxpy.Variable()))"
    called = house.walk(code)
    assert "Subproblem.__init__" in {function.co_qualname for function in called}
    assert not [function for function in called if function.co_name.startswith("<")]
    assert not house.walk("import lexiprog.plots, lexiprog.contrib.pydvl")


def test_what_tests_know_of_the_inside_is_counted():
    knowing = (
        "from lexiprog.solve.held import _price, held\n"
        "def test(monkeypatch):\n    monkeypatch.setattr(held, 'x', 1)\n"
    )
    public = "import lexiprog as lx\nfrom lexiprog.plots import sweep\n"
    assert house.in_tests({"a/test_x": knowing, "helper": knowing, "test_y": public}) == {
        "monkeypatch.setattr": 2,
        "underscore names imported": 2,
        "test files that import internals": 1,
    }


def test_the_table_is_aligned_and_shows_what_is_missing():
    rows = house.table({"engine: modules": 1, "duplicates, pairs": "no such command"}).splitlines()
    limit, goal = LIMITS["engine: modules"]
    assert rows[1].split() == ["engine:", "modules", "1", str(limit), str(goal)]
    assert rows[2].split("  ")[-1].strip() == str(LIMITS["duplicates, pairs"].goal)
    assert "no such command" in rows[2]
    assert len({len(row) for row in rows}) == 1
