"""Re-solve linear problems from their last basis, or not at all while that is still optimal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import highspy

from lexiprog.backends.highs import HighsModel, Vertex
from lexiprog.backends.remote_lp import RemoteHighs
from lexiprog.backends.warm_basis import KeptBasis, KeptVertex
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Solutions, Strategy, Task, compile_alone
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.direct import Backend, Direct
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.typing import Matrix, Options

# A basis that was reached in few steps is likely to fit the next numbers too: worth its factors.
NEAR = 0.01
# Bases that are tried before HiGHS is asked.
LATEST = 3
# To try them takes about as long as HiGHS from there: they are looked at while one in FAIR fits,
# from the first EARLY tries on, and now and then all the same.
EARLY, FAIR, AGAIN = 4, 3, 32

Key = tuple[str, str]


@dataclass
class _Luck:
    """How often bases were there to be tried, how often they were, and how often one fitted."""

    chances: int = 0
    tries: int = 0
    hits: int = 0

    def is_tried(self, there: bool) -> bool:  # noqa: FBT001 - the only thing to say
        """Whether to try this time, if there is something to try."""
        self.chances += there
        fair = self.tries < EARLY or FAIR * self.hits >= self.tries
        tried = there and (fair or self.chances % AGAIN == 0)
        self.tries += tried
        return tried


@dataclass
class WarmHighs:
    """One HiGHS object for each linear subproblem and way to try it, kept from solve to solve.

    Attributes
    ----------
    only : frozenset of str
        Subproblems of which later ones use the point or the multipliers. If these are not the
        only ones they are found cold, so that nothing depends on earlier solves.
    still : frozenset of str
        Subproblems whose numbers are the same in all solves.
    session : callable
        Makes a session for a matrix and options.
    integers : Direct, optional
        Who runs integer problems, which have no basis, from the point of the last solve.
    found : Counter
        How often a problem was "kept" (its last basis is still optimal), "warm" or "cold".
    """

    only: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    session: Callable[[Matrix, Options], HighsModel] = RemoteHighs
    integers: Direct | None = None
    found: Counter[str] = field(default_factory=Counter)
    sessions: dict[Key, HighsModel] = field(default_factory=dict)
    bases: dict[Key, highspy.HighsBasis] = field(default_factory=dict)
    kept: dict[Key, list[KeptBasis]] = field(default_factory=dict)
    units: dict[Key, Scaling] = field(default_factory=dict)
    chains: dict[tuple[str, ...], FaceChain] = field(default_factory=dict)
    luck: dict[Key, _Luck] = field(default_factory=dict)

    alone = False

    def backend(self, subproblem: Subproblem, strategy: Strategy) -> Backend | None:
        """Who runs this from where the last solve ended; None if nobody does."""
        solver = strategy.solver
        if solver.target != "HIGHS" or "highs_options" in solver.options:
            return None
        if subproblem.kind == "LP":
            return self
        # Those of which others use the point start from nothing: it depends on no earlier solve.
        starts = subproblem.kind == "MILP" and subproblem.name not in self.only
        return self.integers if starts else None

    def join(self, chains: Mapping[str, FaceChain]) -> None:
        """Let chains go on from where those of the last solve ended."""
        for chain in {id(chain): chain for chain in chains.values()}.values():
            names = tuple(chain.members)
            chain.finder.session = self.session
            if names in self.chains and not self.only.intersection(names):
                chain.follow(self.chains[names])
                self._recall(chain, self.chains[names])
            self.chains[names] = chain

    def _recall(self, chain: FaceChain, before: FaceChain) -> None:
        """Give a chain the faces of those whose numbers have not changed."""
        for name in self.still.intersection(before.faces):
            chain.faces[name], chain.forms[name] = before.faces[name], before.forms[name]
            chain.kept[name] = before.kept[name]

    def needs(self, name: str) -> bool:
        """Whether a subproblem has to be solved here for the sake of those that hold it.

        Its optimum may be known already, but not the face that they are kept on.
        """
        chains = [chain for chain in self.chains.values() if name in chain.members]
        return not chains or any(name not in chain.faces for chain in chains)

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The subproblem by itself, in the units of its last solve while they still suit it."""
        compiled = compile_alone(subproblem, strategy, solutions)
        key = (subproblem.name, repr(strategy))
        last = self.units.get(key)
        if last is None or not last.is_near(compiled.scaling):
            last = self.units[key] = compiled.scaling
        return compiled.in_units(last)

    def run(self, task: Task) -> Answer:
        """The last bases, if one is optimal still; else solve from the last one."""
        start = time.perf_counter()
        form = task.native.scaled
        key = (task.subproblem.name, repr(task.strategy))
        bounds = Bounds.of(form)
        session = self._session(key, form, task)
        luck = self.luck.setdefault(key, _Luck())
        kept = self.kept.get(key, [])
        for basis in kept if luck.is_tried(bool(kept)) else []:
            vertex = basis.corner(form.c, bounds)
            if vertex is not None and self._may_stay(task, basis, vertex, bounds):
                self.found["kept"] += 1
                luck.hits += 1
                seconds = time.perf_counter() - start
                return replace(_answer(task, vertex, 0), seconds=seconds)
        found = session.run(form.c, bounds, self.bases.get(key), deadline=task.deadline)
        if not found.optimal:
            return Answer(found.word, said=found.status, seconds=found.seconds)
        self.bases[key] = found.basis
        vertex = KeptVertex(found.x, found.row_dual)
        basis = KeptBasis(form.A, found.basis)
        if not self._may_stay(task, basis, vertex, bounds):
            self.found["cold"] += 1
            return Direct().run(replace(task, compiled=replace(task.native, units=None)))
        self.found["warm" if found.warm else "cold"] += 1
        self._keep(key, basis, found)
        return replace(_answer(task, vertex, found.iterations), seconds=found.seconds)

    def accepted(self, task: Task, answer: Answer) -> None:
        """The basis was kept already: it is as good for a problem that was refused."""

    def _session(self, key: Key, form: StandardForm, task: Task) -> HighsModel:
        """The session of the last solve, or a new one if the matrix has changed."""
        session = self.sessions.get(key)
        if session is None or not session.has_matrix(form.A):
            before = self.sessions.get(key)
            session = self.sessions[key] = self.session(form.A, task.options)
            self.kept.pop(key, None)
            if before is None or before.shape != form.A.shape:
                self.bases.pop(key, None)
        return session

    def _may_stay(self, task: Task, basis: KeptBasis, vertex: KeptVertex, bounds: Bounds) -> bool:
        """Whether a cold solve would have found the same, as far as anybody can tell."""
        name, cost = task.subproblem.name, task.native.scaled.c
        return name not in self.only or basis.is_only(vertex, cost, bounds)

    def _keep(self, key: Key, basis: KeptBasis, found: Vertex) -> None:
        if found.warm and found.iterations <= NEAR * found.row_dual.size + 1:
            self.kept[key] = [basis, *self.kept.get(key, [])[: LATEST - 1]]


def _answer(task: Task, vertex: KeptVertex, iterations: int) -> Answer:
    return answer_at(task.native, vertex.x, -vertex.row_dual, iterations=iterations)
