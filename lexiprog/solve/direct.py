"""Run a task by itself: integers on HiGHS directly, all else through CVXPY's own interface.

Verification solves ask our own default solvers so, to compare others' points with their bound.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeGuard

import cvxpy as cp
import numpy as np

from lexiprog import cvxpy_adapter
from lexiprog.backends.highs import LONG
from lexiprog.backends.highs_mip import WORD, MipSearch, small_m, solve_mip
from lexiprog.backends.own_units import guessed, solved_again
from lexiprog.backends.refinement import DOUBT, MISSED, is_off, refined
from lexiprog.backends.remote_lp import RemoteHighs
from lexiprog.backends.solver import EXACT, CustomSolver, FallbackSolvers, default_fallbacks
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.measures import Measures, Proof, RowOrigin, measure, prove
from lexiprog.certify.newton import sharpened
from lexiprog.certify.polish import absorb
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Solutions, Strategy, Task, compile_alone, prepare
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import as_float, dense, evaluate, holding
from lexiprog.model.lock import Slack
from lexiprog.model.references import is_found
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.integer import (
    best_start,
    best_with,
    branched,
    no_worse_than,
    rounded_and_resolved,
    search_by_digits,
)
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED_REFINED
from lexiprog.typing import Array, FreshOptions, Value

if TYPE_CHECKING:
    from lexiprog.errors import Attempt
    from lexiprog.results.solution import Solution

# How often a curved problem of at most so many entries is solved again in its answer's own units.
AGAIN, SMALL = 4, 20_000
# Who is asked in these units: the solvers of our own choice.
OURS = ("CLARABEL", "ECOS")


@dataclass(frozen=True)
class Direct:
    """Any solver that CVXPY knows; integers start from earlier points.

    Attributes
    ----------
    sharp : bool
        Whether curved optima get their last digits: somebody may refer to the point.
    starts : dict, optional
        Where integer searches ended in earlier solves, by subproblem: the next ones start there.
    """

    sharp: bool = True
    starts: dict[str, Array] | None = None

    alone = False

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The subproblem by itself."""
        return compile_alone(subproblem, strategy, solutions)

    def run(self, task: Task) -> Answer:
        """Solve the compiled numbers, round integers and solve for the rest, translate back."""
        begun = time.perf_counter()
        form = task.native.scaled
        start = self._start(task, form) if task.integer else None
        branching = task.integer and (not form.is_linear or task.solver.target == "CLARABEL")
        answer = _first(task, form, start, branching=branching)
        if not branching:
            answer = self._confirmed(task, answer)
        if task.strategy.refined or (
            task.solver.target == "HIGHS" and task.subproblem.kind == "LP"
        ):
            answer = on_its_rows(task, form, answer)
        if not task.integer and not form.is_linear:
            answer = proved_near(task, form, answer, sharp=self.sharp)
        if task.integer and not branching:
            answer = rounded_and_resolved(task.native, answer, task.deadline, task.solver.gap)
            answer = no_worse_than(start, task.native, form, answer)
        return replace(answer, seconds=time.perf_counter() - begun)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember where the next solve may start."""
        if self.starts is not None and task.integer and answer.x is not None:
            self.starts[task.subproblem.name] = answer.x

    def _start(self, task: Task, form: StandardForm) -> Array | None:
        """A point with the integers of the last solve, or else of an earlier level."""
        kept = None if self.starts is None else self.starts.get(task.subproblem.name)
        if kept is not None and kept.size == form.c.size:
            kept = best_with(form, np.round(kept[form.integer]))
            if kept is not None and not task.native.whole_numbers.excess(kept):
                return kept
        start = best_start(task, form)
        return None if start is None or task.native.whole_numbers.excess(start) else start

    def _confirmed(self, task: Task, answer: Answer) -> Answer:
        """The answer, unless it says that there is none, and units have misled.

        The problem is then solved as it is written.
        """
        scaling, status = task.native.scaling, answer.status
        if task.integer and task.native.whole_numbers.is_long:
            return answer  # digits have no units
        if scaling.identity or not (status.is_infeasible or status.is_unbounded):
            return answer
        written = task.native.in_units(Scaling.none(task.form))
        again = self.run(replace(task, compiled=written))
        if again.x is None:
            return answer
        if again.z is None:
            return Answer(Status.FAILED, reason="no optimum in some units and one in others")
        x, z = scaling.scaled_point(again.x), scaling.scaled_multipliers(again.z)
        return answer_at(task.native, x, z, iterations=again.iterations)


def _first(task: Task, form: StandardForm, start: Array | None, *, branching: bool) -> Answer:
    """What the solver says, or a search of our own that begins with it."""
    if task.solver.target == "HIGHS" and task.subproblem.kind == "MILP":
        answer = _search(task, form, start)
    elif task.solver.target == "HIGHS" and task.subproblem.kind == "LP" and _is_long(form):
        answer = solve_stoppable(task, form)
    elif branching and task.solver.target == "CLARABEL":
        answer = branched(task, form, Answer(Status.NO_ANSWER), start)
    else:
        answer = _through_cvxpy(task, start)
        if branching:
            answer = branched(task, form, answer, start)
    return answer


def _search(task: Task, form: StandardForm, start: Array | None) -> Answer:
    """An integer search, written in digits if its whole numbers are long."""
    options, numbers = highs_options(task), task.native.whole_numbers
    if numbers.contradiction:
        return Answer(Status.INFEASIBLE, said=numbers.contradiction)
    if numbers.is_long:
        found = search_by_digits(task.native, options, start, task.deadline)
    else:
        on_face = bool(task.subproblem.locks)
        found = solve_mip(small_m(form), options, start, task.deadline, on_face=on_face)
    return searched(task.native, form, found)


def _is_long(form: StandardForm) -> bool:
    """Whether a linear problem may take so long that it should be possible to stop it."""
    return bool(form.A.nnz >= LONG)


def solve_stoppable(task: Task, form: StandardForm) -> Answer:
    """A linear problem on HiGHS directly, which stops when it is asked to."""
    options = highs_options(task)
    if task.deadline.executor is None and not task.deadline.verbose:
        found = cvxpy_adapter.solve_at_once(form, options, task.deadline)
        if found is not None:
            return answer_at(task.native, found.x, found.z, iterations=found.iterations)
    options["output_flag"] = task.deadline.verbose
    vertex = RemoteHighs(form.A, options).run(form.c, Bounds.of(form), deadline=task.deadline)
    if not vertex.optimal:
        return Answer(vertex.word, said=vertex.status)
    return answer_at(task.native, vertex.x, -vertex.row_dual, iterations=vertex.iterations)


def on_its_rows(task: Task, form: StandardForm, answer: Answer) -> Answer:
    """The answer, refined if that is asked for or its point misses rows by more than rounding."""
    asked, by_highs = task.strategy.refined, task.solver.target == "HIGHS"
    rough = answer.status is Status.INACCURATE and asked
    if answer.x is None or not (answer.status is Status.OPTIMAL or rough):
        return answer
    bounds = Bounds.of(form)
    off = is_off(form.A, bounds, answer.x)
    if not (off or asked):
        return answer
    session = RemoteHighs(form.A, highs_options(task) if by_highs else {})
    vertex = session.run(form.c, bounds, deadline=task.deadline)
    found = None
    if vertex.optimal:
        found = refined(session, form.A, form.c, bounds, vertex, task.deadline)
    if found is not None:
        x, z = found.x.nearest, -found.y.nearest
        return replace(answer_at(task.native, x, z, iterations=vertex.iterations), refined=True)
    if off and (task.strategy.strict or not asked):
        return Answer(Status.FAILED, reason=MISSED)
    return replace(answer, inaccurate=DOUBT if off else "")


def proved_near(task: Task, form: StandardForm, answer: Answer, *, sharp: bool) -> Answer:
    """The answer to a curved problem or, where that is not proved, what lies near it and is.

    ``sharp`` asks for the last digits of a curved optimum in any case.
    """
    proof = None
    if answer.status.is_limit and task.solver.options:
        return answer  # who was told to stop early is taken at its word
    if answer.x is not None and answer.z is not None and answer.status.has_point:
        proof = _proof(task, form, answer.x, answer.z, answer.claimed)
    # Whoever gives options, such as a limit of iterations, means that very solve.
    small = form.A.nnz <= SMALL and task.solver.target in OURS and not task.solver.options
    if small and (proof is None or not proof.measures.certificate.proved):
        proof = _in_own_units(task, form, proof)
    if proof is None:
        return answer
    if sharp:
        proof = _sharper(task, form, proof)
    if proof.x is not answer.x:
        status = answer.status if answer.status.has_point else Status.OPTIMAL
        answer = replace(
            answer_at(task.native, proof.x, proof.z, iterations=answer.iterations),
            status=status, said=answer.said, refined=answer.refined,
            inaccurate=answer.inaccurate,
        )  # fmt: skip
    return replace(answer, measured=proof.measures)


def _sharper(task: Task, form: StandardForm, proof: Proof) -> Proof:
    """The proof with the last digits of a curved optimum, if they are the better ones."""
    last = sharpened(form, proof.x, proof.z)
    if last is None:
        return proof
    # Columns that have become zero were large in units of their own: the rest is for their bounds.
    last = last[0], absorb(form, *last)
    digits, before = _measured(task, form, *last), proof.measures.certificate
    after = digits.certificate
    nearer = after.worst <= before.worst or after.nearness < before.nearness
    return Proof(*last, digits) if after.proved >= before.proved and nearer else proof


def _proof(task: Task, form: StandardForm, x: Array, z: Array, claimed: float) -> Proof:
    return prove(form, x, z, claimed=claimed, tolerance=task.solver.accept, rows="found")


def _measured(task: Task, form: StandardForm, x: Array, z: Array) -> Measures:
    value, accept = form.objective(x), task.solver.accept
    return measure(form, x, z, claimed=value, tolerance=accept, rows="found")


def _in_own_units(task: Task, form: StandardForm, first: Proof | None) -> Proof | None:
    """The best proof of a few solves, each in the units of the one before.

    The first starts from the answer there is, the second from a guess at the sizes of an optimum.
    """
    best = first
    for guess in (False, True):
        here: tuple[Array, Array] | None = None
        if guess:
            here = _guess(task, form)
        elif first is not None:
            here = first.x, first.z
        last = np.inf
        for _ in range(AGAIN):
            if here is None or task.deadline.should_stop:
                break
            again = solved_again(form, *here, task.deadline)
            if again is None:
                break
            found = _proof(task, form, again.x, again.z, form.objective(again.x))
            worst = found.measures.certificate.worst
            if best is None or worst < best.measures.certificate.worst:
                best = found
            if found.measures.certificate.proved:
                return found
            if not worst < last:
                break
            here, last = (found.x, found.z), worst
    return best


def _guess(task: Task, form: StandardForm) -> tuple[Array, Array] | None:
    x = guessed(form, task.deadline)
    return None if x is None else (x, np.zeros(form.b.size))


def highs_options(task: Task) -> FreshOptions:
    """The options as HiGHS itself takes them."""
    options = task.fresh_options()
    options |= options.pop("highs_options", {})
    return options


def searched(compiled: Compiled, form: StandardForm, found: MipSearch) -> Answer:
    """What HiGHS found, in the problem's own terms."""
    if found.x is None:
        return Answer(found.status, said=found.said)
    answer = answer_at(compiled, found.x, None, iterations=found.nodes)
    return replace(
        answer, status=found.status, said=found.said, claimed=form.objective(found.x), form=form,
        bound=found.bound, inaccurate=found.word if found.status is Status.OPTIMAL else "",
    )  # fmt: skip


def _through_cvxpy(task: Task, start: Array | None) -> Answer:
    """Ask any solver; of one that has run out of time "infeasible" is not accepted."""
    try:
        raw = cvxpy_adapter.run(
            task.native, task.fresh_options(), start=start, deadline=task.deadline
        )
        answer = cvxpy_adapter.interpret(task.native, raw)
    except Exception:
        if not task.deadline.over:
            raise
        return Answer(Status.NO_POINT)
    if answer.x is None and task.deadline.over:
        return replace(answer, status=Status.NO_POINT)
    if task.integer and task.deadline.on_their_word:
        return replace(answer, inaccurate=WORD)
    return answer


# What every way to run a task has in common: a task in, an answer out.


class Backend(Protocol):
    """Someone who can run a task.

    Attributes
    ----------
    alone : bool
        Whether it touches the user's own CVXPY objects, and so must run in the caller's thread
        while nothing else does.
    """

    alone: bool

    def compile(
        self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions, /
    ) -> Compiled | None:
        """The numbers it works on; None if it takes problems as they are."""

    def run(self, task: Task) -> Answer:
        """Solve; may raise whatever the solver raises."""

    def accepted(self, task: Task, answer: Answer) -> None:
        """Called with its answer once that is certified."""


class Measuring(Backend, Protocol):
    """A backend that solves by a search of its own, and measures what it has found."""

    def certified(
        self, task: Task, stage: str, answer: Answer, solved: Solutions
    ) -> Solution | Attempt:
        """The solution with its certificate, or why there is none."""


def is_measuring(backend: Backend) -> TypeGuard[Measuring]:
    """Whether it is one: to compare it with the protocol takes longer than to certify a point."""
    return hasattr(backend, "certified")


# Run a solver of the user's own, an object with ``solve(problem)``.


class Custom:
    """An object that is handed the problem at its current parameter values."""

    alone = True

    def compile(self, *_: object) -> None:
        """There is nothing to compile."""

    def run(self, task: Task) -> Answer:
        """Pass on the problem and read its variables back."""
        start = time.perf_counter()
        subproblem, own = task.subproblem, task.solver.target
        if not isinstance(own, CustomSolver):
            raise TypeError(f"{own!r} has no method solve(problem)")
        with holding((p, task.constants[p.id]) for p in subproblem.inputs):
            for variable in subproblem.variables:  # nothing stale may pass for an answer
                variable.save_value(None)
            problem = cp.Problem(subproblem.objective, list(subproblem.constraints))
            own.solve(problem, **task.fresh_options())
            seconds = time.perf_counter() - start
            found = all(v.value is not None for v in subproblem.variables)
            said = problem.status or (Status.OPTIMAL if found else Status.NO_ANSWER)
            status = Status.of(said)
            if not status.has_point:
                return Answer(status, said=str(said), seconds=seconds)
            primal = {v.id: _copy(v.value) for v in subproblem.variables}
            claimed = problem.value
        known = [(v, point) for v in subproblem.variables if (point := primal[v.id]) is not None]
        if claimed is None and len(known) == len(primal):
            claimed = evaluate(subproblem.objective.expr, known)
        value = np.nan if claimed is None else as_float(claimed)
        return Answer(status, value=value, claimed=value, primal=primal, seconds=seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """What it keeps is its own affair."""


def _copy(value: Value | None) -> Value | None:
    return None if value is None else np.array(dense(value))


def origin_of_rows(task: Task) -> RowOrigin:
    """Where the numbers of a problem's rows come from."""
    if task.subproblem.kind != "LP":
        return "found"  # curved ones may have been restated at an earlier point
    if any(map(is_found, task.subproblem.inputs)) or task.compiled is None:
        return "held"
    return "written" if task.compiled.written else "computed"


@dataclass(frozen=True)
class VerifiedOptimum:
    """An optimum that our own default solvers found and proved."""

    task: Task
    answer: Answer
    measured: Measures

    @property
    def unit(self) -> float:
        """What counts as one, in the user's units of the objective."""
        return 1.0 / self.task.native.scaling.cost

    @property
    def bound(self) -> float:
        """The proved bound in the minimising sense and the user's units, without offset's sign."""
        bound = self.measured.bound
        return np.nan if bound is None else self.task.native.scaling.value(bound)

    def bound_in(self, form: StandardForm, cost: float) -> float | None:
        """The bound for another form of the same problem, whose objective has the unit ``cost``."""
        constant = self.task.native.form.offset
        bound = (self.bound - constant) * cost + form.offset
        return float(bound) if np.isfinite(bound) else None


def verification_solve(
    subproblem: Subproblem,
    slack: Slack,
    solutions: Mapping[str, Solution],
    given: Given,
    deadline: Deadline,
    ladder: FallbackSolvers | None = None,
    *,
    refined: bool = False,
) -> VerifiedOptimum | None:
    """The problem's optimum as our own default solvers find and certify it, if they do in time.

    Linear ones may be ``refined``, which is to twice the digits of floats where there is a point
    to so many digits (``answer.refined`` says so), and else to nearly all that floats have.
    """
    for solver in default_fallbacks(subproblem.kind) if ladder is None else ladder:
        if solver.target == EXACT:
            continue
        if deadline.should_stop:
            return None
        try:
            strategy = Strategy(solver, refined=refined)
            task = prepare(subproblem, strategy, solutions, slack, given=given, deadline=deadline)
            answer = Direct().run(task)
        except Exception:  # noqa: BLE001 - solvers fail in any way; the next one is asked
            continue
        if answer.x is None or answer.form is None:
            continue
        z = None if subproblem.integer else answer.z
        measured = answer.measured or measure(
            answer.form,
            answer.x,
            z,
            claimed=answer.claimed,
            bound=answer.bound,
            rows=origin_of_rows(task),
        )
        sharp = not refined or measured.certificate.worst <= CERTIFIED_REFINED
        if measured.certificate.proved and sharp:
            return VerifiedOptimum(task, answer, measured)
    return None
