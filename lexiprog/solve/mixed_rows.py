"""Linear levels on the optimal faces of others that have fewer rows, or are for another solver.

What an optimum fixes are rows and columns of its own problem (see ``canon.multipliers``). A level
that demands all of its rows, whatever else it demands, holds the optimum exactly where these stay
fixed. So all that a level holds is solved again over its matrix, each without the rows that it does
not have, and the level itself on the faces: no rounded optimum stands between them.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import prove
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import bind_references
from lexiprog.compile.task import Joint, Solutions, Strategy, Task, join
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.model.lock import single
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence
from lexiprog.solve.lp_chain import FaceChain, is_linear, own_constraints, without_faces
from lexiprog.status import Fault, Status
from lexiprog.tolerances import CERTIFIED
from lexiprog.typing import Constraint, Mask


@dataclass(frozen=True)
class ConstraintRows:
    """The rows of several problems' constraints in one matrix.

    Rows that CVXPY adds for maxima, norms and the like belong to no constraint: they say what its
    own variables are, and leave the others as they were. So everybody has them.
    """

    places: dict[int, NDArray[np.intp]]  # by CVXPY's ids; of rows that say the same, the first
    nobodys: Mask

    @classmethod
    def of(cls, compiled: Compiled) -> ConstraintRows:
        """Of compiled numbers."""
        form = compiled.form
        plain = compiled.in_units(Scaling.none(form))
        # Rows numbered from one, as multipliers: what comes back says which is whose.
        numbers = np.arange(1.0, form.b.size + 1.0)
        duals = answer_at(plain, np.zeros(form.c.size), numbers, iterations=None).dual
        flat = {key: np.abs(np.ravel(value)) for key, value in duals.items()}
        places = {
            key: value.astype(np.intp) - 1
            for key, value in flat.items()
            if np.isin(value, numbers).all()
        }
        nobodys = np.ones(form.b.size, dtype=bool)
        for rows in places.values():
            nobodys[rows] = False
        first = _first_of_same(form)
        return cls({key: first[rows] for key, rows in places.items()}, nobodys)

    def knows(self, keys: Collection[int]) -> bool:
        """Whether these constraints have rows of their own."""
        return self.places.keys() >= set(keys)

    def present(self, keys: Collection[int]) -> Mask:
        """The rows of some constraints, and nobody's."""
        out = self.nobodys.copy()
        for key in keys:
            out[self.places[key]] = True
        return out


def _first_of_same(form: StandardForm) -> NDArray[np.intp]:
    """Of each row, the first that has the same coefficients, limit and sense."""
    matrix = sp.csr_array(form.A)
    matrix.sort_indices()
    first: dict[tuple[bytes, bytes, float, bool], int] = {}
    out = np.arange(form.b.size)
    for row, limit in enumerate(form.b.tolist()):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        columns, numbers = matrix.indices[part].tobytes(), matrix.data[part].tobytes()
        out[row] = first.setdefault((columns, numbers, limit, row < form.cones.zero), row)
    return out


@dataclass
class _Plan:
    """What is to be solved for a level, and what came out before."""

    chain: FaceChain
    owners: list[tuple[Subproblem, Compiled, float, float]]  # with value and size of each optimum


@dataclass
class MixedRowChain:
    """Solves a linear level on the faces of all that it holds, which are found on the way."""

    loosened: Collection[str] = ()
    plans: dict[str, _Plan | None] = field(default_factory=dict)

    alone = False

    def serves(self, subproblem: Subproblem) -> bool:
        """Whether all that it holds is linear, held exactly, and held nothing that it excludes."""
        members = owners_first(subproblem)
        return bool(single(subproblem.locks)) and all(map(self._fits, members))

    def _fits(self, member: Subproblem) -> bool:
        held = {lock.owner_name for _, lock in member.locks}
        for _, lock in member.locks:
            owner = lock.owner()
            if owner is None or lock.fair or lock.atol or lock.rtol:
                return False
            if lock.owner_name in self.loosened:
                return False
            if not {inner.owner_name for _, inner in owner.locks} <= held:
                return False
        return is_linear(member)

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The level's numbers over all rows; those of its owners are kept for later."""
        members = {member.name: member for member in owners_first(subproblem)}
        joint = _joined(members, subproblem)
        for member in members.values():
            bind_references(member, solutions)
        rows = ConstraintRows.of(joint.compile(subproblem.name, {}))
        mapped = all(rows.knows(own_constraints(member)) for member in members.values())
        everything = np.ones(rows.nobodys.size, dtype=bool)
        present = {
            name: rows.present(own_constraints(member)) if mapped else everything
            for name, member in members.items()
        }
        absent = {name: None if mask.all() else ~mask for name, mask in present.items()}
        chain = FaceChain(members, {}, joint, absent)
        compiled = chain.compile(subproblem, strategy, solutions)
        owners = [
            (owner, chain.compile(owner, strategy, solutions), held.value, held.size)
            for name, owner in members.items()
            if owner is not subproblem
            for held in [solutions[name]]
        ]
        nested = mapped and all(
            (present[name] | ~present[lock.owner_name]).all()
            for name, member in members.items()
            for _, lock in member.locks
        )
        self.plans[subproblem.name] = _Plan(chain, owners) if nested else None
        return compiled

    def run(self, task: Task) -> Answer:
        """Prove each owner's optimum and find its face; then optimise on what they leave."""
        start, plan = time.perf_counter(), self.plans[task.subproblem.name]
        if plan is None:
            return Answer(
                Status.FAILED, reason="some held optimum is one over rows that are not its"
            )
        proofs: dict[str, Evidence] = {}
        for owner, compiled, value, size in plan.owners:
            inner = replace(task, subproblem=owner, compiled=compiled)
            answer = plan.chain.run(inner)
            same = abs(answer.value - value) <= task.solver.accept * size
            if not same or not is_proved(answer):
                return Answer(Status.FAILED, reason=f"{owner.name!r} has another optimum there")
            plan.chain.accepted(inner, answer)
            proof = Evidence.of(inner, answer)
            proofs |= {} if proof is None else {owner.name: proof}
            if plan.chain.faces[owner.name].uncertain:
                reason = f"which points are optimal there is not clear: {owner.name!r}"
                return Answer(Status.FAILED, reason=reason, fault=Fault.UNCLEAR)
        answer = plan.chain.run(task)
        return replace(
            answer, seconds=time.perf_counter() - start, held=replace(answer.held, proofs=proofs)
        )

    def accepted(self, task: Task, answer: Answer) -> None:
        """Each level finds its faces itself."""


def owners_first(subproblem: Subproblem) -> dict[Subproblem, None]:
    """Those whose optima it holds, and theirs, each before its holders; itself last."""
    owners: dict[Subproblem, None] = {}
    for _, lock in subproblem.locks:
        owner = lock.owner()
        owners |= {} if owner is None else owners_first(owner)
    return {**owners, subproblem: None}


def is_proved(answer: Answer) -> bool:
    """Whether an answer's multipliers prove it."""
    if answer.x is None or answer.form is None:
        return False
    if answer.z is None:
        return False
    found = prove(answer.form, answer.x, answer.z, claimed=answer.claimed)
    near = CERTIFIED * float(np.max(np.abs(answer.x), initial=0.0))
    stays = bool(np.all(np.abs(found.x - answer.x) <= near))  # what is proved may lie elsewhere
    return stays and found.measures.certificate.proved


def _joined(members: Mapping[str, Subproblem], last: Subproblem) -> Joint:
    """All members over all their rows, the last's first, compiled once for as long as they live."""
    key = ("wide", *(weakref.ref(member) for member in members.values()))

    def make() -> Joint:
        rows: dict[int, Constraint] = {}
        for member in (last, *members.values()):
            rows |= {c.id: c for c in without_faces(member)}
        return join([(m.name, m.objective) for m in members.values()], list(rows.values()))

    joint: Joint = last.memory.once(key, make)
    return joint
