"""MPS files, free and fixed, with several objectives as Gurobi and CPLEX write them.

An objective is an N row; behind its name may stand its priority, weight, absolute and relative
tolerance. HiGHS's reader refuses such files, drops coefficients below 1e-9 and leaves out, with a
warning, entries of rows that it does not know; here each of these is read or refused by its line.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from lexiprog.errors import LexiprogWarning
from lexiprog.files.linear_model import LinearModel, LinearObjective, ModelBuilder, ModelError

# Where the six fields of a fixed line begin and end.
_FIXED = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
# What other tools solve and a linear hierarchy here cannot hold.
REFUSED = {
    "SOS": "special ordered sets", "SOS1": "special ordered sets", "SOS2": "special ordered sets",
    "SETS": "special ordered sets", "QUADOBJ": "quadratic objectives",
    "QMATRIX": "quadratic objectives", "QSECTION": "quadratic objectives",
    "QCMATRIX": "quadratic constraints", "CSECTION": "cones", "GENCONS": "general constraints",
    "INDICATORS": "indicator constraints", "PWLOBJ": "piecewise linear objectives",
    "LAZYCONS": "lazy constraints", "USERCUTS": "user cuts", "BRANCH": "branching priorities",
    "SCENARIOS": "scenarios",
}  # fmt: skip
_DATA = ("ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS")


def read_mps(lines: Iterable[str], source: str) -> LinearModel:
    """The model of an MPS file; free format, or fixed where names have spaces."""
    text = list(lines)
    try:
        return _Reader(source, _free).read(text)
    except ModelError:
        try:
            return _Reader(source, _fixed).read(text)
        except (ModelError, _NotFixed):
            pass
        raise


@dataclass
class _Row:
    kind: str
    attributes: tuple[float, ...] = ()
    terms: dict[int, float] = field(default_factory=dict)
    rhs: float | None = None
    span: float | None = None

    @property
    def sides(self) -> tuple[float, float]:
        """The least and the largest value."""
        rhs, span = self.rhs or 0.0, self.span
        if span is None:
            return (-np.inf if self.kind == "L" else rhs), (np.inf if self.kind == "G" else rhs)
        if self.kind == "E":
            return min(rhs, rhs + span), max(rhs, rhs + span)
        return (rhs - abs(span), rhs) if self.kind == "L" else (rhs, rhs + abs(span))


class _Reader:
    """Reads line by line and keeps where it is."""

    def __init__(self, source: str, split: Callable[[str, str], list[str]]) -> None:
        self.source, self.split, self.number = source, split, 0
        self.rows: dict[str, _Row] = {}
        self.model = ModelBuilder()
        self.section, self.in_integers, self.objective = "", False, ""
        self.bounded: set[int] = set()
        self.marked: set[int] = set()

    def refuse(self, said: str) -> ModelError:
        return ModelError(f"{self.source}, line {self.number}: {said}")

    def read(self, lines: list[str]) -> LinearModel:
        for self.number, line in enumerate(lines, 1):
            if line.startswith("*") or not line.strip():
                # PuLP has no other place for the sense.
                if line.upper().replace(" ", "").startswith("*SENSE:MAX"):
                    self.model.maximise = True
                continue
            if not line[0].isspace():
                if self._header(line.split()):
                    break
            elif self.section in ("OBJSENSE", "OBJNAME", "OBJECT"):
                self._option(line.split()[0])
            elif self.section in _DATA:
                getattr(self, f"_{self.section.lower()}")(self.split(line, self.section))
            else:
                raise self.refuse(
                    f"expected a section such as ROWS before the data {line.strip()!r}."
                )
        else:
            raise self.refuse("the file ends without ENDATA: is all of it there?")
        return self._finish()

    def _header(self, words: list[str]) -> bool:
        section = words[0].upper()
        if section == "NAME":
            self.model.name = " ".join(words[1:])
            return False
        if section == "ENDATA":
            return True
        if section in REFUSED:
            raise self.refuse(
                f"section {section}: {REFUSED[section]} are not supported, only linear rows."
            )
        if section not in (*_DATA, "OBJSENSE", "OBJNAME", "OBJECT"):
            raise self.refuse(
                f"{words[0]!r} is no section; expected one of NAME, OBJSENSE, "
                f"{', '.join(_DATA)}, ENDATA."
            )
        self.section = section
        if section.startswith("OBJ") and len(words) > 1:
            self._option(words[1])
        return False

    def _option(self, word: str) -> None:
        if self.section != "OBJSENSE":
            self.objective = word
        elif word.upper()[:3] not in ("MIN", "MAX"):
            raise self.refuse(f"expected MIN or MAX as the sense, not {word!r}.")
        else:
            self.model.maximise = word.upper().startswith("MAX")

    def _number(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise self.refuse(f"expected a number, not {text!r}.") from None
        if np.isnan(value):
            raise self.refuse("expected a number, not NaN.")
        return value

    def _row_named(self, name: str) -> _Row:
        if name not in self.rows:
            raise self.refuse(f"row {name!r} is not in section ROWS.")
        return self.rows[name]

    def _rows(self, fields: list[str]) -> None:
        if len(fields) < 2 or fields[0].upper() not in ("N", "L", "G", "E"):
            raise self.refuse("expected a row's kind (N, L, G or E) and its name.")
        kind, name, *rest = fields
        if name in self.rows:
            raise self.refuse(f"a second row is called {name!r}.")
        if rest and (kind.upper() != "N" or len(rest) != 4):
            raise self.refuse(
                "expected a kind and a name, and for an objective in a hierarchy priority, "
                "weight, absolute and relative tolerance."
            )
        self.rows[name] = _Row(kind.upper(), tuple(map(self._number, rest)))

    def _columns(self, fields: list[str]) -> None:
        if len(fields) >= 3 and fields[1].strip("'\"").upper() == "MARKER":
            word = fields[-1].strip("'\"").upper()
            if word not in ("INTORG", "INTEND"):
                raise self.refuse(f"expected the marker 'INTORG' or 'INTEND', not {fields[-1]}.")
            self.in_integers = word == "INTORG"
            return
        if len(fields) not in (3, 5):
            raise self.refuse("expected a column's name, then one or two pairs of row and number.")
        new = fields[0] not in self.model.columns
        column = self.model.column(fields[0])
        if new and self.in_integers:
            self.model.integer.add(column)
            self.marked.add(column)
        for name, text in zip(fields[1::2], fields[2::2], strict=True):
            row = self._row_named(name)
            if column in row.terms:
                raise self.refuse(f"column {fields[0]!r} has a second entry in row {name!r}.")
            value = self._number(text)
            if not np.isfinite(value):
                raise self.refuse(f"an entry of row {name!r} is not finite.")
            row.terms[column] = value

    def _pairs(self, fields: list[str], what: str) -> Iterator[tuple[_Row, float]]:
        pairs = fields[len(fields) % 2 :]  # behind the name of the set, where there is one
        if not pairs:
            raise self.refuse(f"expected one or two pairs of row and number in {what}.")
        for name, text in zip(pairs[::2], pairs[1::2], strict=True):
            yield self._row_named(name), self._number(text)

    def _rhs(self, fields: list[str]) -> None:
        for row, value in self._pairs(fields, "RHS"):
            if row.rhs is not None:
                raise self.refuse("the row has a right-hand side already.")
            row.rhs = value

    def _ranges(self, fields: list[str]) -> None:
        for row, value in self._pairs(fields, "RANGES"):
            if row.kind == "N":
                raise self.refuse("an objective has no range.")
            if row.span is not None:
                raise self.refuse("the row has a range already.")
            row.span = value

    def _bounds(self, fields: list[str]) -> None:
        kind, named = fields[0].upper(), fields[1:]
        if kind in ("SC", "SI"):
            raise self.refuse(f"bound {kind}: semi-continuous columns are not supported.")
        if kind not in ("UP", "LO", "FX", "FR", "MI", "PL", "BV", "LI", "UI"):
            raise self.refuse(f"expected a bound's kind such as UP, LO, FX or FR, not {fields[0]}.")
        plain = kind in ("FR", "MI", "PL", "BV")
        known = self.model.columns
        # The name of the set may be left out, and kinds without a number may have one.
        at = 0 if named and named[0] in known and len(named) < (2 if plain else 3) else 1
        if len(named) <= at or named[at] not in known:
            name = named[at] if len(named) > at else ""
            raise self.refuse(f"column {name!r} of this bound is not in section COLUMNS.")
        if not plain and len(named) <= at + 1:
            raise self.refuse(f"expected a number behind the column of bound {kind}.")
        column = known[named[at]]
        value = 0.0 if plain else self._number(named[at + 1])
        self._bind(kind, column, value)

    def _bind(self, kind: str, column: int, value: float) -> None:
        lower, upper = self.model.lower, self.model.upper
        if kind in ("BV", "LI", "UI"):
            self.model.integer.add(column)
        if kind in ("UP", "UI"):
            upper[column] = value
            if value < 0.0 == lower[column] and column not in self.bounded:
                lower[column] = -np.inf
        elif kind in ("LO", "LI"):
            lower[column] = value
        elif kind == "BV":
            lower[column], upper[column] = 0.0, 1.0
        elif kind == "FX":
            lower[column] = upper[column] = value
        if kind in ("FR", "MI"):
            lower[column] = -np.inf
        if kind in ("FR", "PL"):
            upper[column] = np.inf
        if kind in ("LO", "LI", "FX", "BV"):
            self.bounded.add(column)
        self.marked.discard(column)

    def _finish(self) -> LinearModel:
        for column in self.marked:  # integers without bounds are binaries, by an old custom
            self.model.upper[column] = 1.0
        for name in self._chosen():
            row = self.rows[name]
            numbers = row.attributes or (0.0, 1.0, 0.0, 0.0)
            self.model.objectives.append(
                LinearObjective(name, row.terms, -(row.rhs or 0.0), *numbers)
            )
        if not self.model.objectives:
            self.model.objectives.append(LinearObjective("obj", {}))
        for name, row in self.rows.items():
            if row.kind != "N":
                self.model.row(name, *row.sides, row.terms)
        return self.model.built()

    def _chosen(self) -> list[str]:
        """The N rows that are objectives: those with priorities, else the one named, or first."""
        goals = {name: row for name, row in self.rows.items() if row.kind == "N"}
        several = [name for name, row in goals.items() if row.attributes]
        chosen = several or ([self.objective] if self.objective else [*goals][:1])
        for name in chosen:
            if name not in goals:
                raise self.refuse(f"the objective {name!r} is no N row.")
        left = [name for name in goals if name not in chosen]
        if left:
            warnings.warn(
                f"{self.source}: rows {', '.join(left)} of kind N have no priority and are left "
                f"out; the objective is {', '.join(chosen)}.",
                LexiprogWarning,
                stacklevel=6,
            )
        return chosen


def _free(line: str, _: str) -> list[str]:
    return line.split()


class _NotFixed(Exception):
    """Something stands between the fields, so that reading them would cut it off."""


def _fixed(line: str, section: str) -> list[str]:
    if section == "ROWS":
        parts = line[1:3].strip(), line[4:12].strip(), *line[12:].split()
        return [part for part in parts if part]
    line, between = line.rstrip(), [*zip((0, *(b for _, b in _FIXED)), _FIXED, strict=False)]
    if line[_FIXED[-1][1] :] or any(line[a:b].strip() for a, (b, _) in between):
        raise _NotFixed
    fields = [line[a:b].strip() for a, b in _FIXED]
    kind, *rest = fields
    while rest and not rest[-1]:
        rest.pop()
    return [kind, *rest] if section == "BOUNDS" else rest


# Writing.


def mps_text(model: LinearModel) -> Iterator[str]:
    """The lines of a free MPS file."""
    yield f"NAME {model.name or 'lexiprog'}"
    if model.maximise:
        yield "OBJSENSE MAX"
    yield "ROWS"
    single = len(model.objectives) == 1 and model.objectives[0].weight == 1.0
    for one in model.objectives:
        place = f" {one.priority:g} {one.weight!r} {one.atol!r} {one.rtol!r}"
        yield f" N {one.name}{'' if single else place}"
    kinds = [_kind(*sides) for sides in zip(model.row_lower, model.row_upper, strict=True)]
    for name, kind in zip(model.rows, kinds, strict=True):
        yield f" {kind} {name}"
    yield "COLUMNS"
    yield from _column_lines(model)
    yield "RHS"
    for one in model.objectives:
        if one.constant:
            yield f" RHS {one.name} {-one.constant!r}"
    yield from _side_lines(model, kinds)
    yield "BOUNDS"
    for name, low, up, whole in zip(
        model.columns, model.lower.tolist(), model.upper.tolist(), model.integer, strict=True
    ):
        yield from _bound_lines(name, low, up, whole=bool(whole))
    yield "ENDATA"


def _side_lines(model: LinearModel, kinds: list[str]) -> Iterator[str]:
    """Right-hand sides, and the ranges of rows that have two."""
    spans = []
    for name, kind, low, up in zip(
        model.rows, kinds, model.row_lower.tolist(), model.row_upper.tolist(), strict=True
    ):
        rhs = low if kind == "G" else up
        if rhs and kind != "N":
            yield f" RHS {name} {rhs!r}"
        if kind == "L" and np.isfinite(low):
            spans.append(f" RNG {name} {up - low!r}")
    if spans:
        yield from ("RANGES", *spans)


def _kind(low: float, up: float) -> str:
    if low == up:
        return "E"
    return "L" if np.isfinite(up) else "G" if np.isfinite(low) else "N"


def _column_lines(model: LinearModel) -> Iterator[str]:
    matrix, inside = model.matrix.tocsc(), False
    for j, name in enumerate(model.columns):
        if bool(model.integer[j]) != inside:
            inside = not inside
            yield f" MARKER 'MARKER' '{'INTORG' if inside else 'INTEND'}'"
        part = slice(matrix.indptr[j], matrix.indptr[j + 1])
        pairs = [(one.name, one.terms[j]) for one in model.objectives if j in one.terms]
        entries = zip(matrix.indices[part], matrix.data[part].tolist(), strict=True)
        pairs += [(model.rows[i], value) for i, value in entries]
        for row, value in pairs or [(model.objectives[0].name, 0.0)]:
            yield f" {name} {row} {value!r}"
    if inside:
        yield " MARKER 'MARKER' 'INTEND'"


def _bound_lines(name: str, low: float, up: float, *, whole: bool) -> Iterator[str]:
    if low == -np.inf and up == np.inf:
        yield f" FR BND {name}"
    elif low == up:
        yield f" FX BND {name} {low!r}"
    else:
        if low != 0.0 or up < 0.0:
            yield f" MI BND {name}" if low == -np.inf else f" LO BND {name} {low!r}"
        if up < np.inf:
            yield f" UP BND {name} {up!r}"
        elif whole:
            yield f" PL BND {name}"
