"""How the tool for mutants learns which tests run through which lines, and what it counts."""

import builtins
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SOURCE = '''def f(x):
    """A docstring stays one."""
    total = 0
    for k in range(
        x
    ):
        if k > 1:
            total += k
        elif k:
            total -= 1
        else:
            continue
        total += 0
    try:
        def inner(y=total):
            return 1 / y
        return inner()
    except ZeroDivisionError:
        return None
'''


@pytest.fixture(autouse=True)
def _beside_the_tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))


@pytest.mark.parametrize(
    ("argument", "answer", "lines"),
    [
        # Rows of plain statements count from their first one on, blocks when they are entered.
        (0, None, {3, 4, 5, 6, 14, 15, 16, 17, 18, 19}),
        (1, None, {3, 4, 5, 6, 7, 9, 11, 12, 14, 15, 16, 17, 18, 19}),
        (2, -1.0, {3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}),
        (3, 1.0, {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}),
    ],
)
def test_lines_that_ran_are_noted_and_the_code_does_the_same(argument, answer, lines, monkeypatch):
    from _probes import Probes

    probes = Probes(Path("/nowhere"), ("lexiprog",))
    monkeypatch.setattr(builtins, "__probe__", probes._seen.add, raising=False)
    space = {}
    exec(compile(probes.probed(SOURCE, "lexiprog/f.py"), "f.py", "exec"), space)
    assert space["f"].__doc__ == "A docstring stays one."
    assert probes.taken() == {}
    assert space["f"](argument) == answer
    # The lines of `else` and `try` hold nothing that a change could be made to.
    assert probes.taken()["lexiprog/f.py"] - {11, 14} == lines - {11, 14}
    assert probes.taken() == {}


def test_what_nobody_can_see_does_not_count_against_the_tests():
    from _report import noticed

    assert noticed({"killed": 8, "timed out": 1, "equivalent": 90, "survived": 1}) == 0.9
    assert noticed({"killed": 0, "timed out": 0, "equivalent": 3, "survived": 0}) is None
