"""LP files, as CPLEX, Gurobi, HiGHS and most modelling tools write them, with several objectives.

HiGHS's reader refuses further objectives and says of no error where it is; here each has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from lexiprog.files.linear_model import LinearModel, LinearObjective, ModelBuilder, ModelError
from lexiprog.typing import Record

_SECTIONS = (
    ("objective", r"(?:min|max)(?:imi[sz]e|imum)?"),
    ("rows", r"subject\s+to|such\s+that|s\.t\.|st\.|st"),
    ("rows", r"lazy\s+constraints"),
    ("bounds", r"bounds?"),
    ("integers", r"generals?|gens?|integers?|ints?"),
    ("binaries", r"binar(?:y|ies)|bins?"),
    ("end", r"end"),
    ("special ordered sets", r"sos[12]?|sets"),
    ("semi-continuous columns", r"semi-continuous|semis?"),
    ("semi-integer columns", r"semi-integers?"),
    ("piecewise linear objectives", r"pwlobj"),
    ("general constraints", r"general\s+constraints?|gencons?"),
    ("user cuts", r"user\s+cuts"),
    ("scenarios", r"scenarios?"),
)
_KNOWN = ("objective", "rows", "bounds", "integers", "binaries", "end")
_HEADS = [
    (kind, re.compile(rf"\s*(?P<head>{pattern})(?=\s|$)(?!\s*[:<>=+\-])", re.IGNORECASE))
    for kind, pattern in reversed(_SECTIONS)  # "general constraints" before "general"
]
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<relation><=|>=|=<|=>|<|>|=)"
    r"|(?P<arrow>->)"
    r"|(?P<sign>[+-])"
    r"|(?P<mark>[:*^/\[\]])"
    r"|(?P<name>[^\s+\-*^<>=:\\\[\]/][^\s+\-*^<>=:\\]*)"
)
_ATTRIBUTE = re.compile(r"(Priority|Weight|AbsTol|RelTol)\s*=\s*(\S+)", re.IGNORECASE)
_RELATIONS = {"<": "<=", "=<": "<=", ">": ">=", "=>": ">="}
_PLACE = {"priority": "priority", "weight": "weight", "abstol": "atol", "reltol": "rtol"}
_INFINITE = ("inf", "infinity")

# A column that is 1, as Gurobi writes it: its reader forgets constants that stand alone.
CONSTANT = "Constant0"


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def read_lp(lines: Iterable[str], source: str) -> LinearModel:
    """The model of an LP file."""
    return _Reader(source).read(lines)


class _Reader:
    """Collects the tokens of a section, then reads it."""

    def __init__(self, source: str) -> None:
        self.source, self.model = source, ModelBuilder()
        self.tokens: list[_Token] = []
        self.at, self.line = 0, 0
        self.several, self.head = False, ""
        self.attributes: list[tuple[int, dict[str, float]]] = []
        self.unnamed = 0

    def refuse(self, said: str, line: int | None = None) -> ModelError:
        return ModelError(f"{self.source}, line {line or self.line}: {said}")

    def read(self, lines: Iterable[str]) -> LinearModel:
        section, number, seen = "", 0, set[str]()
        for number, line in enumerate(lines, 1):
            text = line.split("\\")[0]
            found = self._head(text, number, section)
            if found is not None:
                self._finish(section)
                section, text = found
                seen.add(section)
                if section == "end":
                    break
            if text.strip() and not section:
                raise self.refuse(
                    f"expected Minimize or Maximize first, not {text.strip()!r}.", number
                )
            self._collect(text, number, section)
        self.line = number
        if section != "end":
            raise self.refuse("the file ends without the word End: is all of it there?")
        if "objective" not in seen or not self.model.objectives:
            self.model.objectives.append(LinearObjective("obj", {}))
        return _without_constant(self.model.built())

    def _head(self, text: str, number: int, section: str) -> tuple[str, str] | None:
        """The section that a line begins, and the rest of the line."""
        for kind, pattern in _HEADS:
            match = pattern.match(text)
            if match is None:
                continue
            self.head = match["head"]
            rest = text[match.end() :]
            if kind == "objective":
                if section:
                    raise self.refuse("a second objective section.", number)
                self.model.maximise = match["head"].lower().startswith("max")
                self.several = bool(re.match(r"\s*multi-objectives?\b", rest, re.IGNORECASE))
                if self.several:
                    rest = re.sub(r"^\s*multi-objectives?", "", rest, flags=re.IGNORECASE)
            elif not section:
                raise self.refuse("expected Minimize or Maximize first.", number)
            return kind, rest
        return None

    def _collect(self, text: str, number: int, section: str) -> None:
        if section not in ("", *_KNOWN) and text.strip():  # an empty section does no harm
            raise self.refuse(
                f"section {self.head!r}: {section} are not supported, only linear rows.", number
            )
        if section == "objective" and self.several and "=" in text:
            name, _, rest = text.partition(":")
            given = {}
            for word, value in _ATTRIBUTE.findall(rest):
                try:
                    given[_PLACE[word.lower()]] = float(value)
                except ValueError:
                    raise self.refuse(f"{word} is a number, not {value!r}.", number) from None
            if _ATTRIBUTE.sub("", rest).strip():
                raise self.refuse(
                    "expected a name, then Priority=, Weight=, AbsTol= and RelTol= alone; the "
                    "objective itself begins in the next line.",
                    number,
                )
            self.attributes.append((len(self.tokens), given))
            text = f"{name}:"
        place = 0
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise self.refuse(f"{text[place]!r} is not expected here.", number)
            self.tokens.append(_Token(match.lastgroup, match[0], number))
            place = match.end()

    def _finish(self, section: str) -> None:
        self.at = 0
        read = {
            "objective": self._objectives, "rows": self._rows, "bounds": self._all_bounds,
            "integers": self._integers, "binaries": self._integers,
        }.get(section)  # fmt: skip
        if read is not None and self.tokens:
            read(section)
        self.tokens, self.at = [], 0

    # One token after the other.

    def _next(self, *kinds: str, offset: int = 0, text: str = "") -> _Token | None:
        """The next token, if it is of one of these kinds and reads so."""
        place = self.at + offset
        if place >= len(self.tokens):
            return None
        token = self.tokens[place]
        fits = (not kinds or token.kind in kinds) and text in ("", token.text)
        return token if fits else None

    def _take(self) -> _Token:
        if self.at >= len(self.tokens):
            raise self.refuse(f"expected more behind {self.tokens[-1].text!r}.")
        token = self.tokens[self.at]
        self.at, self.line = self.at + 1, token.line
        return token

    def _name(self) -> str | None:
        """A name with its colon, if that is what comes next."""
        first, second = self._next("name", "number"), self._next("mark", offset=1)
        if first is None or second is None or second.text != ":":
            return None
        name = self._take().text
        self._take()
        return name

    def _signed(self) -> float:
        """A number with its sign; infinity is one."""
        sign = 1.0
        while self._next("sign"):
            sign *= -1.0 if self._take().text == "-" else 1.0
        token = self._take()
        if token.kind == "name" and token.text.lower() in _INFINITE:
            return sign * np.inf
        if token.kind != "number":
            raise self.refuse(
                f"expected a number, not {token.text!r}: what varies stands on the left."
            )
        return sign * float(token.text)

    def _relation(self) -> str:
        token = self._take()
        if token.kind != "relation":
            raise self.refuse(f"expected <=, >= or =, not {token.text!r}.")
        return _RELATIONS.get(token.text, token.text)

    def _expression(self) -> tuple[dict[int, float], float]:
        """Terms up to what is none of them, and their constant."""
        terms: dict[int, float] = {}
        constant, first = 0.0, True
        while self._next("sign") or (first and self._next("number", "name", "mark")):
            first = False
            column, factor = self._term()
            if column is None:
                constant += factor
            else:
                terms[column] = terms.get(column, 0.0) + factor
        return terms, constant

    def _term(self) -> tuple[int | None, float]:
        """A column with its factor, or a number by itself."""
        factor = 1.0
        while self._next("sign"):
            factor *= -1.0 if self._take().text == "-" else 1.0
        number = self._next("number")
        if number is not None:
            factor *= float(self._take().text)
            if self._next("mark", text="*"):
                self._take()
        self._refuse_squares()
        if self._next("name") and self._is_column():
            column = self.model.column(self._take().text)
            self._refuse_squares()
            return column, factor
        if number is None:
            raise self.refuse(f"expected a number or a column, not {self._take().text!r}.")
        return None, factor

    def _refuse_squares(self) -> None:
        mark = self._next("mark")
        if mark is not None and mark.text != ":":
            raise self.refuse("quadratic terms are not supported, only linear ones.", mark.line)

    def _is_column(self) -> bool:
        """Whether the next name is no name of what follows."""
        second = self._next("mark", offset=1)
        return second is None or second.text != ":"

    # Sections.

    def _objectives(self, _: str) -> None:
        given = dict(self.attributes)
        while self.at < len(self.tokens):
            place: Record = dict(given.get(self.at, {}))
            name = self._name()
            self.line = self.tokens[min(self.at, len(self.tokens) - 1)].line
            terms, constant = self._expression()
            found = LinearObjective(name or f"obj{len(self.model.objectives) or ''}", terms)
            self.model.objectives.append(replace(found, constant=constant, **place))
            rest = self._next()
            named = rest is not None and rest.kind in ("name", "number") and not self._is_column()
            if rest is not None and not (self.several and named):
                raise self.refuse(
                    f"{rest.text!r} is not expected in an objective; is 'Subject To' missing?",
                    rest.line,
                )

    def _rows(self, _: str) -> None:
        while self.at < len(self.tokens):
            begun = self.tokens[self.at].line
            name = self._name()
            if name is None:
                self.unnamed += 1
                name = f"R{len(self.model.rows)}"
            if name in self.model.rows:
                raise self.refuse(f"a second row is called {name!r}.", begun)
            terms, constant = self._expression()
            if not self._next("relation"):
                rest = self._next()
                said = "its relation" if rest is None else f"<=, >= or =, not {rest.text!r}"
                raise self.refuse(f"row {name!r}: expected {said}.", (rest or self.tokens[-1]).line)
            relation = self._relation()
            if terms:
                sides = _sides(relation, self._signed() - constant)
            else:
                sides = _sides(_turned(relation), constant)
                terms, offset = self._expression()
                if self._next("relation"):
                    other = _sides(self._relation(), self._signed())
                    sides = max(sides[0], other[0]), min(sides[1], other[1])
                sides = sides[0] - offset, sides[1] - offset
            if self._next("arrow"):
                raise self.refuse(f"row {name!r}: indicator constraints are not supported.", begun)
            self.model.row(name, *sides, terms)

    def _all_bounds(self, _: str) -> None:
        while self.at < len(self.tokens):
            left = None
            if not self._next("name") or self._next("name").text.lower() in _INFINITE:  # type: ignore[union-attr]
                left = self._signed(), self._relation()
            token = self._take()
            if token.kind != "name":
                raise self.refuse(f"expected a column, not {token.text!r}.")
            column = self.model.column(token.text)
            if left is not None:
                self._bind(column, _turned(left[1]), left[0])
            free = self._next("name")
            if free is not None and free.text.lower() == "free" and left is None:
                self._take()
                self.model.lower[column], self.model.upper[column] = -np.inf, np.inf
            elif self._next("relation"):
                relation = self._relation()
                self._bind(column, relation, self._signed())
            elif left is None:
                raise self.refuse(f"expected a bound, or the word free, behind {token.text!r}.")

    def _bind(self, column: int, relation: str, value: float) -> None:
        low, up = _sides(relation, value)
        if relation != "<=":
            self.model.lower[column] = low
        if relation != ">=":
            self.model.upper[column] = up

    def _integers(self, section: str) -> None:
        while self.at < len(self.tokens):
            token = self._take()
            if token.kind != "name":
                raise self.refuse(f"expected a column, not {token.text!r}.")
            column = self.model.column(token.text)
            self.model.integer.add(column)
            if section == "binaries":
                self.model.lower[column], self.model.upper[column] = 0.0, 1.0


def _without_constant(model: LinearModel) -> LinearModel:
    """The model with its constants in the objectives, if a column stands for them."""
    if CONSTANT not in model.columns:
        return model
    j = model.columns.index(CONSTANT)
    if not model.lower[j] == model.upper[j] == 1.0 or model.matrix[:, [j]].nnz:
        return model
    kept = [k for k in range(len(model.columns)) if k != j]
    objectives = [
        replace(
            one,
            terms={k - (k > j): value for k, value in one.terms.items() if k != j},
            constant=one.constant + one.terms.get(j, 0.0),
        )
        for one in model.objectives
    ]
    return replace(
        model, columns=tuple(model.columns[k] for k in kept), lower=model.lower[kept],
        upper=model.upper[kept], integer=model.integer[kept], matrix=model.matrix[:, kept],
        objectives=tuple(objectives),
    )  # fmt: skip


def _turned(relation: str) -> str:
    return {"<=": ">=", ">=": "<="}.get(relation, relation)


def _sides(relation: str, value: float) -> tuple[float, float]:
    if relation == "=":
        return value, value
    return (-np.inf, value) if relation == "<=" else (value, np.inf)


# Writing.

_WIDTH = 78


def lp_text(model: LinearModel) -> Iterator[str]:
    """The lines of an LP file."""
    yield from _objective_lines(model)
    yield "Subject To"
    yield from _row_lines(model)
    yield "Bounds"
    used = {j for one in model.objectives for j in one.terms} | {*model.matrix.indices.tolist()}
    for j, column in enumerate(
        zip(model.columns, model.lower.tolist(), model.upper.tolist(), strict=True)
    ):
        yield from _bound_lines(*column, used=j in used)
    if any(one.constant for one in model.objectives):
        yield f" {CONSTANT} = 1"
    if model.integer.any():
        yield "Generals"
        yield from (f" {model.columns[j]}" for j in np.flatnonzero(model.integer))
    yield "End"


def _objective_lines(model: LinearModel) -> Iterator[str]:
    single = len(model.objectives) == 1 and model.objectives[0].weight == 1.0
    yield f"{'Maximize' if model.maximise else 'Minimize'}{'' if single else ' multi-objectives'}"
    for one in model.objectives:
        text = _linear(model, [*one.terms.items()], one.constant)
        text += f" {CONSTANT}" if one.constant else ""
        if single:
            yield from _wrapped(f" {one.name}: {text}")
            continue
        yield (
            f"  {one.name}: Priority={one.priority:g} Weight={one.weight!r} "
            f"AbsTol={one.atol!r} RelTol={one.rtol!r}"
        )
        yield from _wrapped(f"   {text}")


def _row_lines(model: LinearModel) -> Iterator[str]:
    matrix = model.matrix
    sides = zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True)
    for i, (low, up) in enumerate(sides):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        terms = [*zip(matrix.indices[part], matrix.data[part].tolist(), strict=True)]
        text = _linear(model, terms, 0.0)
        if low == up:
            text += f" = {up!r}"
        elif np.isfinite(low) and np.isfinite(up):
            text = f"{low!r} <= {text} <= {up!r}"
        else:
            text += f" >= {low!r}" if np.isfinite(low) else f" <= {_bound(up)}"
        yield from _wrapped(f" {model.rows[i]}: {text}")


def _bound_lines(name: str, low: float, up: float, *, used: bool) -> Iterator[str]:
    """What is not to be read from the column's other places; one without any is there at least."""
    if low == -np.inf and up == np.inf:
        yield f" {name} free"
    elif low == up:
        yield f" {name} = {low!r}"
    elif (low, up) != (0.0, np.inf) or not used:
        yield f" {_bound(low)} <= {name}" + (f" <= {up!r}" if up < np.inf else "")


def _bound(value: float) -> str:
    return repr(value) if np.isfinite(value) else "inf" if value > 0 else "-inf"


def _linear(model: LinearModel, terms: list[tuple[int, float]], constant: float) -> str:
    parts = [f"{'-' if v < 0 else '+'} {abs(v)!r} {model.columns[j]}" for j, v in terms]
    if constant:
        parts.append(f"{'-' if constant < 0 else '+'} {abs(constant)!r}")
    return " ".join(parts or [f"0 {model.columns[0]}"])


def _wrapped(text: str) -> Iterator[str]:
    """Lines of a readable length, broken before signs, so that no coefficient loses its column."""
    while len(text) > _WIDTH:
        cut = max(text.rfind(" + ", 4, _WIDTH), text.rfind(" - ", 4, _WIDTH))
        if cut <= 0:
            break
        yield text[:cut]
        text = "   " + text[cut:]
    yield text
