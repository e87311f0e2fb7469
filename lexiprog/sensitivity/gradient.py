"""The derivative of an optimum by a user's parameter, through every reference between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import cvxpy as cp
import numpy as np

from lexiprog import cvxpy_adapter
from lexiprog.errors import DeclarationError
from lexiprog.model.expressions import dense, holding, key_of
from lexiprog.model.lock import Tolerance
from lexiprog.model.references import REFERENCES, Reference, ReferenceKind
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.rebind import constant_of, with_leaves
from lexiprog.results.solution import Solution
from lexiprog.sensitivity.first_order import Changes, NoDerivative
from lexiprog.sensitivity.local import Local, statement_of
from lexiprog.tolerances import DIFFERENCE_STEP, KINK, UNIQUE_OPTIMUM
from lexiprog.typing import Array, Leaf, Solutions, Value


def limit_slopes(
    reference: Reference,
    solution: Solution,
    slope: Array,
    holder: Solution,
    jacobians: Mapping[int, Array],
    *,
    sided: bool,
) -> Array:
    """Slopes of what a reference to an optimum stands for in the problem that holds it.

    Where both tolerances allow the same, the larger slope counts, which only one side has.
    """
    lock, value = reference.lock, solution.value
    if lock is None:
        return slope
    atol, rtol = _recorded(lock.atol, holder), _recorded(lock.rtol, holder)
    absolute = _moves(lock.atol, jacobians, slope.size)
    relative = rtol * np.sign(value) * slope + abs(value) * _moves(lock.rtol, jacobians, slope.size)
    if rtol * abs(value) < atol:
        room = absolute
    elif rtol * abs(value) > atol:
        room = relative
    elif sided or np.array_equal(absolute, relative):
        room = np.maximum(absolute, relative)
    else:
        raise NoDerivative(
            f"{lock.owner_name!r} is held within atol and rtol that allow the same there: ask for "
            'one side, side="right" or side="left"'
        )
    return slope - room if lock.maximise else slope + room


def refuse_closed_locks(
    parameter: cp.Parameter, subproblem: Subproblem, statement: Subproblem
) -> None:
    """Refuse a tolerance of zero on a curve: the first of it may buy more than any slope says."""
    found = (REFERENCES.get(p) for p in statement.problem.parameters())
    kept = [reference.lock for reference in found if reference is not None]
    for _, lock in subproblem.locks:
        gone = not any(lock is other for other in kept)
        if gone and any(p is parameter for p in lock.parameters.values()):
            raise NoDerivative(
                f"{parameter.name()!r} is a tolerance of 0 on {lock.owner_name!r}, which is no "
                "linear program: what the first of it buys need not have a slope"
            )


def _recorded(tolerance: Tolerance, holder: Solution) -> float:
    """A tolerance as it was when the program was solved."""
    if isinstance(tolerance, float):
        return tolerance
    value = constant_of(holder, tolerance)
    return float(np.asarray(tolerance.value if value is None else value).item())


def _moves(tolerance: Tolerance, jacobians: Mapping[int, Array], count: int) -> Array:
    if isinstance(tolerance, float):
        return np.zeros(count)
    return np.reshape(jacobians.get(tolerance.id, np.zeros(count)), count)


Move = tuple[Array, Array]  # of a point and of its multipliers


def gradient_of(
    stages: Iterable[Stage],
    solutions: Solutions,
    parameter: cp.Parameter,
    of: str,
    side: str | None = None,
) -> Array:
    """Derivative of the optimum of ``of`` by each entry of ``parameter``, in its shape.

    ``side`` is "right" or "left" for the derivative as the entry grows or falls.

    Raises
    ------
    NoDerivative
        With the reason, if there is none.
    """
    subproblems = {p.name: p for stage in stages for p in stage.subproblems}
    _check(parameter, side, subproblems.values())
    statements = {
        n: statement_of(p, solutions[n]) for n, p in subproblems.items() if n in solutions
    }
    needed = _ancestors(of, statements)
    sign = -1.0 if side == "left" else 1.0
    jacobians: dict[int, Array] = {parameter.id: sign * np.eye(parameter.size)}
    slope = np.zeros(parameter.size)
    for name in (n for n in subproblems if n in needed):
        followers = [statements[other] for other in needed if other != name]
        try:
            refuse_closed_locks(parameter, subproblems[name], statements[name])
            slope = _follow(
                subproblems[name], statements[name], solutions, jacobians, followers,
                wanted=name == of, sided=side is not None,
            )  # fmt: skip
        except NoDerivative as error:
            raise NoDerivative(
                f"the optimum of {of!r} has no {f'{side} ' if side else ''}derivative by "
                f"{parameter.name()!r} that could be found, because of subproblem {name!r}: "
                f"{error}."
            ) from error
    return np.reshape(sign * slope + 0.0, parameter.shape, order="F")


def _check(parameter: cp.Parameter, side: str | None, subproblems: Iterable[Subproblem]) -> None:
    """Refuse what is no parameter of the program, or no side."""
    declared = {p.id: p for subproblem in subproblems for p in subproblem.parameters}
    if not isinstance(parameter, cp.Parameter) or parameter.id not in declared:
        names = ", ".join(repr(p.name()) for p in declared.values()) or "none"
        itself = " Give the cp.Parameter itself." if isinstance(parameter, str) else ""
        raise DeclarationError(
            f"{parameter} is no parameter of this program; it has {names}.{itself}"
        )
    if side not in (None, "right", "left"):
        raise DeclarationError(f'side is "right", "left" or None, not {side!r}.')
    if parameter.is_complex():
        raise NoDerivative(f"{parameter.name()!r} is complex: there is no one derivative by it.")


def _ancestors(of: str, statements: dict[str, Subproblem]) -> list[str]:
    """``of`` and every subproblem whose optimum it reads, at once or through others."""
    names = [of]
    for name in names:
        for _, reference in statements[name].references:
            if reference.owner_name not in names:
                names.append(reference.owner_name)
    return names


def _follow(
    subproblem: Subproblem,
    statement: Subproblem,
    solutions: Solutions,
    jacobians: dict[int, Array],
    followers: list[Subproblem],
    *,
    wanted: bool,
    sided: bool,
) -> Array:
    """The optimum's derivative; those of what others read of it are added to ``jacobians``."""
    count = next(iter(jacobians.values())).shape[1]
    solution = solutions[subproblem.name]
    asked = {
        placeholder.id: (placeholder, reference, solutions[other.name])
        for other in followers
        for placeholder, reference in other.references
        if reference.owner_name == subproblem.name
    }
    values = {
        key: (reference, holder)
        for key, (placeholder, reference, holder) in asked.items()
        if _reads_value(placeholder, reference, subproblem)
    }
    slope, points = np.zeros(count), None
    if any(p.id in jacobians for p in statement.problem.parameters()):
        local = Local.of(subproblem, statement, solutions)
        changes = local.changes(jacobians)
        if wanted or values:
            slope = local.value_derivative(changes, jacobians, sided=sided)
        points = _Points.of(local, changes) if len(values) < len(asked) else None
    for key, (reference, holder) in values.items():
        limit = limit_slopes(reference, solution, slope, holder, jacobians, sided=sided)[None]
        _record(jacobians, key, limit)
    for key, (_, reference, _) in asked.items():
        if key not in values:
            _record(jacobians, key, _read_slopes(reference, solution, points, jacobians))
    return slope


def _record(jacobians: dict[int, Array], key: int, slopes: Array) -> None:
    """Nothing is recorded of what does not move."""
    if np.any(slopes):
        jacobians[key] = slopes


def _reads_value(placeholder: cp.Parameter, reference: Reference, owner: Subproblem) -> bool:
    return reference.lock is not None or placeholder is owner.optimum


class _Points:
    """Solutions near the recorded one: along each change, and where others are optimal too."""

    def __init__(self, local: Local, along: list[Move], loose: list[Move]) -> None:
        self.local, self.along, self.loose = local, along, loose

    @classmethod
    def of(cls, local: Local, changes: Changes) -> _Points:
        dx, dz = local.first.solution(changes)
        rng = np.random.default_rng(0)
        points, multipliers = local.first.loose_points(), local.first.loose_multipliers()
        loose = []
        for _ in range(3 if points.shape[1] or multipliers.shape[1] else 0):
            mix = [rng.uniform(0.5, 1.5, part.shape[1]) for part in (points, multipliers)]
            loose.append((points @ mix[0], multipliers @ mix[1]))
        return cls(local, list(zip(dx.T, dz.T, strict=True)), loose)

    def check_unique(self, reference: Reference) -> None:
        """Refuse a reference to what other optimal solutions have other values of."""
        dual = reference.kind is ReferenceKind.DUAL
        if dual and self.local.statement is not self.local.subproblem:
            raise NoDerivative(f"the multipliers of {reference.label} depend on how a lock is put")
        for direction in self.loose:
            size = 1.0 + max(float(np.max(np.abs(d), initial=0.0)) for d in direction)
            step = DIFFERENCE_STEP / size
            apart = np.ravel(reference.read(self.solution(direction, step)))
            base = np.ravel(reference.read(self.solution(direction, 0.0)))
            if np.max(np.abs(apart - base)) > UNIQUE_OPTIMUM * step * size:
                raise NoDerivative(f"{reference.label} is not unique: other solutions are optimal")

    def solution(self, direction: Move, step: float) -> Solution:
        """The recorded solution, moved."""
        local = self.local
        subproblem, solution = local.subproblem, local.solution
        answer = local.translated(step * direction[0], step * direction[1])
        values = [np.asarray(dense(answer.primal[v.id])) for v in subproblem.variables]
        keys = [key_of(v, k) for k, v in enumerate(subproblem.variables)]
        duals = tuple(
            cvxpy_adapter.dual_arrays(c, answer.dual[c.id]) if c.id in answer.dual else None
            for c in subproblem.constraints
        )
        leaves = {v.id: value for v, value in zip(subproblem.variables, values, strict=True)}
        moved = replace(solution, variables=dict(zip(keys, values, strict=True)), duals=duals)
        return with_leaves(moved, leaves)


def _read_slopes(
    reference: Reference,
    solution: Solution,
    points: _Points | None,
    jacobians: dict[int, Array],
) -> Array:
    """Derivative of what a reference reads, by differences along each change."""
    count = next(iter(jacobians.values())).shape[1]
    inside = [p for p in reference.inside if p.id in jacobians]
    if points is None and not inside:
        return np.zeros((1, count))
    if points is not None:
        points.check_unique(reference)
    columns = []
    for k in range(count):

        def moved(by: float, k: int = k) -> Array:
            values: list[tuple[Leaf, Value]] = []
            shifted = solution if points is None else points.solution(points.along[k], by)
            leaves = {}
            for p in inside:
                base = constant_of(solution, p)
                base = np.asarray(p.value if base is None else base, dtype=float)
                shift = np.reshape(jacobians[p.id][:, k], p.shape, order="F")
                values.append((p, base + by * shift))
                leaves[p.id] = base + by * shift
            with holding(values):
                found = reference.read(with_leaves(shifted, leaves))
            return np.ravel(np.asarray(found, dtype=float), order="F")

        columns.append(_derivative(moved, points, k, reference))
    return np.column_stack(columns)


def _derivative(
    moved: Callable[[float], Array], points: _Points | None, k: int, reference: Reference
) -> Array:
    size = 1.0
    if points is not None:
        size += max(float(np.max(np.abs(d), initial=0.0)) for d in points.along[k])
    step = DIFFERENCE_STEP / size
    here, ahead, behind = moved(0.0), moved(step), moved(-step)
    right, left = (ahead - here) / step, (here - behind) / step
    central = 0.5 * (right + left)
    if np.max(np.abs(right - left)) > KINK * (1.0 + np.max(np.abs(central))):
        raise NoDerivative(f"{reference.label} has a kink here")
    wider = (moved(2.0 * step) - moved(-2.0 * step)) / (4.0 * step)
    return np.asarray((4.0 * central - wider) / 3.0)
