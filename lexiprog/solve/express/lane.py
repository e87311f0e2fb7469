"""Linear levels in a row, each holding earlier optima, solved one after the other and then judged.

Small ones are solved in less time than it takes to prepare, judge and record each by itself. Here
the same numbers are found by the same runner and judged by the same certificate; only what lies
between two levels is done once for all. Whatever is out of the ordinary is not decided here: it is
solved again, stage by stage.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, FreshOptions, Matrix, Options, Value, Values
from lexiprog.compile.binding import Given, read_parameters
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.compile.joint import Joint
from lexiprog.compile.task import BRIEF
from lexiprog.declare.leaves import as_float, dense, holding, read_only, read_only_copies
from lexiprog.declare.stage import Stage
from lexiprog.proof.certificate import TOLERANCE
from lexiprog.result.solution import Solution
from lexiprog.runners.chains import find_chains
from lexiprog.runners.corners import Corners
from lexiprog.runners.face import FaceChain
from lexiprog.runners.faces.optimum import FaceVertex
from lexiprog.solve.express.judging import judged
from lexiprog.solve.express.rungs import Rung
from lexiprog.solvers.highs import Session
from lexiprog.solvers.solver import Ladder, Solver

__all__ = ["FastLane", "Lanes"]


class Lanes:
    """The lanes of one program: which there are depends on the solvers asked for."""

    def __init__(self) -> None:
        self._known: dict[float, FastLane | None] = {}

    def of(self, stages: Sequence[Stage], ladders: Mapping[str, Ladder | None]) -> FastLane | None:
        """The lane that all stages together are, if HIGHS is asked without any options."""
        wishes = {TOLERANCE if ladder is None else _plain(ladder[0]) for ladder in ladders.values()}
        accept = wishes.pop()
        if wishes or accept is None:
            return None
        if accept not in self._known:
            self._known[accept] = _lane(stages, Solver("HIGHS", accept=accept))
        return self._known[accept]


def _plain(solver: Solver) -> float | None:
    """What HIGHS without options is to accept; None if it is another, or has options."""
    plain = solver.target == "HIGHS" and not solver.options
    return solver.accept if plain and solver.gap is solver.time_limit is None else None


def _lane(stages: Sequence[Stage], solver: Solver) -> FastLane | None:
    if len(stages) < 2 or any(len(stage.subproblems) != 1 for stage in stages):
        return None
    members = [stage.subproblems[0] for stage in stages]
    chains = find_chains(stages, {member.name: (solver,) for member in members})
    if len(chains) != len(stages) or len({id(chain) for chain in chains.values()}) > 1:
        return None
    for member in members:
        owners = {reference.owner_name for _, reference in member.references}
        if not len(member.references) == len(member.locks) == len(owners):
            return None
        if any(isinstance(parameter, cp.CallbackParam) for parameter in member.inputs):
            return None
    rungs = tuple(Rung(s.name, m) for s, m in zip(stages, members, strict=True))
    return FastLane(rungs, chains[members[0].name].joint, solver)


@dataclass(frozen=True)
class FastLane:
    """The levels of a program whose every stage is one of them."""

    rungs: tuple[Rung, ...]
    joint: Joint
    solver: Solver
    # A HiGHS object that nobody uses now, by process: to make one takes as long as a small level.
    _spare: dict[int, tuple[FreshOptions, Session]] = field(default_factory=dict)

    def solve(self, given: Given, tick: Callable[[str], None]) -> dict[str, Solution] | None:
        """Every level's certified optimum; None if the stages should see to it themselves."""
        members = {rung.name: rung.member for rung in self.rungs}
        taken: list[tuple[FreshOptions, Session]] = []

        def session(A: Matrix, options: Options) -> Session:
            taken.append(self._session(A, dict(options)))
            return taken[-1][1]

        chain = FaceChain(members, self.solver.options, self.joint, corners=Corners(session))
        inputs, ready = given.undisturbed(lambda: (self._inputs(), self._compiled(chain)))
        if ready is None:
            return None
        corners = self._corners(chain, ready)
        if corners is None:
            return None
        self._spare[os.getpid()] = taken[-1]
        found = judged([rung.name for rung in self.rungs], corners, ready, self.solver.accept)
        if found is None:
            return None
        points = [one.variables() for one in found]
        values = given.undisturbed(lambda: self._values(points))
        solutions: dict[str, Solution] = {}
        optima: dict[str, Value] = {}
        for rung, one, point, value, known in zip(
            self.rungs, found, points, values, inputs, strict=True
        ):
            solution = rung.solution(one, point, value, known, solutions, optima, self.solver)
            if solution is None:
                return None
            solutions[rung.name], optima[rung.name] = solution, read_only(value)
        for name, limit in self._limits:
            limit.save_value(optima[name])
        for name in solutions:
            tick(name)
        return solutions

    @cached_property
    def _limits(self) -> list[tuple[str, cp.Parameter]]:
        """The placeholders of held optima with the names of their owners, each once."""
        held = {id(one.limit): one for rung in self.rungs for one in rung.locks}
        return [(one.lock.owner_name, one.limit) for one in held.values()]

    def _session(self, A: Matrix, options: FreshOptions) -> tuple[FreshOptions, Session]:
        """One over this matrix that begins from nothing, as new."""
        kept = self._spare.pop(os.getpid(), None)
        if kept is not None and kept[0] == options and kept[1].has_matrix(A):
            return kept
        return options, Session(A, options)

    def _inputs(self) -> list[tuple[Values, Mapping[int, Value]]]:
        """The user's parameters by name and by id, the same objects for levels that share them."""
        out: list[tuple[Values, Mapping[int, Value]]] = []
        for rung, before in zip(self.rungs, (None, *self.rungs), strict=False):
            own = rung.member.parameters
            # By their ids: CVXPY takes == between parameters for a constraint.
            if before is None or [p.id for p in own] != [p.id for p in before.member.parameters]:
                named = read_only_copies(read_parameters(rung.member))
                out.append((named, {p.id: np.array(dense(p.value)) for p in own}))
            else:
                out.append(out[-1])
        return out

    def _compiled(self, chain: FaceChain) -> list[Compiled] | None:
        """The numbers of all levels; None if they are too many, or not only to be cut up."""
        every = self.joint.together()
        for compiled in every.values():
            form = compiled.form
            if compiled.places is None or form.A.nnz + form.b.size + form.c.size > BRIEF:
                return None
        return [chain.in_common_units(r.name, every[r.name]) for r in self.rungs] if every else None

    def _corners(self, chain: FaceChain, ready: list[Compiled]) -> list[FaceVertex] | None:
        """All levels' vertices, if HiGHS finds an optimum on every face and each face is clear."""
        corners = []
        for rung, compiled in zip(self.rungs, ready, strict=True):
            try:
                corner = chain.corner(rung.member, compiled)
            except Exception:  # noqa: BLE001 - the stages will meet it again, and tell
                return None
            x = corner.vertex.x
            if not corner.vertex.optimal or np.count_nonzero(np.isfinite(x)) < x.size:
                return None
            if corner.own is not None and corner.own.unclear:
                return None
            chain.remember(rung.member, compiled, corner)
            corners.append(corner)
        return corners

    def _values(self, points: Sequence[Mapping[int, Array]]) -> list[float]:
        """The objectives as the user wrote them, at the points."""
        out = []
        with holding(()) as held:
            for rung, point in zip(self.rungs, points, strict=True):
                for variable in rung.member.variables:
                    held.put(variable, point[variable.id])
                out.append(as_float(rung.member.objective.expr.value))
        return out
