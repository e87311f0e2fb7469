"""Check what a caller gives to a program, one thing at a time, and say what is wrong with it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

import lexiprog as lx
from lexiprog_boost.aliases import Floats

# 1/T is not a binary fraction: a cap of 1/T must not fail by its last bit.
ROUNDING = 1e-12


def check_margins(margins: Any) -> Floats:
    """Return the margin matrix in float64."""
    table = np.asarray(margins, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"margins has shape {table.shape}; give one row a point and one column a member, "
            "and at least one of each."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"the margin of member {column} on point {row} is {table[row, column]}; "
            "margins must be finite."
        )
    return table


def check_classes(classes: NDArray) -> NDArray:
    """Refuse a problem with one class."""
    if len(classes) < 2:
        raise ValueError(f"y has the one class {classes.tolist()}; it takes two or more.")
    return classes


def check_rounds(n_estimators: Any) -> None:
    """Refuse to train no member at all, or a part of one."""
    if isinstance(n_estimators, bool) or not isinstance(n_estimators, Integral):
        raise TypeError(f"n_estimators is {n_estimators!r}; it counts rounds: a whole number.")
    if n_estimators < 1:
        raise ValueError(f"n_estimators is {n_estimators}; a pool needs at least one round.")


def check_learner(estimator: Any) -> Any:
    """Refuse what cannot be trained."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"estimator is {estimator!r}; it must be a classifier with a method fit, such as "
            "DecisionTreeClassifier(max_depth=1)."
        )
    if hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator):
        raise TypeError(
            f"estimator is {estimator!r}, a regressor, whose numbers are no votes; take a "
            "classifier, such as DecisionTreeClassifier(max_depth=1)."
        )
    return estimator


def check_class_costs(class_costs: Any, classes: NDArray, masses: Floats | None = None) -> Floats:
    """Return one cost a class from a mapping by label or a sequence in the order of the classes.

    Classes that a mapping does not name cost 1. "balanced", where the classes' masses are known,
    stands for the largest mass over each.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.checks.values import check_class_costs
    >>> check_class_costs({"rare": 5, "many": 1}, np.array(["many", "rare"])).tolist()
    [1.0, 5.0]
    """
    labels = classes.tolist()
    if class_costs is None:
        return np.ones(len(labels))
    if isinstance(class_costs, str):
        if class_costs != "balanced" or masses is None:
            way = "give the costs" if masses is None else "it is 'balanced', or give the costs"
            raise ValueError(f"unknown class_costs {class_costs!r}; {way}.")
        return masses.max() / masses
    costs = np.asarray(_costs_in_order(class_costs, labels), dtype=np.float64)
    for label, cost in zip(labels, costs.tolist(), strict=True):
        if not 0 <= cost < np.inf:
            raise ValueError(
                f"the cost of class {label!r} is {cost}; costs must be finite and at least 0."
            )
    if not costs.any():
        raise ValueError("class_costs is zero for every class; make some class matter.")
    return costs


def _costs_in_order(class_costs: Any, labels: list[Any]) -> list[Any]:
    """One cost a label, from a mapping or a sequence."""
    if isinstance(class_costs, Mapping):
        unknown = [label for label in class_costs if label not in labels]
        if unknown:
            raise ValueError(
                f"class_costs has the label {unknown[0]!r}, which is no class; "
                f"the classes are {labels}."
            )
        return [class_costs.get(label, 1.0) for label in labels]
    values = list(class_costs)
    if len(values) != len(labels):
        raise ValueError(
            f"class_costs has {len(values)} costs for the {len(labels)} classes {labels}; "
            "give one a class, in this order, or a mapping by label."
        )
    return values


def check_confidence(confidence: Any) -> float:
    """Return the confidence of a promise, which a coin does not give.

    Examples
    --------
    >>> from lexiprog_boost.checks.values import check_confidence
    >>> check_confidence(0.95)
    0.95
    """
    number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not number or not 0.5 <= confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; it lies from 0.5 to below 1.")
    return float(confidence)


def check_margin_target(margin_target: Any) -> float:
    """Return theta, which lies above 0 and at most at 1."""
    if not isinstance(margin_target, int | float | np.number) or not 0 < margin_target <= 1:
        raise ValueError(
            f"margin_target is {margin_target!r}; it must lie above 0 and at most at 1, "
            "where 1 is the paper's."
        )
    return float(margin_target)


def check_weight_cap(weight_cap: Any, n_members: int) -> float | None:
    """Return the cap, which must leave room for weights that sum to one; a cap of 1 is none."""
    if weight_cap is None:
        return None
    if not isinstance(weight_cap, int | float | np.number) or not weight_cap > 0:
        raise ValueError(f"weight_cap is {weight_cap!r}; it must be a number above 0, or None.")
    if weight_cap * n_members < 1 - ROUNDING:
        raise ValueError(
            f"weight_cap is {weight_cap!r}, but {n_members} members with at most that weight can't "
            f"sum to one; give at least 1/{n_members} = {1 / n_members:.6g}, or more members."
        )
    return None if weight_cap >= 1 else max(float(weight_cap), 1.0 / n_members)


def reachable_cap(weight_cap: Any, n_members: int) -> Any:
    """Return the cap, or the least one that so few members can keep: the first of a loop cannot.

    Examples
    --------
    >>> from lexiprog_boost.checks.values import reachable_cap
    >>> reachable_cap(0.3, 2), reachable_cap(0.3, 10), reachable_cap(None, 2)
    (0.5, 0.3, None)
    """
    if isinstance(weight_cap, int | float | np.number) and 0 < weight_cap < 1 / n_members:
        return 1 / n_members
    return weight_cap


def check_optima(optima: Any, classes: NDArray) -> Floats:
    """Return the class optima L_j as an array, from a mapping by label or a sequence."""
    labels = classes.tolist()
    if isinstance(optima, Mapping):
        absent = [label for label in labels if label not in optima]
        if absent:
            raise ValueError(f"optima has no value for class {absent[0]!r}; give it one.")
        optima = [optima[label] for label in labels]
    values = np.asarray(optima, dtype=np.float64)
    if values.shape != (len(labels),) or not np.isfinite(values).all():
        raise ValueError(
            f"optima has shape {values.shape}; give one finite number for each of {labels}."
        )
    return values


def reduced(estimator: Any) -> tuple[Any, ...]:
    """What a pickle of an estimator holds: which version wrote it, then all that it has learnt."""
    return blank, (type(estimator), version_here()), estimator.__getstate__()


def blank(kind: Any, written_by: str) -> Any:
    """An estimator to be filled from a pickle, with a warning first if it is another version's."""
    if written_by != version_here():
        warnings.warn(
            f"this {kind.__name__} was pickled by lexiprog {written_by}, and here is "
            f"{version_here()}: if it cannot be read, or predicts something else, fit it again, or "
            "install that version.",
            lx.LexiprogWarning,
            stacklevel=2,
        )
    return kind.__new__(kind)


@cache
def version_here() -> str:
    """The version that is installed."""
    return version("lexiprog")


def solver_for(program: lx.Program, solver: Any) -> Any:
    """Return a choice of solvers without the names of stages that a program does not have.

    A reduction may make a stage unnecessary that the caller, rightly, has a solver for.

    Parameters
    ----------
    program : lexiprog.Program
        What is to be solved.
    solver : optional
        As for ``lexiprog.Program.solve``; only a mapping is changed.

    Returns
    -------
    The same choice, or a smaller mapping.

    Examples
    --------
    >>> from lexiprog_boost.checks.values import solver_for
    >>> from lexiprog_boost.programs import lpadaboost_program
    >>> solver_for(lpadaboost_program([[1]]), {"margin": "HIGHS", "weights": "CLARABEL"})
    {'margin': 'HIGHS'}
    """
    if not isinstance(solver, Mapping):
        return solver
    names = {stage.name for stage in program.stages} | set(program.subproblems)
    return {name: choice for name, choice in solver.items() if name in names}


def solver_of(solver: Any, *names: str) -> Any:
    """Return what a choice of solvers has for the first of these names, for a program of its own.

    Examples
    --------
    >>> from lexiprog_boost.checks.values import solver_of
    >>> choice = {"classes": "HIGHS", "class:rare": "CLARABEL"}
    >>> solver_of(choice, "class:rare", "classes"), solver_of(choice, "class:many", "classes")
    ('CLARABEL', 'HIGHS')
    >>> solver_of("ECOS", "classes"), solver_of(choice, "balance")
    ('ECOS', None)
    """
    if not isinstance(solver, Mapping):
        return solver
    return next((solver[name] for name in names if name in solver), None)


def check_solver_names(solver: Any, stage_names: Sequence[str]) -> None:
    """Refuse a choice for a stage or subproblem that no form of the programs has.

    Examples
    --------
    >>> from lexiprog_boost.checks.values import check_solver_names
    >>> check_solver_names({"balnce": "HIGHS"}, ["classes", "balance"])
    Traceback (most recent call last):
    ...
    ValueError: solver names 'balnce', which is no stage or subproblem; there are ['classes', \
'balance'].
    """
    for name in solver if isinstance(solver, Mapping) else ():
        if name not in stage_names:
            raise ValueError(
                f"solver names {name!r}, which is no stage or subproblem; "
                f"there are {list(stage_names)}."
            )
