"""The tool that changes code to see whether tests notice: its changes, its sample, a whole run."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SOURCE = '''
"""A docstring of 3 words."""
import os

def clip(x: float, low: float = 0.0, *, high: float = 1.0) -> float:
    """Between 2 numbers."""
    if not low <= high:
        raise ValueError(f"{low + 1} is above {high}")
    return max(low, min(x, high))

def halves(x):
    return [k // 2 for k in range(x) if k % 2 == 0 and k > 1]

def noted(book, name, *, twice=False):
    book[name] = -1
    book.setdefault(name, default="a" + "b")
    return book
'''


@pytest.fixture(autouse=True)
def _beside_the_tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))


def changes(source):
    from _mutations import mutations

    return {(found.before, found.after) for found in mutations(source)}


def test_every_kind_of_change_is_made_and_nothing_that_is_only_said():
    assert changes(SOURCE) == {
        ("0.0", "1.0"),
        ("1.0", "10.0"),
        ("not low <= high", "not not low <= high"),
        ("not low <= high", "low <= high"),
        ("low <= high", "low < high"),
        ("raise ValueError(f'{low + 1} is above {high}')", "pass"),
        ("return max(low, min(x, high))", "return None"),
        ("return [k // 2 for k in range(x) if k % 2 == 0 and k > 1]", "return None"),
        ("k // 2", "k * 2"),
        ("2", "3"),
        ("k % 2 == 0 and k > 1", "not (k % 2 == 0 and k > 1)"),
        ("k % 2 == 0 and k > 1", "k % 2 == 0 or k > 1"),
        ("k % 2 == 0", "k % 2 != 0"),
        ("k % 2", "k // 2"),
        ("0", "1"),
        ("k > 1", "k >= 1"),
        ("1", "2"),
        ("False", "True"),
        ("book[name] = -1", "pass"),
        ("-1", "1"),
        ("book.setdefault(name, default='a' + 'b')", "pass"),
        ("book.setdefault(default='a' + 'b')", "left out"),
        ("return book", "return None"),
    }


def test_a_tolerance_becomes_another_one_and_keywords_that_only_guard_stay():
    assert ("1e-09", "0.001") in changes("x = 1e-9")
    assert changes("zip(a, b, strict=True)\nf(*a, **b)") == {
        ("zip(a, b, strict=True)", "pass"),
        ("f(*a, **b)", "pass"),
    }


@pytest.mark.parametrize("module", ["lexiprog_boost/weights/forms.py", "lexiprog/program.py"])
def test_every_change_of_a_real_module_is_valid_and_a_change(module):
    from _mutations import mutations

    source = (ROOT / module).read_text()
    whole = ast.dump(ast.parse(source))
    found = mutations(source)
    assert len(found) > 30
    texts = {change.apply(source) for change in found}
    assert len(texts) == len(found)
    for text in texts:
        assert ast.dump(ast.parse(text)) != whole


def test_places_are_right_beside_letters_of_several_bytes():
    from _mutations import mutations

    (change,) = mutations("y = 'é'; x = 1")
    assert change.apply("y = 'é'; x = 1") == "y = 'é'; x = 2"


def test_a_sample_is_spread_over_modules_repeats_itself_and_grows():
    from _sample import every_mutant, sample

    every = every_mutant(ROOT, ["lexiprog_boost/weights", "lexiprog_boost/reductions"])
    shares = {path: sum(one.path == path for one in every) / len(every)
              for path in {one.path for one in every}}  # fmt: skip
    drawn = sample(every, 60, seed=1)
    assert drawn == sample(every, 60, seed=1)
    assert drawn != sample(every, 60, seed=2)
    assert drawn[:25] == sample(every, 25, seed=1)
    for path, share in shares.items():
        assert abs(sum(one.path == path for one in drawn) - 60 * share) <= 1


def test_every_package_has_tests_and_the_tables_name_what_is_there():
    from _sample import FURTHER_TESTS, PATHS, every_mutant, tests_of

    for path in {one.path for one in every_mutant(ROOT, PATHS)}:
        assert tests_of(ROOT, path)
    for path, tests in FURTHER_TESTS.items():
        assert [name for name in (path, *tests) if not (ROOT / name).exists()] == []


def test_a_change_is_reached_through_its_lines_or_outside_functions_through_its_module():
    from _mutations import mutations
    from _reach import is_own, places
    from _sample import Mutant

    source = "MOST = 3\n\n\ndef f(a, b=4):\n    return g(\n        a < 5\n    )\n"
    found = {one.before: places(Mutant("lexiprog/f.py", one, source)) for one in mutations(source)}
    assert found == {"3": None, "4": None, "return g(a < 5)": {5, 6, 7}, "a < 5": {6}, "5": {6}}
    assert is_own("tests/lexiprog/solve/test_held.py", "lexiprog/solve/held.py")
    assert not is_own("tests/lexiprog/test_held.py", "lexiprog/solve/held.py")


def test_as_many_tests_as_fit_are_tried_the_modules_own_before_quicker_ones_in_their_order():
    from mutants import affordable

    every = {"tests/a/test_x.py::long": 9.0, "tests/a/test_x.py::quick": 1.0,
             "tests/b/test_m.py::first": 3.0, "tests/b/test_m.py::second": 2.0}  # fmt: skip
    assert list(affordable(every, "b/m.py", 6.0)) == list(every)[1:]
    assert list(affordable(every, "b/m.py", 5.5)) == list(every)[2:]
    assert list(affordable(every, "b/m.py", 2.5)) == list(every)[3:]
    assert affordable(every, "b/m.py", 15.0) == every
    assert list(affordable(every, "a/x.py", 14.0)) == [*list(every)[:2], list(every)[3]]


def test_a_path_that_is_not_there_is_named():
    from _sample import every_mutant

    with pytest.raises(SystemExit, match="there is no lexiprog/moon"):
        every_mutant(ROOT, ["lexiprog/moon"])


@pytest.fixture
def repository(tmp_path):
    """A package of one module; its tests look at two functions, run a third, forget a fourth."""
    root = tmp_path / "repository"
    for name in ("lexiprog", "lexiprog_boost", "benchmarks", "tests/lexiprog/sums"):
        (root / name).mkdir(parents=True)
    for package in ("lexiprog", "lexiprog_boost"):
        (root / package / "__init__.py").write_text("")
    (root / "lexiprog" / "sums").mkdir()
    (root / "lexiprog" / "sums" / "__init__.py").write_text("")
    (root / "lexiprog" / "sums" / "add.py").write_text(
        "def add(a, b):\n    return a + b\n\n\ndef last(n):\n    while n > 9:\n        n -= 1\n"
        "    return n\n\n\ndef unseen(a):\n    return -a\n\n\ndef idle(a):\n    return a\n"
    )
    (root / "tests/lexiprog/sums/test_add.py").write_text(
        "from lexiprog.sums import add\n\n\ndef test_add():\n    assert add.add(2, 1) == 3\n"
        "    assert add.last(12) == 9\n\n\ndef test_nothing():\n    add.unseen(1)\n"
    )
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def run(repository, *options):
    """Run the tool in a process of its own: it forks, and this one has our packages in memory."""
    code = (
        f"import sys, pathlib; sys.path.insert(0, {str(ROOT / '.ci')!r})\n"
        "import mutants, _trials, _trying\n"
        '_trying.SPARE, _trials.HEAVY = 1.0, ("pytest",)\n'
        f"sys.exit(mutants.main({['--only', 'lexiprog/sums', *options]!r}, "
        f"root=pathlib.Path({str(repository)!r})))"
    )
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean)


def survivors(done):
    return [line.split(": ", 1)[1] for line in done.stdout.split("\n\n")[-1].splitlines() if line]


@pytest.mark.slow
def test_a_run_finds_what_has_no_test_and_goes_on_from_what_it_knows(repository):
    store = repository / "build" / "mutants.jsonl"
    page = repository / "mutants.md"
    first = run(repository, "--least", "0.9", "--report", str(page))
    assert first.returncode == 1, first.stderr
    assert survivors(first) == [
        "-a -> a",
        "return -a -> return None",
        "return a -> return None  (no test runs it)",
    ]
    assert re.search(r"^killed .* a \+ b -> a - b$", first.stdout, re.MULTILINE)
    assert re.search(r"^timed out .* n -= 1 -> n \+= 1$", first.stdout, re.MULTILINE)
    assert first.stdout.split("\n\n", 1)[1].strip() in page.read_text()
    kept = store.read_text()[:-20]  # killed while it wrote
    store.write_text(kept)
    second = run(repository)
    assert second.returncode == 0
    assert survivors(second) == survivors(first)
    assert store.read_text().startswith(kept)
    assert store.read_text()[len(kept) :].count("\n") == 1

    tests = repository / "tests/lexiprog/sums/test_add.py"
    both = "def test_both():\n    assert (add.unseen(1), add.idle(2)) == (-1, 2)\n"
    tests.write_text(f"{tests.read_text()}\n\n{both}")
    third = run(repository, "--least", "1")
    assert third.returncode == 0, third.stdout
    assert third.stdout.count("\nkilled ") == 3


def test_tests_that_fail_on_the_unchanged_code_are_shown(repository):
    (repository / "tests/lexiprog/sums/test_add.py").write_text("def test():\n    assert 1 == 2\n")
    done = run(repository)
    assert done.returncode == 1
    assert "must pass on the unchanged code" in done.stderr
    assert "assert 1 == 2" in done.stderr
