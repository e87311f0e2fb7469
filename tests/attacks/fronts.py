"""Forged proofs of fronts, and what ``docs/check_fronts.py`` says of them."""

import copy
import importlib.util
import json
import warnings
from fractions import Fraction
from pathlib import Path

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.attacks.tally import Tally

PAGE = Path(__file__).parents[2] / "docs/check_fronts.py"
# What a proof claims; the rest is the problem, and a proof of another problem is a proof.
CLAIMS = {
    "integer": ("points", "statements"),
    "linear": ("points", "rays", "lines", "facets", "multipliers"),
}
STRANGE = [
    None, "", "x", "1e400000000", "9" * 5000, "1/0", -1, 0, 10**30, 2**63, 0.5, 1e308, [], [[]], {},
    True, "-", "nan",
]  # fmt: skip


def load_page():
    spec = importlib.util.spec_from_file_location("check_fronts", PAGE)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


def originals(folder):
    """The proofs of an integer and a linear front, and the points that they are proofs of."""
    rng, documents = np.random.default_rng(3), {}
    whole = cp.Variable(5, integer=True, bounds=[0, 3], name="x")
    y = cp.Variable(4, nonneg=True, name="y")
    for kind, x, A, c, room in (
        ("integer", whole, rng.integers(1, 9, (2, 5)), rng.integers(1, 9, (3, 5)), 20),
        ("linear", y, rng.integers(1, 9, (3, 4)), rng.integers(1, 9, (3, 4)), 5),
    ):
        goals = {name: cp.Maximize(c[k] @ x) for k, name in enumerate("abc")}
        path = folder / f"{kind}.json"
        lx.frontier(goals, [A @ x <= room]).proof.save(path)
        documents[kind] = json.loads(path.read_text())
        assert documents[kind]["kind"] == kind
    return documents


def front(document):
    """What the document says the front is: the values of its points."""
    costs = [[Fraction(v) for v in row] for row in document["costs"]]
    points = [[Fraction(v) for v in point] for point in document["points"]]
    return {tuple(sum(a * b for a, b in zip(c, x, strict=True)) for c in costs) for x in points}


def places(value, place=()):
    yield place
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*place, key))


def forge(rng, document, *, strange):
    """One claim is another, is missing, or stands twice; or a field holds what is no number."""
    name = rng.choice(CLAIMS[document["kind"]] if not strange else list(document))
    every = list(places(document[name], (name,)))
    *way, last = rng.choice(every)
    inner = document
    for key in way:
        inner = inner[key]
    value = inner[last]
    if strange:
        inner[last] = rng.choice(STRANGE)
    elif isinstance(value, list) and value and rng.random() < 0.5:
        del value[rng.randrange(len(value))]
    elif isinstance(value, str) and value.lstrip("-").isdecimal() and len(value) > 1:
        at = rng.randrange(len(value))
        inner[last] = value[:at] + str(rng.randrange(10)) + value[at + 1 :]
    elif isinstance(value, int | str):
        step = rng.choice([-2, -1, 1, 2, 7])
        inner[last] = value + step if isinstance(value, int) else f"{value}{abs(step)}"


def attack(folder, count):
    """Each forged proof is refused, or proves the same front; a strange one is told as such."""
    page, tally = load_page(), Tally("forged proofs of fronts, standalone page")
    documents, path = originals(folder), folder / "forged.json"
    while tally.tried < count:
        kind, strange = tally.rng.choice(list(documents)), tally.rng.random() < 0.3
        document = copy.deepcopy(documents[kind])
        forge(tally.rng, document, strange=strange)
        if document == documents[kind]:
            continue
        path.write_text(json.dumps(document))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                code, said = page.check(path)
            except Exception as error:  # noqa: BLE001 - what must not escape
                tally.note(False, f"{kind}: {error!r}")
                continue
        problem = [k for k in document if k not in CLAIMS[kind]]
        another = any(document[k] != documents[kind][k] for k in problem)
        same = code == page.PROVED and (another or front(document) == front(documents[kind]))
        tally.note(code != page.PROVED or same, f"{kind}: {said}")
    return tally
