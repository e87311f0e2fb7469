"""Hold the optima of conic problems by their optimal face, found lock by lock.

A bound on an objective whose optimal points lie on a curve, or are matrices of low rank, leaves a
sliver: an error of 1e-12 in the optimum is one of 1e-6 in the point. The multipliers of the problem
"what is the least that the lock can be" say which face is meant (see ``canon.conic_face``), and on
the face nothing is remaining to be bounded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.clarabel import Interior, solve_conic, solve_or_refute
from lexiprog.canon.conic_face import exposed
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.newton import sharpened
from lexiprog.certify.terms import TermSizes
from lexiprog.compile.answer import Answer, HeldOptima
from lexiprog.compile.task import Solutions, Strategy, Task, compile_alone
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import holding
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.integer import best_start, branched
from lexiprog.status import Status
from lexiprog.tolerances import LOCK_AT_MINIMUM, LOCK_LOOSENED
from lexiprog.typing import Array

if TYPE_CHECKING:
    from lexiprog.backends.branching import Leaf

# How far beyond that point's objective the problem is cut off, lest something grow without end.
BEYOND = 100.0


class NoFace(Exception):
    """There is no face to speak of."""


@dataclass(frozen=True)
class OnFaces:
    """The problem without its locks, on the faces that were found so far."""

    form: StandardForm
    misses: Array  # of each equation: how exactly it is known
    owners: list[str]  # of each equation: whose face it belongs to
    point: Array  # that the last face was found at

    def at_point(self) -> OnFaces:
        """The same with new equations that hold at the point.

        There may be more of them than it takes, which contradict each other in digits that are not
        known.
        """
        new = np.array([bool(owner) for owner in self.owners], dtype=bool)
        there = (self.form.A @ self.point)[: new.size]
        b, misses = self.form.b.copy(), self.misses.copy()
        misses[new] += np.abs(there - b[: new.size])[new]
        b[: new.size][new] = there[new]
        return replace(self, form=replace(self.form, b=b), misses=misses)


@dataclass
class ConicFace:
    """Conic problems that hold earlier optima without tolerance, on CLARABEL."""

    rows: dict[str, list[int] | None] = field(default_factory=dict)

    alone = False

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The subproblem by itself; which of its rows are the locks is found on the way."""
        compiled = compile_alone(subproblem, strategy, solutions)
        self.rows[subproblem.name] = _lock_rows(subproblem, strategy, solutions, compiled.form)
        return compiled

    def run(self, task: Task) -> Answer:
        """Find the face of each lock in turn, and optimise on what they leave."""
        start = time.perf_counter()
        rows, form = self.rows[task.subproblem.name], task.native.scaled
        try:
            if rows is None:
                raise NoFace("a lock is not one row")
            locks = Locks(rows, [lock.owner_name for _, lock in task.subproblem.locks])
            if task.integer:
                answer, form = _search(task, form, locks)
            on_face, optimum, remaining = optimum_on_faces(form, locks, task.deadline)
        except NoFace as error:
            return Answer(Status.FAILED, reason=str(error), seconds=time.perf_counter() - start)
        if not task.integer:
            answer = answer_at(task.native, optimum.x, None, iterations=None)
            answer = replace(answer, form=on_face, z=optimum.z)
        known = np.abs(optimum.z[: on_face.cones.zero])
        effects = 2.0 * known * remaining.misses / task.native.scaling.cost
        doubts = dict.fromkeys(locks.names, 0.0)
        for owner, effect in zip(remaining.owners, effects, strict=True):
            doubts[owner] = doubts.get(owner, 0.0) + float(effect)
        doubts.pop("", None)
        seconds = time.perf_counter() - start
        return replace(answer, held=HeldOptima(effects=doubts), seconds=seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Each problem finds its faces itself."""


@dataclass(frozen=True)
class Locks:
    """The rows of a form that hold earlier optima, and whose they are."""

    rows: list[int]
    names: list[str]

    def loosened(self, form: StandardForm) -> StandardForm:
        """The form with more room than it takes to tell points near the locks."""
        b = form.b.copy()
        b[self.rows] += LOCK_LOOSENED * (1.0 + np.abs(b[self.rows]))
        return replace(form, b=b)


def optimum_on_faces(
    form: StandardForm, locks: Locks, deadline: Deadline
) -> tuple[StandardForm, Interior, OnFaces]:
    """The optimum on the faces of all locks, the form of which it is one, and the faces."""
    remaining = _without(form, locks, deadline)
    for name, row in zip(locks.names, locks.rows, strict=True):
        lock = sp.csr_array(form.A)[row : row + 1]
        remaining = _on_face(remaining, lock, float(form.b[row]), name, deadline)
    for place in (remaining, remaining.at_point()):
        last = replace(place.form, c=form.c, P=form.P, offset=form.offset)
        optimum = solve_conic(last, deadline)
        if optimum is not None:
            return last, optimum, place
    raise NoFace("no optimum on the optimal face")


# The same with integers: by faces where they are fixed, since each choice has faces of its own.


def _search(task: Task, form: StandardForm, locks: Locks) -> tuple[Answer, StandardForm]:
    """The best answer over all integers, and the form with them fixed, in units of its own."""
    from lexiprog.backends.branching import shrunk
    from lexiprog.canon.product_units import in_product_units

    start = best_start(task, form)
    answer = branched(task, form, Answer(Status.NO_ANSWER), start, partial(_held, locks))
    if answer.x is None:
        raise NoFace(answer.said)
    units = in_product_units(form)
    bounds = Bounds.of(units.form)
    bounds.lower[form.integer] = bounds.upper[form.integer] = answer.x[form.integer]
    lower, upper = shrunk(units.form, bounds.lower, bounds.upper, task.solver.accept) or (
        bounds.lower,
        bounds.upper,
    )
    return answer, replace(units.form, lower=lower, upper=upper, integer=None)


def _held(locks: Locks, form: StandardForm) -> tuple[StandardForm, Leaf]:
    """The form with its locks loosened, and what keeps to their faces where integers are fixed."""
    return locks.loosened(form), partial(leaf_on_faces, locks, form.b)


def leaf_on_faces(
    locks: Locks, b: Array, form: StandardForm, deadline: Deadline
) -> tuple[StandardForm, Interior | None]:
    """What is left where all integers are fixed: on its faces or, without any, as it is."""
    form = replace(form, b=b)
    try:
        return optimum_on_faces(form, locks, deadline)[:2]
    except NoFace:
        return form, solve_or_refute(form, deadline)


def _lock_rows(
    subproblem: Subproblem, strategy: Strategy, solutions: Solutions, form: StandardForm
) -> list[int] | None:
    """The row of each lock, found by moving its limit; None if one has more than one."""
    rows = []
    for position, lock in subproblem.locks:
        limit = limit_of(subproblem.constraints[position], lock)
        step = abs(float(limit.value)) + (0.0 if subproblem.gp else 1.0)
        with holding([(limit, np.array(limit.value + step))]):
            moved = compile_alone(subproblem, strategy, solutions).form
        changed = np.flatnonzero(moved.b != form.b)
        linear = changed.size == 1 and form.cones.zero <= changed[0] < form.cones.linear
        if not linear or (moved.A != form.A).nnz:
            return None
        rows.append(int(changed[0]))
    return rows


def _without(form: StandardForm, locks: Locks, deadline: Deadline) -> OnFaces:
    """The form without its locks, cut off well beyond what its objective need be."""
    rows, loosened = locks.rows, locks.loosened(form)
    start, b = solve_conic(loosened, deadline), loosened.b
    if start is None:
        raise NoFace("no point near the locks")
    A, linear = sp.csr_array(form.A), form.cones.linear
    kept = np.delete(np.arange(b.size), rows)
    middle = linear - len(rows)
    parts, sides = [A[kept[:middle]], A[kept[middle:]]], [b[kept[:middle]], b[kept[middle:]]]
    more = 0
    if form.P is None and form.c.any():
        more = 1
        height = float(form.c @ start.x)
        parts.insert(1, sp.csr_array(form.c[None]))
        sides.insert(1, np.array([height + BEYOND * (1.0 + abs(height))]))
    cones = replace(form.cones, nonneg=form.cones.nonneg - len(rows) + more)
    matrix = sp.csc_array(sp.vstack(parts))
    cut = replace(form, A=matrix, b=np.concatenate(sides), cones=cones)
    return OnFaces(cut, np.zeros(cones.zero), [""] * cones.zero, start.x)


def _is_nearer(form: StandardForm, one: tuple[Array, Array], other: tuple[Array, Array]) -> bool:
    """Whether one point with multipliers is no farther from an optimum than another."""
    return (
        TermSizes(form, *one).measure(*one).worst <= TermSizes(form, *other).measure(*other).worst
    )


def _on_face(
    remaining: OnFaces, row: sp.csr_array, limit: float, name: str, deadline: Deadline
) -> OnFaces:
    """What a lock leaves, if its limit is the least that the rest allows."""
    cost = row.toarray()[0]
    problem = replace(remaining.form, c=cost, P=None, offset=0.0)
    found = solve_conic(problem, deadline)
    if found is None:
        raise NoFace(f"no least value of the lock on {name!r}")
    sharp = sharpened(problem, found.x, found.z)
    if sharp is not None and _is_nearer(problem, sharp, (found.x, found.z)):
        found = Interior(*sharp)
    if not abs(cost @ found.x - limit) <= LOCK_AT_MINIMUM * (1.0 + abs(limit)):
        raise NoFace(f"the lock on {name!r} is not at its end")
    face = exposed(problem, found.x, found.z)
    if face is None:
        raise NoFace(f"the optimal face of {name!r} is not clear")
    misses = np.concatenate([remaining.misses, face.misses])
    return OnFaces(face.form, misses, remaining.owners + [name] * face.misses.size, found.x)
