"""A later problem while the tolerance moves: what it reads, and how its numbers follow."""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Record, Value
from lexiprog.compile.binding import Given
from lexiprog.compile.cvxpy_door import columns_of
from lexiprog.compile.task import Task, prepare
from lexiprog.curves.pace import Pace
from lexiprog.declare.lock import Slack
from lexiprog.declare.references.reference import VALUES, Reference
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm
from lexiprog.program import Program
from lexiprog.result.attachment import constant_of
from lexiprog.result.solution import Solution
from lexiprog.solvers.solver import Solver
from lexiprog.solvers.ways import Way
from lexiprog.sweeps.slack.rates import Unsteady, rate_of
from lexiprog.sweeps.slack.track import Shape, Track

__all__ = ["MovingProblem", "Scene", "Unsteady"]


@dataclass(frozen=True)
class _Value:
    """What stands for a solution of which only the value is known."""

    value: float
    unit: float = 1.0

    def __getitem__(self, variable: cp.Variable | str) -> Value:
        raise KeyError(variable)


@dataclass
class Scene:
    """One level whose tolerance moves, and what is known of the others."""

    program: Program
    name: str
    given: Given
    solved: dict[str, Solution]  # of what does not depend on the tolerance
    tracks: dict[str, Track]  # of what does
    pace: Pace  # what Ctrl-C stops is kept

    @property
    def optimum(self) -> float:
        """The optimum whose tolerance moves."""
        return self.solved[self.name].value

    def moves(self, reference: Reference) -> bool:
        """Whether the value of a reference depends on the tolerance."""
        if reference.owner_name in self.tracks:
            return True
        return reference.lock is not None and reference.owner_name == self.name

    def depends(self, subproblem: Subproblem) -> bool:
        """Whether a problem does."""
        return any(self.moves(reference) for _, reference in subproblem.references)

    def known_at(self, t: float) -> Record:
        """Solutions to read references from at ``t``, values alone where they move."""
        values = {name: float(track.at(t)) for name, track in self.tracks.items()}
        return self.solved | {name: _Value(v) for name, v in values.items()}

    def task(self, subproblem: Subproblem, t: float) -> Task:
        """The problem with its numbers at ``t``, for HiGHS."""
        way = Way(Solver("HIGHS"))
        return prepare(
            subproblem, way, self.known_at(t), Slack({self.name: t}), given=self.given
        )  # fmt: skip

    def value(self, reference: Reference, t: float) -> float:
        """What a moving reference stands for at ``t``."""
        if reference.owner_name == self.name and reference.lock is not None:
            return reference.lock.limit(self.optimum, t)
        own = float(self.tracks[reference.owner_name].at(t))
        if reference.lock is None:
            return own
        with self.given.held():
            return reference.lock.limit(own, reference.lock.tolerance(own))

    def kinks(self, subproblem: Subproblem) -> Array:
        """Tolerances between which all that the problem reads moves in straight lines."""
        found = [np.zeros(1)]
        for _, reference in subproblem.references:
            track = self.tracks.get(reference.owner_name)
            if track is None:
                continue
            found.append(track.knots)
            lock = reference.lock
            with self.given.held():
                atol, rtol = (0.0, 0.0) if lock is None else lock.tolerances
            if rtol > 0.0:
                turns = {0.0, atol / rtol, -atol / rtol}
                found += [_crossings(track, level) for level in turns]
        return np.unique(np.concatenate(found))

    def stop(self, subproblem: Subproblem) -> float:
        """The last tolerance at which all that the problem reads is known."""
        owners = {reference.owner_name for _, reference in subproblem.references}
        return min((t.stop for name, t in self.tracks.items() if name in owners), default=np.inf)

    def start(self, subproblem: Subproblem) -> float:
        """The first such tolerance."""
        owners = {reference.owner_name for _, reference in subproblem.references}
        known = [float(t.knots[0]) for name, t in self.tracks.items() if name in owners]
        return max(known, default=0.0)


def _crossings(track: Track, level: float) -> Array:
    """Where a piecewise linear track crosses a level."""
    ends = np.append(track.knots[1:], np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = track.knots + (level - track.values) / track.slopes
    return np.asarray(t[np.isfinite(t) & (t > track.knots) & (t < ends)])


@dataclass(frozen=True)
class MovingProblem:
    """A linear problem's numbers at one tolerance, and how its right-hand side follows what moves.

    Attributes
    ----------
    task : Task
        With the numbers at the first tolerance.
    rates : list of (Reference, ndarray, bool)
        What each unit of a reference adds to the right-hand side, and whether it moves.
    """

    scene: Scene
    task: Task
    origin: float
    rates: list[tuple[Reference, Array, bool]]

    @classmethod
    def of(cls, scene: Scene, subproblem: Subproblem) -> MovingProblem:
        """The numbers of a problem; Unsteady if they don't follow in straight lines."""
        for _, reference in subproblem.references:
            if scene.moves(reference):
                _check_reading(scene, reference)
        return cls.at(scene, subproblem, scene.start(subproblem))

    @classmethod
    def at(cls, scene: Scene, subproblem: Subproblem, origin: float) -> MovingProblem:
        """The numbers at ``origin``, whatever the problem reads."""
        task = scene.task(subproblem, origin)
        rates = [
            (reference, rate_of(task, parameter, reference.label), scene.moves(reference))
            for parameter, reference in subproblem.references
            if (parameter.size == 1 and scene.moves(reference)) or reference.lock is not None
        ]
        return cls(scene, task, origin, rates)

    @property
    def scaling(self) -> Scaling:
        """The units in which curves are traced."""
        return self.task.native.scaling

    @property
    def form(self) -> StandardForm:
        """The numbers at the first tolerance, in these units."""
        return self.task.native.scaled

    @property
    def near(self) -> Array:
        """The point of the level whose tolerance moves, in these units, as far as it goes."""
        x, held = np.full(self.form.c.size, np.nan), self.scene.solved[self.scene.name]
        columns = columns_of(self.task.native)
        for variable in self.task.subproblem.variables:
            value = constant_of(held, variable)
            if value is not None and variable.id in columns:
                x[columns[variable.id]] = value
        return self.scaling.scaled_point(x)

    def sides(self, t: float) -> Array:
        """The right-hand side at ``t``, in these units."""
        b = self.task.form.b.copy()
        for reference, rate, moves in self.rates:
            if moves:
                b += rate * (
                    self.scene.value(reference, t) - self.scene.value(reference, self.origin)
                )
        return np.asarray(b * self.scaling.rows)

    def direction(self, start: float, stop: float) -> Array:
        """What a unit of tolerance adds to the right-hand side from ``start`` to ``stop``."""
        end = stop if np.isfinite(stop) else start + max(1.0, abs(self.scene.optimum), abs(start))
        total = np.zeros_like(self.task.form.b)
        for reference, rate, moves in self.rates:
            if not moves:
                continue
            if reference.owner_name == self.scene.name and reference.lock is not None:
                total += rate * (-1.0 if reference.lock.maximise else 1.0)
                continue
            change = self.scene.value(reference, end) - self.scene.value(reference, start)
            total += rate * (change / (end - start))
        return np.asarray(total * self.scaling.rows)

    @property
    def tight(self) -> list[int]:
        """Inequalities that hold an earlier optimum without tolerance, but for the moving one."""
        zero, rows = self.form.cones.zero, []
        for reference, rate, _ in self.rates:
            lock = reference.lock
            if reference.owner_name == self.scene.name or (lock and any(lock.tolerances)):
                continue
            rows += [int(row) for row in np.flatnonzero(rate) if row >= zero]
        return list(dict.fromkeys(rows))


def _check_reading(scene: Scene, reference: Reference) -> None:
    """Refuse readings that are no numbers a curve tells."""
    if reference.kind not in VALUES:
        raise Unsteady(f"it reads {reference.label}, of which the curve knows nothing")
    track = scene.tracks.get(reference.owner_name)
    if track is not None and track.shape is not Shape.LINEAR:
        raise Unsteady(f"{reference.owner_name!r} is not known as straight lines")
