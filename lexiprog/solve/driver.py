"""Solve a hierarchy stage by stage: prepare, run in threads, certify, record."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import cvxpy as cp
from cvxpy.error import SolverError

from lexiprog.backends.solver import (
    EXACT,
    FallbackSolvers,
    Solver,
    default_fallbacks,
    has_exact,
    with_defaults,
)
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Strategy, Task, compile_for, prepare
from lexiprog.deadline import Deadline, OutOfTime, in_thread, leave
from lexiprog.errors import Attempt, Interrupted, LexiprogError, LexiprogWarning
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.references import ReferenceKind, points_read
from lexiprog.model.stage import Stage, summary_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.solve.batch import LevelBatches
from lexiprog.solve.certify import certify_answer
from lexiprog.solve.direct import Backend, is_measuring
from lexiprog.solve.error_propagation import with_references
from lexiprog.solve.held import check_locks
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.options import (
    SolveOptions,
    StageDeadlines,
    warn_of_limit,
    warn_of_solving_here,
)
from lexiprog.solve.strategies import Backends
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.status import Fault, Status
from lexiprog.typing import Array

if TYPE_CHECKING:
    from lexiprog.solve.uniqueness import ReadUniqueness

# Call a backend so that whatever it raises can be reported.


class _Panic(Exception):
    """What a solver raised that no ``except Exception`` would have caught."""


def shielded(backend: Backend, task: Task) -> Answer:
    """Run on the task's time; a native panic becomes an error that can be caught."""
    try:
        with task.deadline.running():
            return backend.run(task)
    except (KeyboardInterrupt, SystemExit, Exception):
        raise
    except BaseException as error:  # a Rust panic is no Exception
        raise _Panic(f"{type(error).__name__}: {error}") from error


def at_once(backend: Backend, task: Task) -> Future[Answer]:
    """Run in this thread; the answer, or what was raised, as a future that is done."""
    future: Future[Answer] = Future()
    try:
        future.set_result(shielded(backend, task))
    except Exception as error:  # noqa: BLE001 - whoever asks for the result meets it
        future.set_exception(error)
    return future


def failed(solver: str, error: Exception, fault: Fault) -> Attempt:
    """An attempt that ended with an error."""
    text = " ".join(str(error).split())
    kind = [] if isinstance(error, _Panic) else [type(error).__name__]
    return Attempt(solver, Status.FAILED, ": ".join([*kind, text] if text else kind), fault)


def is_solvers_fault(error: Exception) -> bool:
    """Whether another solver may do better."""
    if isinstance(error, LexiprogError):
        return False
    return type(error).__module__.startswith("cvxpy") or isinstance(error, ArithmeticError)


def settled(subproblem: Subproblem, attempts: list[Attempt]) -> bool:
    """Whether further solvers would only repeat that there is no optimum."""
    if subproblem.locks:  # a lock may be too tight for one solver and not for the next
        return False
    if _fractions_are_cheap(subproblem) and all(a.solver != EXACT for a in attempts):
        return False
    enough = 1 if subproblem.integer else 2
    infeasible = sum(attempt.status.is_infeasible for attempt in attempts)
    return max(infeasible, sum(attempt.status.is_unbounded for attempt in attempts)) >= enough


def _fractions_are_cheap(subproblem: Subproblem) -> bool:
    """Whether fractions can say at once what floats only suppose."""
    rows = sum(constraint.size for constraint in subproblem.constraints)
    if subproblem.kind != "LP" or rows > FEW_ROWS or not has_exact() or subproblem.references:
        return False
    try:  # of computed numbers the last digits mean nothing, in fractions either
        return compile_for(subproblem, Solver("HIGHS"), {}).written
    except Exception:  # noqa: BLE001 - what does not compile is explained elsewhere
        return False


Tick = Callable[[str], None]
# Rows up to which fractions take no longer than the floats before them.
FEW_ROWS = 60
# What is said of an attempt that the time was over for before, or while, it was looked at.
TOO_LATE = "its time was over"
# Problems of one stage that are under way elsewhere at the same time.
WAITING = 1000


def execute(
    stages: Iterable[Stage],
    ladders: Mapping[str, FallbackSolvers | None],
    *,
    workers: int | None,
    tick: Tick,
    solved: Mapping[str, Solution],
    slack: Slack = NO_SLACK,
    warm: WarmHighs | None = None,
    given: Given | None = None,
    solve_options: SolveOptions | None = None,
    batches: LevelBatches | None = None,
) -> Result:
    """Solve every subproblem that is not in ``solved`` already.

    ``slack`` loosens locks beyond their declaration; ``warm`` starts linear problems where an
    earlier call left them; ``given`` are the user's parameters, by default as they are now;
    ``solve_options`` are time and the like; ``batches`` knows which stages are levels of one linear
    chain, to be certified together.
    """
    stages = tuple(stages)
    subproblems = [p for stage in stages for p in stage.subproblems]
    given = given or Given.to(subproblems)
    solve_options = solve_options or SolveOptions()
    chain = None
    if batches is not None and warm is None and slack is NO_SLACK:
        solved = _on_one_set(batches, stages, ladders, given, tick, solved, solve_options)
        if solve_options.plain and not solved:
            chain, solved = _in_batch(batches, stages, ladders, given, tick)
        if len(solved) == len(subproblems):
            return result_of(stages, solved, ladders)
    note = getattr(tick, "note", lambda _: None)
    solvers = with_defaults(subproblems, ladders)
    backends = Backends.of(stages, solvers, slack, warm, given, execute, note)
    if chain is not None:  # which knows the faces of the levels that are solved
        backends = replace(backends, chains=dict.fromkeys(chain.members, chain))
    threads = _threads(stages, workers, solve_options)
    deadlines = StageDeadlines(stages, solve_options, threads)
    run = _Run(
        stages, backends, dict(solved), tick, slack, given, deadlines, dict(solve_options.starts),
        _what_is_read(stages, chain, solved),
    )  # fmt: skip
    # Native solves that may take long run in threads, so that Ctrl-C reaches us meanwhile.
    gate = threading.Semaphore(threads)
    try:
        for stage in stages:
            run.solve_stage(stage, gate)
    except KeyboardInterrupt as error:
        run.harvest()
        raise interrupted(run.result(), len(subproblems)) from error
    finally:
        run.stop()
    return run.result()


def _what_is_read(
    stages: tuple[Stage, ...], chain: FaceChain | None, solved: Mapping[str, Solution]
) -> ReadUniqueness | None:
    """What looks whether points and multipliers that are read are unique; None if none are."""
    read = points_read(p for stage in stages for p in stage.subproblems)
    if not read:
        return None
    from lexiprog.solve.uniqueness import ReadUniqueness

    reads = ReadUniqueness(stages, read)
    if chain is not None:
        for name in read.intersection(solved, chain.members):
            reads.remember(name, chain.joint.compile(name, {}))
    return reads


def _threads(stages: tuple[Stage, ...], workers: int | None, solve_options: SolveOptions) -> int:
    """How many subproblems of a stage run at once."""
    most = max(len(stage.subproblems) for stage in stages)
    if workers is not None or most == 1:
        return workers or most
    # Those that wait for an answer from elsewhere need no core.
    cores = (os.cpu_count() or 1) if solve_options.executor is None else WAITING
    return min(most, cores)


def _on_one_set(
    batches: LevelBatches,
    stages: tuple[Stage, ...],
    ladders: Mapping[str, FallbackSolvers | None],
    given: Given,
    tick: Tick,
    solved: Mapping[str, Solution],
    solve_options: SolveOptions,
) -> Mapping[str, Solution]:
    """What is solved, with the levels of a hierarchy of least squares that the program begins with.

    All of them at once: levels that a resumed call brings keep their points.
    """
    chain = batches.least_squares(stages, ladders)
    if chain is None or chain.names <= solved.keys():
        return solved
    deadline = Deadline(solve_options.time_limit, parent=solve_options.deadline)
    try:
        every = chain.solve(given, deadline)
    except KeyboardInterrupt as error:
        raise interrupted(result_of(stages, solved, ladders), len(ladders)) from error
    found = {name: new for name, new in every.items() if name not in solved}
    for name in found:
        tick(name)
    return {**solved, **found}


def _in_batch(
    batches: LevelBatches,
    stages: tuple[Stage, ...],
    ladders: Mapping[str, FallbackSolvers | None],
    given: Given,
    tick: Tick,
) -> tuple[FaceChain | None, dict[str, Solution]]:
    """The first levels of a linear chain, certified together, and the chain with their faces."""
    batch = batches.of(stages, ladders)
    if batch is None:
        return None, {}
    try:
        chain, solved = batch.solve(given)
    except KeyboardInterrupt as error:
        raise interrupted(result_of(stages, {}, ladders), len(ladders)) from error
    for name in solved:
        tick(name)
    return chain, solved


def interrupted(found_so_far: Result, of: int) -> Interrupted:
    """What Ctrl-C raises, with what was solved before."""
    solved = sum(s.status is not Status.UNFINISHED for s in found_so_far.values())
    done = f"interrupted with {solved} of {of} subproblems solved; "
    advice = "go on with program.solve(resume=error.partial)."
    return Interrupted(done + advice, partial=found_so_far)


def result_of(
    stages: tuple[Stage, ...],
    solutions: Mapping[str, Solution],
    ladders: Mapping[str, FallbackSolvers | None],
) -> Result:
    """What was solved, to be shown with the solvers that each was to be tried with."""
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}

    def solvers(subproblem: Subproblem) -> list[str]:
        ladder = ladders[subproblem.name] or default_fallbacks(subproblem.kind)
        return [solver.name for solver in ladder]

    return Result(
        names, solutions, partial(summary_of, stages, solvers), partial(derivative, stages)
    )


def derivative(
    stages: tuple[Stage, ...],
    solutions: Mapping[str, Solution],
    parameter: cp.Parameter,
    name: str,
    side: str | None = None,
) -> Array:
    """The derivative of an optimum, by modules that are imported when one is asked for."""
    from lexiprog.sensitivity.gradient import gradient_of

    return gradient_of(stages, solutions, parameter, name, side)


@dataclass(frozen=True)
class _Job:
    """A task under way."""

    stage: Stage
    task: Task
    backend: Backend
    future: Future[Answer]


def _with_each(
    subproblems: Iterable[Subproblem], strategy: Callable[[Subproblem], Strategy | None]
) -> list[tuple[Subproblem, Strategy]]:
    """Each subproblem with its strategy, if there is one."""
    return [(p, found) for p in subproblems if (found := strategy(p)) is not None]


def _unattained(proof: Evidence | None, deadline: Deadline) -> str:
    """What to say of an infimum that no point attains; empty if there is one, or nobody knows."""
    if proof is None or proof.form.cones.linear == proof.form.b.size:
        return ""
    from lexiprog.solve.no_optimum import SENTENCE, is_attained

    return "" if is_attained(proof, deadline) else SENTENCE


@dataclass
class _Run:
    """What is known so far, and what is under way."""

    stages: tuple[Stage, ...]
    backends: Backends
    solved: dict[str, Solution]
    tick: Tick
    slack: Slack
    given: Given
    deadlines: StageDeadlines
    starts: dict[str, Solution]
    reads: ReadUniqueness | None
    running: list[_Job] = field(default_factory=list)
    attained: set[str] = field(default_factory=set)  # owners that were looked at
    refused: dict[str, Evidence] = field(default_factory=dict)  # the first point of each
    unfinished: dict[str, Solution] = field(default_factory=dict)

    def result(self) -> Result:
        return result_of(self.stages, self.unfinished | self.solved, self.backends.solvers)

    def solve_stage(self, stage: Stage, gate: threading.Semaphore) -> None:
        self._check_attained(stage)
        if self.reads is not None:
            self.reads.check(stage, self.solved)
        unsolved = [p for p in stage.subproblems if p.name not in self.solved]
        attempts: dict[str, list[Attempt]] = {p.name: [] for p in unsolved}
        coming = {p.name: self.backends.strategies(p, self.solved) for p in unsolved}
        # There is none where no installed solver takes such problems.
        now = _with_each(unsolved, lambda p: next(coming[p.name], None))
        self.deadlines.begin([p for p, _ in now])
        while now:
            for name, outcome in self._try_all(stage, now, gate).items():
                if isinstance(outcome, Attempt):
                    attempts[name].append(outcome)
            left = [p for p in unsolved if not self._is_over(p, attempts[p.name])]
            now = _with_each(left, lambda p: self._next_in_time(p, coming[p.name]))
        self._end_stage(stage, attempts)

    def _end_stage(self, stage: Stage, attempts: Mapping[str, list[Attempt]]) -> None:
        """Keep what came near enough, with a warning, or say what has failed."""
        left = [p for p in stage.subproblems if p.name not in self.solved]
        failed = [p for p in left if not self._flagged(p, attempts[p.name])]
        if failed:
            self._fail(stage, failed, attempts)

    def _flagged(self, subproblem: Subproblem, attempts: list[Attempt]) -> bool:
        """Whether some attempt came near enough to be kept with a warning; the nearest is."""
        near = [attempt.flagged for attempt in attempts if attempt.flagged is not None]
        if not near or any(a.status.is_infeasible or a.status.is_unbounded for a in attempts):
            return False
        best = min(near, key=lambda solution: solution.certificate.nearness)
        warnings.warn(
            f"subproblem {subproblem.name!r} is not proved to be optimal: {best.certificate}.",
            LexiprogWarning, stacklevel=2,
        )  # fmt: skip
        self.solved[best.name] = best
        self.tick(best.name)
        return True

    def _check_attained(self, stage: Stage) -> None:
        """Refuse to hold, or to read a point of, an optimum that is only an infimum."""
        for subproblem in stage.subproblems:
            for owner in self._exactly_used(subproblem) - self.attained:
                self.attained.add(owner)
                sentence = _unattained(self.solved[owner].evidence, self.deadlines.call)
                if sentence:
                    reason = f"of {owner!r}, {sentence}"
                    said = Attempt(self.solved[owner].solver, Status.NO_ANSWER, reason)
                    self._fail(stage, [subproblem], {subproblem.name: [said]})

    def _exactly_used(self, subproblem: Subproblem) -> set[str]:
        """The curved owners of points that it reads, and of optima that it holds exactly."""

        def names() -> set[str]:
            found = set()
            for _, reference in subproblem.references:
                owner, lock = reference.owner(), reference.lock
                if owner is None or owner.integer or owner.kind in ("LP", "QP"):
                    continue  # these attain what they are bounded by
                value = self.solved[owner.name].value
                exact = lock is not None and not lock.fair and not self.slack.tolerance(lock, value)
                if exact or reference.kind is ReferenceKind.AT:
                    found.add(owner.name)
            return found

        return self.given.undisturbed(names)

    def _is_over(self, subproblem: Subproblem, attempts: list[Attempt]) -> bool:
        return subproblem.name in self.solved or settled(subproblem, attempts)

    def _next_in_time(self, subproblem: Subproblem, coming: Iterator[Strategy]) -> Strategy | None:
        """The next strategy for which there is time; others would only say that there is none."""
        in_time = (s for s in coming if not self.deadlines.of(subproblem, s.solver).over)
        return next(in_time, None)

    def _fail(
        self, stage: Stage, failed: list[Subproblem], attempts: Mapping[str, list[Attempt]]
    ) -> NoReturn:
        from lexiprog.infeasibility.diagnosis import stage_error

        until = self._explaining()
        tries = {p.name: self._with_contradiction(p, attempts[p.name]) for p in failed[:1]}
        sentence = _unattained(self.refused.get(failed[0].name), until)
        if sentence:
            last = tries[failed[0].name]
            tries[failed[0].name] = [*last, replace(last[-1], reason=sentence)]
        with self.given.held(), until.here():
            raise stage_error(
                stage.name, failed, {**attempts, **tries}, self.result(), self.slack, until
            )

    def _with_contradiction(self, subproblem: Subproblem, tries: list[Attempt]) -> list[Attempt]:
        """The attempts and, where none of them says why, whether linear constraints alone do."""
        from lexiprog.solve.no_optimum import contradicts_itself

        if not tries or any(a.status.is_infeasible or a.status.is_unbounded for a in tries):
            return tries
        until = self._explaining()
        if not contradicts_itself(subproblem, self.solved, self.slack, self.given, until):
            return tries
        return [*tries, Attempt(EXACT, Status.INFEASIBLE, "its linear constraints alone")]

    def _try_all(
        self, stage: Stage, strategies: list[tuple[Subproblem, Strategy]], gate: threading.Semaphore
    ) -> dict[str, Solution | Attempt]:
        """One strategy for each; compiling the next problem while the last one runs."""
        verdicts: dict[str, Solution | Attempt] = {}
        for subproblem, strategy in strategies:
            backend = self.backends.backend(subproblem, strategy)
            deadline = self.deadlines.of(subproblem, strategy.solver)
            try:
                with deadline.running():
                    task = prepare(
                        subproblem, strategy, self.solved, self.slack, backend.compile, self.given,
                        deadline, self.starts.get(subproblem.name),
                    )  # fmt: skip
            except OutOfTime:
                verdicts[subproblem.name] = Attempt(strategy.solver.name, Status.NO_POINT, TOO_LATE)
                continue
            except Exception as error:
                if not is_solvers_fault(error):
                    raise
                # Compiling asks no solver to solve, only whether it takes such a problem.
                fault = Fault.NOT_TAKEN if isinstance(error, SolverError) else Fault.BROKEN
                verdicts[subproblem.name] = failed(strategy.solver.name, error, fault)
                continue
            away = deadline.executor is not None
            here = backend.alone or (not away and task.is_brief(len(strategies)))
            future = (
                at_once(backend, task) if here else in_thread(shielded, backend, task, gate=gate)
            )
            self.running.append(_Job(stage, task, backend, future))
        while self.running:
            job = self.running[0]
            verdicts[job.task.subproblem.name] = self._awaited(job)
            self.running.pop(0)
        return verdicts

    def _awaited(self, job: _Job) -> Solution | Attempt:
        """What becomes of a job; one that does not end with its time is left behind."""
        try:
            job.task.deadline.wait_on(job.future, self._tell)
        except OutOfTime:
            job.task.deadline.cancel()
            reason = "it did not stop when its time was over, and was left to end by itself"
            return Attempt(job.task.solver.name, Status.NO_POINT, reason)
        return self._accept(job)

    def _tell(self) -> None:
        """Tell how all that run are going."""
        for job in self.running:
            self.deadlines.tell(job.stage, job.task)

    def _accept(self, job: _Job) -> Solution | Attempt:
        """Judge an answer and keep it if it is certified."""
        task = job.task
        try:
            with task.deadline.here():
                verdict = self._certify(job, answer := job.future.result())
        except LexiprogWarning:  # turned into an error by the caller's own filter
            raise
        except OutOfTime:
            return Attempt(task.solver.name, Status.NO_POINT, TOO_LATE)
        except Exception as broken:  # noqa: BLE001 - interfaces break on odd native results
            return failed(task.solver.name, broken, Fault.BROKEN)
        if isinstance(verdict, Solution):
            self.solved[verdict.name] = verdict
            self.deadlines.tell(job.stage, task, solution=verdict)
            self.tick(verdict.name)
            return verdict
        if verdict.incumbent is not None:
            self.unfinished[verdict.incumbent.name] = verdict.incumbent
        proof = None if task.integer or task.compiled is None else Evidence.of(task, answer)
        if proof is not None:
            self.refused.setdefault(task.subproblem.name, proof)
        if verdict.status is Status.EITHER:
            from lexiprog.infeasibility.diagnosis import tell_apart

            with self.given.held():
                status = tell_apart(task.subproblem, self.solved, self._explaining())
                verdict = replace(verdict, status=status)
        return replace(verdict, seconds=task.compile_seconds + answer.seconds)

    def _explaining(self) -> Deadline:
        """Until when to look for the reason of a failure, in this process."""
        from lexiprog.infeasibility.conflict import SECONDS

        return Deadline(SECONDS, parent=self.deadlines.call)

    def _certify(self, job: _Job, answer: Answer) -> Solution | Attempt:
        task = job.task
        if is_measuring(job.backend):  # and knows best what it has proved
            return job.backend.certified(task, job.stage.name, answer, self.solved)
        certified = certify_answer(task, job.stage.name, answer, self.solved)
        if isinstance(certified, Solution) and task.subproblem.locks:
            exact = answer.exact is not None
            ambiguous = [] if exact else self.backends.ambiguous(task.subproblem, self.solved)
            certified = check_locks(task, answer, certified, self.solved, ambiguous)
        if isinstance(certified, Solution):
            certified = with_references(task, answer, certified, self.solved)
        elif certified.flagged is not None and task.subproblem.references:
            # What it holds or refers to cannot make it better known; its record is kept.
            held = check_locks(task, answer, certified.flagged, self.solved)
            certified = replace(certified, flagged=held if isinstance(held, Solution) else None)
        if isinstance(certified, Solution):
            job.backend.accepted(task, answer)
            if self.reads is not None and task.compiled is not None:
                self.reads.remember(task.subproblem.name, task.compiled)
            warn_of_limit(task, certified)
            warn_of_solving_here(task, certified)
        return certified

    def stop(self) -> None:
        """Ask whatever is running to return what it has."""
        for job in self.running:
            if not job.future.done():
                job.task.deadline.cancel()
                leave(job.future)
                job.future.cancel()

    def harvest(self) -> None:
        """After Ctrl-C: stop running solves, and keep what they found."""
        self.stop()
        under_way = [job for job in self.running if not job.future.cancelled()]
        try:
            for job in under_way:
                if job.task.subproblem.name not in self.solved:
                    self._awaited(job)
        except KeyboardInterrupt:
            return  # asked twice: don't wait
