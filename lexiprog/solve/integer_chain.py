"""Integer problems over the same constraints, on one HiGHS object for the whole chain.

The model is built once. From level to level its costs change, a held optimum is one more row, and
the search starts from the best earlier point.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs_mip import MipModel, MipSearch, small_m, solve_mip
from lexiprog.backends.solver import Ladder
from lexiprog.canon.equilibration import equilibrate, with_cost
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import bind_objective
from lexiprog.compile.task import Joint, Solutions, Strategy, Task
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.direct import highs_options, searched
from lexiprog.solve.integer import best_start, made_whole, no_worse_than
from lexiprog.solve.lp_chain import joined, own_constraints, reads_nothing_later
from lexiprog.typing import Array, Options


@dataclass
class _Model:
    """A HiGHS object, and the row of each optimum that some level has held."""

    mip: MipModel
    rows: dict[str, int] = field(default_factory=dict)


@dataclass
class IntegerChain:
    """Integer problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Options
    joint: Joint
    # Each objective in the user's units with the size of one, so that it can be held.
    _costs: dict[str, tuple[StandardForm, Scaling]] = field(default_factory=dict)
    _units: Scaling | None = None
    _idle: list[_Model] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    alone = False

    def compile(self, subproblem: Subproblem, _: Strategy, solutions: Solutions) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self.members.values():
            bind_objective(other, solutions)
        for _position, lock in subproblem.locks:  # resumed ones were not compiled here
            if lock.owner_name not in self._costs:
                self._compiled(lock.owner_name)
        return self._compiled(subproblem.name)

    def _compiled(self, name: str) -> Compiled:
        compiled = self.joint.compile(name, self.options)
        form = compiled.form
        if self._units is None:
            # The matrix is shared, so its units cannot depend on one member's objective.
            self._units = equilibrate(replace(form, c=np.zeros_like(form.c)))
        compiled = compiled.in_units(with_cost(self._units, form))
        self._costs[name] = (form, compiled.scaling)
        return compiled

    def run(self, task: Task) -> Answer:
        """Search from the best earlier point, with a row for each optimum that is held."""
        begun = time.perf_counter()
        held = self._held(task)
        form = _with_rows(task.native.scaled, list(held.values()))
        start = best_start(task, form)
        if task.deadline.elsewhere is None:
            found = self._search(task, form, held, start)
        else:  # where the model is built each time
            options = highs_options(task)
            found = solve_mip(small_m(form), options, start, task.deadline, on_face=bool(held))
        answer = made_whole(task.native, searched(task.native, form, found), task.deadline)
        answer = no_worse_than(start, task.native, form, answer)
        # The shared problem minimises.
        value = -answer.value if task.subproblem.maximise else answer.value
        return replace(answer, value=value, seconds=time.perf_counter() - begun)

    def _search(
        self,
        task: Task,
        form: StandardForm,
        held: dict[str, tuple[Array, float]],
        start: Array | None,
    ) -> MipSearch:
        """Search on the model of an earlier level, if one is idle."""
        shared = small_m(task.native.scaled)
        with self._lock:  # members of one stage may run side by side
            model = self._idle.pop() if self._idle else None
        if model is None:
            model = _Model(MipModel(shared, highs_options(task)))
        for name, (row, _) in held.items():
            if name not in model.rows:
                model.rows[name] = len(model.rows)
                model.mip.add_row(row)
        limits = np.full(len(model.rows), np.inf)
        for name, (_, limit) in held.items():
            limits[model.rows[name]] = limit
        own = Bounds.of(shared)
        bounds = replace(
            own,
            row_lower=np.append(own.row_lower, np.full(limits.size, -np.inf)),
            row_upper=np.append(own.row_upper, limits),
        )
        model.mip.on_face = bool(held)
        found = model.mip.search(form.c, bounds, form.offset, start, task.deadline)
        if not model.mip.lost:
            with self._lock:
                self._idle.append(model)
        return found

    def _held(self, task: Task) -> dict[str, tuple[Array, float]]:
        """Each held optimum as a row and its limit, in equilibrated units."""
        held = {}
        for parameter, reference in task.subproblem.references:
            if reference.lock is None:
                continue
            name = reference.lock.owner_name
            form, units = self._costs[name]
            limit = float(task.constants[parameter.id])
            limit = -limit if reference.lock.maximise else limit
            held[name] = (form.c * units.columns * units.cost, (limit - form.offset) * units.cost)
        return held

    def accepted(self, task: Task, answer: Answer) -> None:
        """Later levels find the point among the solutions."""


def _with_rows(form: StandardForm, rows: list[tuple[Array, float]]) -> StandardForm:
    """The form with further inequalities at the end."""
    if not rows:
        return form
    A = sp.csc_array(sp.vstack([form.A, np.array([row for row, _ in rows])]))
    cones = replace(form.cones, nonneg=form.cones.nonneg + len(rows))
    return replace(form, A=A, b=np.append(form.b, [limit for _, limit in rows]), cones=cones)


def find_integer_chains(
    stages: Iterable[Stage], ladders: Mapping[str, Ladder]
) -> dict[str, IntegerChain]:
    """The chain of every integer linear subproblem on HIGHS that holds, or is held by, another."""
    stages = tuple(stages)
    everyone = [p for stage in stages for p in stage.subproblems]
    wanted = {lock.owner_name for p in everyone for _, lock in p.locks}
    level = {p.name: k for k, stage in enumerate(stages) for p in stage.subproblems}
    groups: dict[Hashable, dict[str, Subproblem]] = {}
    for subproblem in everyone:
        ladder = ladders[subproblem.name]
        if not ladder or ladder[0].target != "HIGHS" or subproblem.kind != "MILP":
            continue
        if not subproblem.dpp or not (subproblem.locks or subproblem.name in wanted):
            continue
        if subproblem.fair is not None or any(lock.fair for _, lock in subproblem.locks):
            continue
        if not all(variable.is_real() for variable in subproblem.variables):
            continue
        options = ladder[0].options_for(integer=True)
        key = (own_constraints(subproblem), repr(sorted(options.items(), key=str)))
        group = groups.setdefault(key, {})
        first = next(iter(group), subproblem.name)
        owners = [(group.get(lock.owner_name), lock.owner()) for _, lock in subproblem.locks]
        fits = all(one is not None and one is other for one, other in owners)
        if fits and reads_nothing_later(subproblem, level, level[first]):
            group[subproblem.name] = subproblem
    chains: dict[str, IntegerChain] = {}
    for group in groups.values():
        if len(group) > 1:
            options = ladders[next(iter(group))][0].options_for(integer=True)
            chains |= dict.fromkeys(group, IntegerChain(group, options, joined(group)))
    return chains
