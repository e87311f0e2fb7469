"""What is deprecated says so to users, names its versions, and is removed when it is due."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lexiprog import __version__
from tests.house.layers import sources

ROOT = Path(__file__).parents[2]
SENTENCE = re.compile(r"deprecated since (\d+)\.(\d+), to be removed in (\d+)\.(\d+)")
WARNINGS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
FILTERS = ("filterwarnings", "simplefilter")
# CONTRIBUTING.md: "at least two minor versions carry the warning".
LEAST = 2


def deprecations(source: str) -> Iterator[tuple[ast.Call, str]]:
    """Every call that is given one of the categories, with the category; filters say nothing."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and not ast.unparse(node.func).endswith(FILTERS):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            names = [value.id for value in given if isinstance(value, ast.Name)]
            yield from ((node, name) for name in names if name in WARNINGS)


def complaints(modules: Mapping[str, str], version: str) -> list[str]:
    """List the deprecations that users don't see, that name no versions, or that are overdue."""
    now = tuple(map(int, version.split(".")[:2]))
    found = []
    for module, source in modules.items():
        for call, category in deprecations(source):
            place = f"{module}:{call.lineno}"
            text = "".join(
                node.value
                for node in ast.walk(call)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
            said = SENTENCE.search(text)
            if category != "FutureWarning":
                found.append(f"{place}: users don't see a {category}; use FutureWarning")
            elif said is None:
                found.append(f"{place}: does not say 'deprecated since X, to be removed in Y'")
            else:
                since, until = (tuple(map(int, said.group(k, k + 1))) for k in (1, 3))
                if until[0] == since[0] and until[1] < since[1] + LEAST:
                    found.append(f"{place}: is to go after less than {LEAST} minor versions")
                if until <= now:
                    found.append(f"{place}: was to be removed in {until[0]}.{until[1]}")
    return found


def test_deprecations_follow_the_policy():
    modules = {
        f"{package}/{module}": source
        for package in ("lexiprog", "lexiprog_boost")
        for module, source in sources(ROOT / package).items()
    }
    assert not complaints(modules, __version__)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("warn('use new; deprecated since 0.3, to be removed in 0.5', FutureWarning)", None),
        ("warn('use new; deprecated since 0.3, to be removed in 1.0', FutureWarning)", None),
        ("warn('use new', category=FutureWarning)", "does not say"),
        ("warn('deprecated since 0.3, to be removed in 0.5', DeprecationWarning)", "don't see"),
        ("warn(f'{x}: deprecated since 0.3, to be removed in 0.4', FutureWarning)", "less than 2"),
        ("filterwarnings('ignore', category=FutureWarning)", None),
        ("warn('deprecated since 0.1, to be removed in 0.3', FutureWarning)", "was to be removed"),
    ],
)
def test_a_deprecation_against_the_policy_is_found(call, complaint):
    found = complaints({"m": f"warnings.{call}"}, "0.3.1")
    assert len(found) == (complaint is not None)
    assert complaint is None or complaint in found[0]
