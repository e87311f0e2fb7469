"""Hold the optima of conic problems by their optimal face, found lock by lock.

A bound on an objective whose optimal points lie on a curve, or are matrices of low rank, leaves a
sliver: an error of 1e-12 in the optimum is one of 1e-6 in the point. The multipliers of the problem
"what is the least that the lock can be" say which face is meant (see ``canon.conic_face``), and on
the face nothing is remaining to be bounded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.clarabel import Interior, solve_conic
from lexiprog.canon.conic_face import exposed
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.answer import Answer, HeldOptima
from lexiprog.compile.task import Solutions, Strategy, Task, compile_alone
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import holding
from lexiprog.model.references import limit_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.status import Status
from lexiprog.tolerances import LOCK_AT_MINIMUM, LOCK_LOOSENED
from lexiprog.typing import Array

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
        try:
            form, optimum, remaining = self._solve(task)
        except NoFace as error:
            return Answer(Status.FAILED, reason=str(error), seconds=time.perf_counter() - start)
        answer = answer_at(task.native, optimum.x, None, iterations=None)
        effects = (
            2.0 * np.abs(optimum.z[: form.cones.zero]) * remaining.misses / task.native.scaling.cost
        )
        doubts = dict.fromkeys((lock.owner_name for _, lock in task.subproblem.locks), 0.0)
        for owner, effect in zip(remaining.owners, effects, strict=True):
            doubts[owner] = doubts.get(owner, 0.0) + float(effect)
        doubts.pop("", None)
        seconds = time.perf_counter() - start
        return replace(
            answer, form=form, z=optimum.z, held=HeldOptima(effects=doubts), seconds=seconds
        )

    def _solve(self, task: Task) -> tuple[StandardForm, Interior, OnFaces]:
        rows = self.rows[task.subproblem.name]
        if rows is None:
            raise NoFace("a lock is not one row")
        form = task.native.scaled
        remaining = _without(form, rows, task.deadline)
        names = [lock.owner_name for _, lock in task.subproblem.locks]
        for name, row in zip(names, rows, strict=True):
            lock = sp.csr_array(form.A)[row : row + 1]
            remaining = _on_face(remaining, lock, float(form.b[row]), name, task.deadline)
        for place in (remaining, remaining.at_point()):
            last = replace(place.form, c=form.c, P=form.P, offset=form.offset)
            optimum = solve_conic(last, task.deadline)
            if optimum is not None:
                return last, optimum, place
        raise NoFace("no optimum on the optimal face")

    def accepted(self, task: Task, answer: Answer) -> None:
        """Each problem finds its faces itself."""


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


def _without(form: StandardForm, rows: list[int], deadline: Deadline) -> OnFaces:
    """The form without its locks, cut off well beyond what its objective need be."""
    b = form.b.copy()
    b[rows] += LOCK_LOOSENED * (1.0 + np.abs(b[rows]))
    start = solve_conic(replace(form, b=b), deadline)
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


def _on_face(
    remaining: OnFaces, row: sp.csr_array, limit: float, name: str, deadline: Deadline
) -> OnFaces:
    """What a lock leaves, if its limit is the least that the rest allows."""
    cost = row.toarray()[0]
    problem = replace(remaining.form, c=cost, P=None, offset=0.0)
    found = solve_conic(problem, deadline)
    if found is None:
        raise NoFace(f"no least value of the lock on {name!r}")
    if not abs(cost @ found.x - limit) <= LOCK_AT_MINIMUM * (1.0 + abs(limit)):
        raise NoFace(f"the lock on {name!r} is not at its end")
    face = exposed(problem, found.x, found.z)
    if face is None:
        raise NoFace(f"the optimal face of {name!r} is not clear")
    misses = np.concatenate([remaining.misses, face.misses])
    return OnFaces(face.form, misses, remaining.owners + [name] * face.misses.size, found.x)
