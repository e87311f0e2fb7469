"""Solve a hierarchy stage by stage: bind, compile, run in threads, judge, record."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any

from lexiprog import canonical
from lexiprog.canonical import Answer
from lexiprog.compile import Task, prepare
from lexiprog.custom import solve_with
from lexiprog.errors import Attempt, Interrupted, StageError
from lexiprog.judge import attach, judge
from lexiprog.relax import EITHER, INFEASIBLE, UNBOUNDED, blame, tell_apart
from lexiprog.result import Result
from lexiprog.solution import Solution
from lexiprog.solver import Ladder, default_ladder
from lexiprog.stage import Stage
from lexiprog.subproblem import Subproblem

Outcome = tuple[Any, BaseException | None, float]


def execute(
    stages: Iterable[Stage],
    ladders: Mapping[str, Ladder | None],
    *,
    workers: int | None,
    tick: Callable[[str], None],
    solved: Mapping[str, Solution],
) -> Result:
    """Solve every subproblem that is not in ``solved`` already."""
    stages = tuple(stages)
    run = _Run(tuple(stages), ladders, dict(solved), tick)
    widest = max(len(stage.subproblems) for stage in stages)
    size = workers if workers is not None else min(widest, os.cpu_count() or 1)
    # Native solves always run in a pool thread, so that Ctrl-C reaches us while they do.
    pool = ThreadPoolExecutor(size, thread_name_prefix="lexiprog")
    try:
        for stage in stages:
            run.solve_stage(stage, pool)
    except KeyboardInterrupt as error:
        run.harvest()
        raise Interrupted(
            f"interrupted with {len(run.solved)} of {run.total} subproblems solved; "
            "go on with program.solve(resume=error.partial).",
            partial=run.result(),
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return run.result()


@dataclass
class _Run:
    """What is known so far, and what is under way."""

    stages: tuple[Stage, ...]
    ladders: Mapping[str, Ladder | None]
    solved: dict[str, Solution]
    tick: Callable[[str], None]
    running: list[tuple[Stage, Task, Future[Outcome]]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(len(stage.subproblems) for stage in self.stages)

    def result(self) -> Result:
        names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in self.stages}
        return Result(names, self.solved)

    def solve_stage(self, stage: Stage, pool: ThreadPoolExecutor) -> None:
        waiting = [p for p in stage.subproblems if p.name not in self.solved]
        attempts: dict[str, list[Attempt]] = {p.name: [] for p in waiting}
        rung = 0
        while waiting:
            verdicts = self._try_all(stage, waiting, rung, pool)
            rung += 1
            for subproblem, verdict in zip(waiting, verdicts, strict=True):
                if isinstance(verdict, Attempt):
                    attempts[subproblem.name].append(verdict)
            waiting = [
                p
                for p, verdict in zip(waiting, verdicts, strict=True)
                if isinstance(verdict, Attempt)
                and rung < len(self._ladder(p))
                and not _settled(attempts[p.name], integer=p.problem.is_mixed_integer())
            ]
        failed = [p for p in stage.subproblems if p.name not in self.solved]
        if failed:
            raise self._error(stage, failed, attempts)

    def _ladder(self, subproblem: Subproblem) -> Ladder:
        chosen = self.ladders[subproblem.name]
        return chosen or default_ladder(subproblem.problem, gp=subproblem.gp)

    def _try_all(
        self, stage: Stage, subproblems: list[Subproblem], rung: int, pool: ThreadPoolExecutor
    ) -> list[Solution | Attempt]:
        """One solver for each; compiling the next problem while the last one runs."""
        verdicts: dict[str, Solution | Attempt] = {}
        queue: list[tuple[Task, Future[Outcome]]] = []
        for subproblem in subproblems:
            solver = self._ladder(subproblem)[rung]
            try:
                task = prepare(subproblem, solver, self.solved)
            except Exception as error:
                if rung == 0 and not _is_solvers_fault(error):
                    raise
                verdicts[subproblem.name] = _failed(solver.name, error)
                continue
            if task.compiled is None:
                verdicts[subproblem.name] = self._accept(stage, task, _timed(solve_with, task))
            else:
                future = pool.submit(_timed, _native, task)
                queue.append((task, future))
                self.running.append((stage, task, future))
        for task, future in queue:
            verdicts[task.subproblem.name] = self._accept(stage, task, future.result())
        self.running.clear()
        return [verdicts[subproblem.name] for subproblem in subproblems]

    def _accept(self, stage: Stage, task: Task, outcome: Outcome) -> Solution | Attempt:
        """Judge an outcome and keep it if it is certified."""
        found, error, seconds = outcome
        name = task.subproblem.name
        if error is not None:
            return _failed(task.solver.name, error)
        try:
            answer = found if isinstance(found, Answer) else canonical.interpret(task.native, found)
            verdict = judge(task, stage.name, answer, seconds=seconds, solutions=self.solved)
        except Exception as broken:  # noqa: BLE001 - interfaces break on odd native results
            return _failed(task.solver.name, broken)
        if isinstance(verdict, Attempt):
            if verdict.status == EITHER:
                status = tell_apart(task.subproblem, self.solved)
                verdict = replace(verdict, status=status)
            return verdict
        self.solved[name] = attach(verdict, task.subproblem, task.constants)
        self.tick(name)
        return verdict

    def harvest(self) -> None:
        """After Ctrl-C: let running solves return, and keep what they found."""
        for _, _, future in self.running:
            future.cancel()
        under_way = [entry for entry in self.running if not entry[2].cancelled()]
        try:
            wait([future for _, _, future in under_way])
            for stage, task, future in under_way:
                if task.subproblem.name not in self.solved:
                    self._accept(stage, task, future.result())
        except KeyboardInterrupt:
            return  # asked twice: don't wait

    def _error(
        self, stage: Stage, failed: list[Subproblem], attempts: Mapping[str, list[Attempt]]
    ) -> StageError:
        first = failed[0]
        tries = attempts[first.name]
        last = next((a for a in reversed(tries) if a.status in INFEASIBLE), tries[-1])
        said = "; ".join(map(str, tries))
        others = ", ".join(repr(p.name) for p in failed[1:])
        message = (
            f"stage {stage.name!r}, subproblem {first.name!r} has no certified optimum. "
            f"{said}. {_advice(first, last, self.solved)}"
            + (f" Also without one: {others}." if others else "")
            + f" {len(self.solved)} solved subproblems are in error.partial; "
            "solve(resume=error.partial) goes on from there."
        )
        return StageError(
            message, stage=stage.name, subproblem=first.name, solver=last.solver,
            status=last.status, attempts=tuple(tries), partial=self.result(),
        )  # fmt: skip


def _native(task: Task) -> Any:
    return canonical.run(task.native, task.fresh_options())


def _timed(work: Callable[[Task], Any], task: Task) -> Outcome:
    """Run a solver; whatever it raises is an outcome too, native panics included."""
    start = time.perf_counter()
    try:
        return work(task), None, time.perf_counter() - start
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a Rust panic is no Exception
        return None, error, time.perf_counter() - start


def _failed(solver: str, error: BaseException) -> Attempt:
    text = " ".join(str(error).split())
    return Attempt(solver, "solver_error", f"{type(error).__name__}: {text}" if text
                   else type(error).__name__)  # fmt: skip


def _is_solvers_fault(error: Exception) -> bool:
    return type(error).__module__.startswith("cvxpy") or isinstance(error, ArithmeticError)


def _settled(attempts: list[Attempt], *, integer: bool) -> bool:
    """Whether further solvers would only repeat that there is no optimum."""
    for verdicts in (INFEASIBLE, UNBOUNDED):
        agreeing = sum(attempt.status in verdicts for attempt in attempts)
        if agreeing >= (1 if integer else 2):
            return True
    return False


def _advice(subproblem: Subproblem, last: Attempt, solved: Mapping[str, Solution]) -> str:
    if last.status in INFEASIBLE:
        return blame(subproblem, solved)
    if last.status in UNBOUNDED:
        return "Its objective improves without limit: add the bounds that reality has."
    if last.reason.startswith("not certified"):
        return (
            "The answer does not survive its own check: try another solver, a list of them, or "
            "Solver(name, accept=...) if that much error is fine with you."
        )
    if "limit" in last.status:
        return "It ran into a limit: raise the time or iteration limit, or try another solver."
    return "Try another solver, or a list of them: program.solve(['HIGHS', 'CLARABEL'])."
