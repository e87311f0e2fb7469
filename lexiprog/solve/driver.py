"""Solve a hierarchy stage by stage: prepare, run in threads, judge, record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial

from cvxpy.error import SolverError

from lexiprog.backends.solver import Ladder, default_ladder
from lexiprog.backends.strategies import Strategy
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Task, prepare
from lexiprog.deadline import Deadline
from lexiprog.errors import Attempt, Interrupted, LexiprogError, LexiprogWarning
from lexiprog.fairness.any_solver import leximin_backend
from lexiprog.infeasibility.conflict import SECONDS
from lexiprog.infeasibility.diagnosis import stage_error, tell_apart
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.stage import Stage, summary_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.sensitivity.gradient import gradient_of
from lexiprog.solve.batch import LevelBatches
from lexiprog.solve.certify import certify_answer
from lexiprog.solve.choice import BackendTable
from lexiprog.solve.direct import Backend
from lexiprog.solve.held import with_inheritance
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.options import SolveOptions, StageDeadlines, warn_of_limit
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.status import Fault, Status

# Call a runner so that whatever it raises can be told, and know when further tries are idle.


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
    """A try that ended with an error."""
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
    enough = 1 if subproblem.integer else 2
    return (
        sum(attempt.status.is_infeasible for attempt in attempts) >= enough
        or sum(attempt.status.is_unbounded for attempt in attempts) >= enough
    )


Tick = Callable[[str], None]
# Seconds between two looks at a running search, if somebody wants to know.
PULSE = 0.1
# Problems of one stage that are under way elsewhere at the same time.
WAITING = 1000


def execute(
    stages: Iterable[Stage],
    ladders: Mapping[str, Ladder | None],
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
    given = Given.to(subproblems) if given is None else given
    solve_options = SolveOptions() if solve_options is None else solve_options
    chain, plain = None, solve_options.plain and not solved and warm is None and slack is NO_SLACK
    if batches is not None and plain:
        chain, solved = _in_batch(batches, stages, ladders, given, tick)
        if len(solved) == len(subproblems):
            return result_of(stages, solved, ladders)
    asked = {p.kind for p in subproblems if not ladders[p.name]}
    usual = {kind: default_ladder(kind) for kind in asked}
    full = {p.name: ladders[p.name] or usual[p.kind] for p in subproblems}
    note = getattr(tick, "note", lambda _: None)
    # Those that wait for an answer from elsewhere need no core.
    size = workers or max(len(s.subproblems) for s in stages)
    if workers is None and size > 1:
        size = min(size, (os.cpu_count() or 1) if solve_options.executor is None else WAITING)
    fair = partial(leximin_backend, execute, note)
    runners = BackendTable.of(stages, full, slack, warm, fair, note, given)
    if chain is not None:  # which knows the faces of the levels that are solved
        runners = replace(runners, chains=dict.fromkeys(chain.members, chain))
    deadlines = StageDeadlines(stages, solve_options, size)
    run = _Run(
        stages, runners, dict(solved), tick, slack, given, deadlines, dict(solve_options.starts)
    )
    # Native solves that may take long run in a pool thread, so that Ctrl-C reaches us meanwhile.
    pool = ThreadPoolExecutor(size, thread_name_prefix="lexiprog")
    try:
        for stage in stages:
            run.solve_stage(stage, pool)
    except KeyboardInterrupt as error:
        run.harvest()
        raise interrupted(run.result(), len(subproblems)) from error
    finally:
        run.stop()
        pool.shutdown(wait=False, cancel_futures=True)
    return run.result()


def _in_batch(
    batches: LevelBatches,
    stages: tuple[Stage, ...],
    ladders: Mapping[str, Ladder | None],
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
    done = f"interrupted with {len(found_so_far)} of {of} subproblems solved; "
    advice = "go on with program.solve(resume=error.partial)."
    return Interrupted(done + advice, partial=found_so_far)


def result_of(
    stages: tuple[Stage, ...],
    solutions: Mapping[str, Solution],
    ladders: Mapping[str, Ladder | None],
) -> Result:
    """What was solved, to be shown with the solvers that each was to be tried with."""
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}

    def solvers(subproblem: Subproblem) -> list[str]:
        ladder = ladders[subproblem.name] or default_ladder(subproblem.kind)
        return [solver.name for solver in ladder]

    summary, derive = partial(summary_of, stages, solvers), partial(gradient_of, stages)
    return Result(names, solutions, summary, derive)


@dataclass(frozen=True)
class _Job:
    """A task under way."""

    stage: Stage
    task: Task
    backend: Backend
    future: Future[Answer]


@dataclass
class _Run:
    """What is known so far, and what is under way."""

    stages: tuple[Stage, ...]
    runners: BackendTable
    solved: dict[str, Solution]
    tick: Tick
    slack: Slack
    given: Given
    deadlines: StageDeadlines
    starts: dict[str, Solution]
    running: list[_Job] = field(default_factory=list)
    unfinished: dict[str, Solution] = field(default_factory=dict)

    def result(self) -> Result:
        return result_of(self.stages, self.unfinished | self.solved, self.runners.ladders)

    def solve_stage(self, stage: Stage, pool: ThreadPoolExecutor) -> None:
        waiting = [p for p in stage.subproblems if p.name not in self.solved]
        attempts: dict[str, list[Attempt]] = {p.name: [] for p in waiting}
        strategies = {p.name: self.runners.strategies(p, self.solved) for p in waiting}
        waiting = [p for p in waiting if strategies[p.name]]  # else nobody installed takes its kind
        self.deadlines.begin(waiting)
        turn = 0
        while waiting:
            for name, verdict in self._try_all(
                stage, [(p, strategies[p.name][turn]) for p in waiting], pool
            ).items():
                if isinstance(verdict, Attempt):
                    attempts[name].append(verdict)
            turn += 1
            waiting = [p for p in waiting if p.name not in self.solved]
            for p in waiting:  # tries for which there is no time would only say so
                strategies[p.name] = self.deadlines.in_time(p, strategies[p.name], turn)
            waiting = [
                p
                for p in waiting
                if turn < len(strategies[p.name]) and not settled(p, attempts[p.name])
            ]
        failed = [p for p in stage.subproblems if p.name not in self.solved]
        if failed:
            until = self._explaining()
            with self.given.held():
                raise stage_error(stage.name, failed, attempts, self.result(), self.slack, until)

    def _try_all(
        self, stage: Stage, strategies: list[tuple[Subproblem, Strategy]], pool: ThreadPoolExecutor
    ) -> dict[str, Solution | Attempt]:
        """One way for each; compiling the next problem while the last one runs."""
        verdicts: dict[str, Solution | Attempt] = {}
        for subproblem, strategy in strategies:
            backend = self.runners.backend(subproblem, strategy)
            deadline = self.deadlines.of(subproblem, strategy.solver)
            try:
                with deadline.running():
                    task = prepare(
                        subproblem, strategy, self.solved, self.slack, backend.compile, self.given,
                        deadline, self.starts.get(subproblem.name),
                    )  # fmt: skip
            except Exception as error:
                if not is_solvers_fault(error):
                    raise
                # Compiling asks no solver to solve, only whether it takes such a problem.
                fault = Fault.NOT_TAKEN if isinstance(error, SolverError) else Fault.BROKEN
                verdicts[subproblem.name] = failed(strategy.solver.name, error, fault)
                continue
            away = deadline.executor is not None
            here = backend.alone or (not away and task.is_brief(len(strategies)))
            future = at_once(backend, task) if here else pool.submit(shielded, backend, task)
            self.running.append(_Job(stage, task, backend, future))
        while self.running:
            job = self.running[0]
            self._follow(job)
            verdicts[job.task.subproblem.name] = self._accept(job)
            self.running.pop(0)
        return verdicts

    def _follow(self, job: _Job) -> None:
        """Wait for a job, telling meanwhile how all that run are going.

        In short turns: a Ctrl-C that another thread receives does not end a wait without limit.
        """
        while not job.future.done() and not wait([job.future], PULSE).done:
            for other in self.running:
                self.deadlines.tell(other.stage, other.task)

    def _accept(self, job: _Job) -> Solution | Attempt:
        """Judge an answer and keep it if it is certified."""
        task = job.task
        try:
            verdict = self._judge(job, answer := job.future.result())
        except LexiprogWarning:  # turned into an error by the caller's own filter
            raise
        except Exception as broken:  # noqa: BLE001 - interfaces break on odd native results
            return failed(task.solver.name, broken, Fault.BROKEN)
        if isinstance(verdict, Solution):
            self.solved[verdict.name] = verdict
            self.deadlines.tell(job.stage, task, solution=verdict)
            self.tick(verdict.name)
            return verdict
        if verdict.incumbent is not None:
            self.unfinished[verdict.incumbent.name] = verdict.incumbent
        if verdict.status is Status.EITHER:
            with self.given.held():
                status = tell_apart(task.subproblem, self.solved, self._explaining())
                verdict = replace(verdict, status=status)
        return replace(verdict, seconds=task.compile_seconds + answer.seconds)

    def _explaining(self) -> Deadline:
        """Until when to look for the reason of a failure, in this process."""
        return Deadline(SECONDS, parent=self.deadlines.call)

    def _judge(self, job: _Job, answer: Answer) -> Solution | Attempt:
        task = job.task
        verdict = certify_answer(task, job.stage.name, answer, self.solved)
        if isinstance(verdict, Attempt):
            return verdict
        exact = answer.exact is not None
        doubtful = [] if exact else self.runners.doubtful(task.subproblem, self.solved)
        verdict = with_inheritance(task, answer, verdict, self.solved, doubtful)
        if isinstance(verdict, Solution):
            job.backend.accepted(task, answer)
            warn_of_limit(task, verdict)
        return verdict

    def stop(self) -> None:
        """Ask whatever is running to return what it has."""
        for job in self.running:
            if not job.future.done():
                job.task.deadline.cancel()

    def harvest(self) -> None:
        """After Ctrl-C: stop running solves, and keep what they found."""
        self.stop()
        for job in self.running:
            job.future.cancel()
        under_way = [job for job in self.running if not job.future.cancelled()]
        try:
            for job in under_way:
                self._follow(job)
                if job.task.subproblem.name not in self.solved:
                    self._accept(job)
        except KeyboardInterrupt:
            return  # asked twice: don't wait
