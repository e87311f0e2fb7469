"""MathOptFormat, the JSON of JuMP's MathOptInterface, with vector objectives.

The entries of a vector objective are levels in their order, as MultiObjectiveAlgorithms'
lexicographic method has them. The format has no place for their names, priorities and tolerances.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from lexiprog.files.linear_model import LinearModel, LinearObjective, ModelBuilder, ModelError

AffineRow = tuple[dict[int, float], float]
_SIDES: dict[str, Callable[[Mapping[str, Any]], tuple[float, float]]] = {
    "LessThan": lambda s: (-np.inf, float(s["upper"])),
    "GreaterThan": lambda s: (float(s["lower"]), np.inf),
    "EqualTo": lambda s: (float(s["value"]), float(s["value"])),
    "Interval": lambda s: (float(s["lower"]), float(s["upper"])),
    "Nonnegatives": lambda _: (0.0, np.inf),
    "Nonpositives": lambda _: (-np.inf, 0.0),
    "Zeros": lambda _: (0.0, 0.0),
}


def read_mof(lines: Iterable[str], source: str) -> LinearModel:
    """The model of a MathOptFormat file."""
    try:
        record = json.loads("".join(lines))
    except json.JSONDecodeError as error:
        raise ModelError(
            f"{source}, line {error.lineno}: expected JSON, but {error.msg}."
        ) from None
    except (RecursionError, ValueError) as error:  # nested too deep, a number of too many digits
        raise ModelError(f"{source} is no model: {error}.") from None
    place = "the file"
    try:
        if "version" not in record or "variables" not in record:
            raise ModelError(f"{source}: expected the fields 'version' and 'variables' of an MOF.")
        model = ModelBuilder(name=str(record.get("name", "")))
        for k, variable in enumerate(record["variables"]):
            place = f"variables[{k}]"
            if model.column(str(variable["name"]), -np.inf, np.inf) < k:
                raise ModelError(f"{source}: two variables are called {variable['name']!r}.")
        place = "objective"
        _objective(model, record.get("objective", {"sense": "feasibility"}), source)
        for k, constraint in enumerate(record.get("constraints", ())):
            place = f"constraints[{k}]"
            _constraint(model, constraint, f"{source}, {place}")
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{source}, {place}: expected another form ({error!r}).") from error
    return model.built()


def _objective(model: ModelBuilder, given: Mapping[str, Any], source: str) -> None:
    if given["sense"] not in ("min", "max", "feasibility"):
        raise ValueError(f"the sense is min, max or feasibility, not {given['sense']!r}")
    model.maximise = given["sense"] == "max"
    if given["sense"] == "feasibility":
        model.objectives.append(LinearObjective("objective", {}))
        return
    rows = _function(model, given["function"], f"{source}, objective")
    for k, (terms, constant) in enumerate(rows):
        name = "objective" if len(rows) == 1 else f"objective {k + 1}"
        model.objectives.append(LinearObjective(name, terms, constant, len(rows) - 1 - k))


def _constraint(model: ModelBuilder, given: Mapping[str, Any], where: str) -> None:
    kind, function = given["set"]["type"], given["function"]
    single = function["type"] in ("Variable", "SingleVariable")
    if single and kind in ("Integer", "ZeroOne"):
        ((terms, _),) = _function(model, function, where)
        (column,) = terms
        model.integer.add(column)
        if kind == "ZeroOne":
            model.lower[column] = max(model.lower[column], 0.0)
            model.upper[column] = min(model.upper[column], 1.0)
        return
    if kind not in _SIDES:
        raise ModelError(f"{where}: sets of type {kind} are not supported, only linear ones.")
    low, up = _SIDES[kind](given["set"])
    rows = _function(model, function, where)
    if single:
        (column,) = rows[0][0]
        model.lower[column] = max(model.lower[column], low)
        model.upper[column] = min(model.upper[column], up)
        return
    label = str(given.get("name") or f"c{len(model.rows) + 1}")
    for k, (terms, constant) in enumerate(rows):
        name = label if len(rows) == 1 else f"{label}[{k + 1}]"
        if name in model.rows:
            raise ModelError(f"{where}: a second row is called {name!r}.")
        model.row(name, low - constant, up - constant, terms)


def _function(model: ModelBuilder, given: Mapping[str, Any], where: str) -> list[AffineRow]:
    """Coefficients and constant of each output."""
    kind = given["type"]

    def column(name: str) -> int:
        if name not in model.columns:
            raise ModelError(f"{where}: {name!r} is not among the variables.")
        return model.columns[name]

    if kind in ("Variable", "SingleVariable"):
        return [({column(given.get("name") or given["variable"]): 1.0}, 0.0)]
    if kind == "VectorOfVariables":
        return [({column(name): 1.0}, 0.0) for name in given["variables"]]
    if kind == "ScalarAffineFunction":
        return [(_sum((column(t["variable"]), t["coefficient"]) for t in given["terms"]),
                 float(given["constant"]))]  # fmt: skip
    if kind == "VectorAffineFunction":
        terms: list[list[tuple[int, float]]] = [[] for _ in given["constants"]]
        for one in given["terms"]:
            inner, place = one["scalar_term"], one["output_index"]
            if place < 1:
                raise ModelError(f"{where}: outputs are counted from 1, not {place}.")
            terms[place - 1].append((column(inner["variable"]), inner["coefficient"]))
        return [(_sum(t), float(c)) for t, c in zip(terms, given["constants"], strict=True)]
    raise ModelError(f"{where}: functions of type {kind} are not supported, only affine ones.")


def _sum(terms: Iterable[tuple[int, float]]) -> dict[int, float]:
    out: dict[int, float] = {}
    for column, value in terms:
        out[column] = out.get(column, 0.0) + float(value)
    return out


# Writing.


def mof_text(model: LinearModel) -> Iterator[str]:
    """The text of a MathOptFormat file, in one piece."""
    for one in model.objectives:
        if one.atol or one.rtol:
            raise ModelError(f"level {one.name!r} has a tolerance, for which MOF has no place.")
    ordered = sorted(model.objectives, key=lambda one: -one.priority)
    if len({one.priority for one in ordered}) < len(ordered):
        raise ModelError("some objectives have one priority, for which MOF has no place.")
    sense = "max" if model.maximise else "min"
    objective = {"sense": sense, "function": _affine(model, ordered)}
    yield json.dumps(
        {
            "name": model.name or "lexiprog",
            "version": {"major": 1, "minor": 7},
            "variables": [{"name": name} for name in model.columns],
            "objective": objective,
            "constraints": [*_row_records(model), *_column_records(model)],
        },
        indent=1,
    )


def _row_records(model: LinearModel) -> Iterator[dict[str, Any]]:
    matrix = model.matrix
    sides = zip(model.rows, model.row_lower.tolist(), model.row_upper.tolist(), strict=True)
    for i, (name, low, up) in enumerate(sides):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        pairs = zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)
        function = {"type": "ScalarAffineFunction", "terms": _terms(model, pairs), "constant": 0.0}
        if np.isfinite(low) or np.isfinite(up):
            yield {"name": name, "function": function, "set": _set(low, up)}


def _column_records(model: LinearModel) -> Iterator[dict[str, Any]]:
    columns = zip(model.columns, model.lower.tolist(), model.upper.tolist(), strict=True)
    for j, (name, low, up) in enumerate(columns):
        function = {"type": "Variable", "name": name}
        if np.isfinite(low) or np.isfinite(up):
            yield {"function": function, "set": _set(low, up)}
        if model.integer[j]:
            yield {"function": function, "set": {"type": "Integer"}}


def _affine(model: LinearModel, objectives: list[LinearObjective]) -> dict[str, Any]:
    # A level of the other sense has the weight -1.
    if len(objectives) == 1:
        (one,) = objectives
        pairs = ((j, np.sign(one.weight) * v) for j, v in one.terms.items())
        constant = float(np.sign(one.weight) * one.constant)
        return {
            "type": "ScalarAffineFunction", "terms": _terms(model, pairs), "constant": constant
        }  # fmt: skip
    return {
        "type": "VectorAffineFunction",
        "terms": [
            {"output_index": k, "scalar_term": term}
            for k, one in enumerate(objectives, 1)
            for term in _terms(model, ((j, np.sign(one.weight) * v) for j, v in one.terms.items()))
        ],
        "constants": [float(np.sign(one.weight) * one.constant) for one in objectives],
    }


def _terms(model: LinearModel, pairs: Iterable[tuple[int, float]]) -> list[dict[str, Any]]:
    return [{"coefficient": float(v), "variable": model.columns[j]} for j, v in pairs]


def _set(low: float, up: float) -> dict[str, Any]:
    if low == up:
        return {"type": "EqualTo", "value": up}
    if np.isfinite(low) and np.isfinite(up):
        return {"type": "Interval", "lower": low, "upper": up}
    if np.isfinite(low):
        return {"type": "GreaterThan", "lower": low}
    return {"type": "LessThan", "upper": up}
