"""Solve a hierarchy stage by stage: bind, compile, run in threads, judge, record."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lexiprog.compile import cvxpy_door as canonical
from lexiprog.compile.cvxpy_door import Answer
from lexiprog.compile.task import NO_SLACK, Task, prepare
from lexiprog.declare.describe import outline_of
from lexiprog.declare.reference import Slack
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import Attempt, Interrupted, LexiprogWarning
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.runners.chains import find_chains
from lexiprog.runners.custom import solve_with
from lexiprog.runners.face import FaceChain
from lexiprog.runners.polish import polished
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.failure import INFEASIBLE, UNBOUNDED, stage_error
from lexiprog.solve.held import with_locks
from lexiprog.solve.relaxation import EITHER, tell_apart
from lexiprog.solve.verdict import attach, judge
from lexiprog.solvers.solver import Ladder, default_ladder
from lexiprog.solvers.ways import Rung, rungs

Outcome = tuple[Any, BaseException | None, float]


def execute(
    stages: Iterable[Stage],
    ladders: Mapping[str, Ladder | None],
    *,
    workers: int | None,
    tick: Callable[[str], None],
    solved: Mapping[str, Solution],
    slack: Slack = NO_SLACK,
    warm: WarmHighs | None = None,
) -> Result:
    """Solve every subproblem that is not in ``solved`` already.

    ``slack`` loosens locks beyond their declaration; ``warm`` starts linear problems from where
    an earlier call left them, which makes their vertex depend on that call.
    """
    stages = tuple(stages)
    subproblems = [p for stage in stages for p in stage.subproblems]
    full = {p.name: ladders[p.name] or default_ladder(p.kind) for p in subproblems}
    chains = find_chains(stages, full, loosened=slack.tolerances)
    run = _Run(stages, full, chains, dict(solved), tick, slack, warm)
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
            f"interrupted with {len(run.solved)} of {len(subproblems)} subproblems solved; "
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
    ladders: Mapping[str, Ladder]
    chains: Mapping[str, FaceChain]
    solved: dict[str, Solution]
    tick: Callable[[str], None]
    slack: Slack
    warm: WarmHighs | None
    running: list[tuple[Stage, Task, Future[Outcome]]] = field(default_factory=list)

    def result(self) -> Result:
        names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in self.stages}
        return Result(names, self.solved, partial(outline_of, self.stages))

    def solve_stage(self, stage: Stage, pool: ThreadPoolExecutor) -> None:
        waiting = [p for p in stage.subproblems if p.name not in self.solved]
        attempts: dict[str, list[Attempt]] = {p.name: [] for p in waiting}
        ways = {p.name: self._ways(p) for p in waiting}
        rung = 0
        while waiting:
            verdicts = self._try_all(stage, [(p, ways[p.name][rung]) for p in waiting], pool)
            rung += 1
            for name, verdict in verdicts.items():
                if isinstance(verdict, Attempt):
                    attempts[name].append(verdict)
            waiting = [
                p
                for p in waiting
                if p.name not in self.solved
                and rung < len(ways[p.name])
                and not _settled(p, attempts[p.name])
            ]
        failed = [p for p in stage.subproblems if p.name not in self.solved]
        if failed:
            raise stage_error(stage.name, failed, attempts, self.result())

    def _ways(self, subproblem: Subproblem) -> list[Rung]:
        """Every solver and lock to try; a face needs those of the optima it holds."""
        chain = self.chains.get(subproblem.name)
        face = chain is not None and all(
            lock.owner_name in chain.faces for _, lock in subproblem.locks
        )
        loosened = frozenset(name for name, slack in self.slack.tolerances.items() if slack > 0)
        return rungs(subproblem, self.ladders[subproblem.name], face=face, loosened=loosened)

    def _try_all(
        self, stage: Stage, ways: list[tuple[Subproblem, Rung]], pool: ThreadPoolExecutor
    ) -> dict[str, Solution | Attempt]:
        """One way for each; compiling the next problem while the last one runs."""
        verdicts: dict[str, Solution | Attempt] = {}
        for subproblem, rung in ways:
            chain = self.chains[subproblem.name] if rung.mode == "face" else None
            joint = None if chain is None else chain.compile
            try:
                task = prepare(subproblem, rung, self.solved, self.slack, joint)
            except Exception as error:
                if not _is_solvers_fault(error):
                    raise
                verdicts[subproblem.name] = _failed(rung.solver.name, error)
                continue
            if task.compiled is None:
                verdicts[subproblem.name] = self._accept(stage, task, _timed(solve_with, task))
            else:
                native = self._runner(task) if chain is None else chain.run
                self.running.append((stage, task, pool.submit(_timed, native, task)))
        for _, task, future in self.running:
            verdicts[task.subproblem.name] = self._accept(stage, task, future.result())
        self.running.clear()
        return verdicts

    def _runner(self, task: Task) -> Callable[[Task], Any]:
        return self.warm.run if self.warm is not None and self.warm.serves(task) else _native

    def _accept(self, stage: Stage, task: Task, outcome: Outcome) -> Solution | Attempt:
        """Judge an outcome and keep it if it is certified."""
        found, error, seconds = outcome
        if error is not None:
            return _failed(task.solver.name, error)
        try:
            verdict = self._judge(stage, task, found, seconds)
        except LexiprogWarning:  # turned into an error by the caller's own filter
            raise
        except Exception as broken:  # noqa: BLE001 - interfaces break on odd native results
            return _failed(task.solver.name, broken)
        if isinstance(verdict, Solution):
            self.solved[verdict.name] = verdict
            self.tick(verdict.name)
        elif verdict.status == EITHER:
            verdict = replace(verdict, status=tell_apart(task.subproblem, self.solved))
        return verdict

    def _judge(self, stage: Stage, task: Task, found: Any, seconds: float) -> Solution | Attempt:
        chain = self.chains[task.subproblem.name] if task.rung.mode == "face" else None
        judged = task
        if chain is not None:
            answer, judged = chain.read(task, found)
        elif isinstance(found, Answer):
            answer = found
        else:
            answer = canonical.interpret(task.native, found)
        verdict = judge(judged, stage.name, answer, seconds=seconds, solutions=self.solved)
        if isinstance(verdict, Attempt):
            return verdict
        verdict = attach(verdict, task.subproblem, task.constants)
        if task.subproblem.locks:
            verdict = with_locks(task, answer, verdict, self.solved)
        if chain is not None and isinstance(verdict, Solution):
            chain.keep(task, found)
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


def _native(task: Task) -> Any:
    return polished(task, canonical.run(task.native, task.fresh_options()))


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
    kind = type(error).__name__
    return Attempt(solver, "solver_error", f"{kind}: {text}" if text else kind)


def _is_solvers_fault(error: Exception) -> bool:
    return type(error).__module__.startswith("cvxpy") or isinstance(error, ArithmeticError)


def _settled(subproblem: Subproblem, attempts: list[Attempt]) -> bool:
    """Whether further solvers would only repeat that there is no optimum."""
    if subproblem.locks:  # a lock may be too tight for one solver and not for the next
        return False
    enough = 1 if subproblem.integer else 2
    return any(
        sum(attempt.status in verdicts for attempt in attempts) >= enough
        for verdicts in (INFEASIBLE, UNBOUNDED)
    )
