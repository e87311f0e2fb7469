"""LP, MPS and MathOptFormat files that a disk, a tool or somebody has changed."""

import json
import re
import warnings

import numpy as np

import lexiprog as lx
from lexiprog.files import with_plain_names
from lexiprog.files.linear_model import model_of
from tests.attacks.tally import Tally

LP = """\\ a plan
Minimize multi-objectives
  cost: Priority=2 Weight=1 AbsTol=0 RelTol=0.1
   3 coal + wind + 2
  fumes: Priority=1 Weight=-1 AbsTol=0 RelTol=0
   coal - 1.5e2 gas
Subject To
  demand: coal + wind + gas >= 8
  r2: 2 <= coal - gas <= 5
  r3: wind = 3
Bounds
  0 <= coal <= 40
  gas free
  -inf <= wind <= 1e30
  gas >= -5
Generals
  wind
End
"""
MPS = """NAME plan
OBJSENSE
    MAX
ROWS
 N  cost 2 1 0 0
 N  fumes 1 1 0 0.1
 L  c1
 G  c2
 E  c3
COLUMNS
    x  cost 1 c1 1
    x  c2 1
    MARKER 'MARKER' 'INTORG'
    y  fumes 2 c1 1
    MARKER 'MARKER' 'INTEND'
    z  c3 -1e3 cost 3
RHS
    RHS c1 4 c2 1
    RHS c3 7
RANGES
    RNG c1 2.5
BOUNDS
 UP BND x 4
 LO BND y -1
 UP BND y 1
 FR BND z
ENDATA
"""
TERMS = [{"coefficient": 1.5, "variable": "x"}, {"coefficient": -2, "variable": "y"}]
ROW = {"type": "ScalarAffineFunction", "terms": TERMS, "constant": 0.5}
MOF = json.dumps(
    {
        "version": {"major": 1, "minor": 7},
        "variables": [{"name": "x"}, {"name": "y"}],
        "objective": {
            "sense": "min",
            "function": {
                "type": "VectorAffineFunction",
                "terms": [
                    {"output_index": k + 1, "scalar_term": term} for k, term in enumerate(TERMS)
                ],
                "constants": [0.0, 3.5],
            },
        },
        "constraints": [
            {"name": "r", "function": ROW, "set": {"type": "GreaterThan", "lower": 1.0}},
            {"name": "s", "function": ROW, "set": {"type": "Interval", "lower": 0, "upper": 9}},
            {"function": {"type": "Variable", "name": "y"}, "set": {"type": "Integer"}},
            {
                "function": {"type": "Variable", "name": "x"},
                "set": {"type": "LessThan", "upper": 4},
            },
        ],
    },
    indent=1,
)
FILES = {"plan.lp": LP, "plan.mps": MPS, "plan.mof.json": MOF}
STRANGE = [
    "1e400", "-1e999", "nan", "NaN", "inf", "Infinity", "9" * 5000, "1e" + "9" * 400, "[" * 5000,
    "]", "\x00", "\x1b[2J", "\u202e", "(", ":", "<=", ">=", "=", "free", "End", "Subject To", "-",
    "+", "^2", "[ x ^2 ] / 2", "1e30", "-1e30", "-1e308", "1e-320", "x" * 300, "Priority=",
    "Weight=0", "Weight=nan", "Weight=inf", "AbsTol=-1", "RelTol=nan", "AbsTol=inf", "Priority=nan",
    "1_000", "\u0663", "0x10", "RANGES", "N", "E", "BV", "SC", "FX", "LI", "UI", "MARKER",
    "'MARKER'", "'INTORG'", "{", "}", "[]", "null", "true", '{"a":1}', '"x"', "1e19", "-7", "0", "",
    '"max"', "->", "multi-objectives",
]  # fmt: skip
# What is one unit for the attack: a number, a name or a single mark.
PIECE = re.compile(r"[\w.+-]+|[^\s\w]")


def changed(rng, text):
    """The text with one to three pieces, characters or lines other, doubled or gone."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        pieces = [match.span() for match in PIECE.finditer(text)] or [(0, 0)]
        (begin, end), strange = rng.choice(pieces), rng.choice(STRANGE)
        lines, kind = text.split("\n"), rng.randrange(6)
        line = rng.randrange(len(lines))
        if kind <= 1:
            text = text[:begin] + strange + text[end:]
        elif kind == 2:
            text = f"{text[:begin]} {strange} {text[begin:]}"
        elif kind == 3:
            lines[line : line + 1] = [lines[line]] * rng.choice([0, 2])
            text = "\n".join(lines)
        elif kind == 4:
            text = text[:begin] + chr(rng.randrange(32, 256)) + text[begin + 1 :]
        else:
            text = text[: rng.randrange(len(text) + 1)]
    return text


def same(one, other):
    """Whether two models are equal but for the order of columns and rows, and last digits."""
    columns, rows = np.argsort(one.columns), np.argsort(one.rows)
    theirs, their_rows = np.argsort(other.columns), np.argsort(other.rows)
    if sorted(one.columns) != sorted(other.columns) or sorted(one.rows) != sorted(other.rows):
        return False
    pairs = [
        (getattr(one, name)[mine], getattr(other, name)[yours])
        for names, mine, yours in (
            (("lower", "upper", "integer"), columns, theirs),
            (("row_lower", "row_upper"), rows, their_rows),
        )
        for name in names
    ]
    pairs.append(
        (one.matrix.toarray()[rows][:, columns], other.matrix.toarray()[their_rows][:, theirs])
    )
    for a, b in zip(one.objectives, other.objectives, strict=True):
        mine = {one.columns[j]: value for j, value in a.terms.items()}
        yours = {other.columns[j]: value for j, value in b.terms.items()}
        numbers = [(o.constant, o.priority, o.weight, o.atol, o.rtol) for o in (a, b)]
        pairs.append((numbers[0], numbers[1]))
        pairs += [(mine.get(name, 0.0), yours.get(name, 0.0)) for name in one.columns]
    return all(np.allclose(*pair, rtol=1e-12, atol=1e-12) for pair in pairs)


def attack(folder, count):
    """Each changed file is refused by its name, or read as what it is when written again."""
    tally = Tally("changed LP, MPS and MathOptFormat files")
    while tally.tried < count:
        name = tally.rng.choice(list(FILES))
        path, again = folder / name, folder / f"again-{name}"
        path.write_text(changed(tally.rng, FILES[name]), encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = lx.read(path)
            except lx.LexiprogError as error:
                tally.note(str(path) in str(error), f"{name}: {error}")
                continue
            except Exception as error:  # noqa: BLE001 - what must not escape
                tally.note(False, f"{name}: {error!r}\n{path.read_text()}")
                continue
            try:
                program.write(again)
            except lx.LexiprogError:  # levels that a format has no place for
                tally.note(True, "")
                continue
            both = with_plain_names(model_of(program)), model_of(lx.read(again))
        tally.note(same(*both), f"{name}: is another when written again\n{path.read_text()}")
    return tally
