"""All levels of a lane judged at once: to do it to all takes little longer than to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lexiprog.aliases import Array
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.declare.leaves import read_only
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.boxed import Several, is_boxed
from lexiprog.proof.certify import Checked, certified, check_answer
from lexiprog.result.evidence import Evidence
from lexiprog.runners.faces.left import LeftFace
from lexiprog.runners.faces.optimum import FaceVertex
from lexiprog.runners.held_face import lift, paid_for
from lexiprog.solvers.linear.refinement import is_off, misses

__all__ = ["Climbed", "judged"]


@dataclass(frozen=True)
class Climbed:
    """What a level came to.

    Attributes
    ----------
    corner, compiled, checked
        The optimum on the face, the numbers it was found for, and its certificate.
    claimed : float
        The compiled objective at the vertex, to be minimised.
    point : ndarray
        The vertex in the user's units, brought within its bounds.
    multipliers, prices : ndarray, list of float
        Those of the rows as declared, and, in the user's units, those of the locks.
    held : list of float
        The objectives that it holds, at the point.
    """

    corner: FaceVertex
    compiled: Compiled
    checked: Checked
    claimed: float
    point: Array
    multipliers: Array
    prices: list[float]
    held: list[float]

    def variables(self) -> dict[int, Array]:
        """The values of the user's variables, by CVXPY's ids, which nobody can change."""
        places = self.compiled.places
        arrays = {} if places is None else places.variables(self.point)
        return {key: read_only(array) for key, array in arrays.items()}

    def evidence(self, member: Subproblem) -> Callable[[], Evidence]:
        """What makes the numbers behind the certificate, and keeps no more than it needs."""
        corner, scaling = self.corner, self.compiled.scaling
        kept = corner.form, corner.face, corner.vertex.x, corner.vertex.row_dual
        return partial(_evidence, member, scaling, *kept)


def _evidence(
    member: Subproblem,
    scaling: Scaling,
    form: StandardForm,
    face: LeftFace,
    x: Array,
    row_dual: Array,
) -> Evidence:
    return Evidence.at(member, scaling, face.form(form), x, -row_dual[face.rows.order])


def judged(
    names: Sequence[str], corners: Sequence[FaceVertex], ready: Sequence[Compiled], accept: float
) -> list[Climbed] | None:
    """Every level with its certificate; None if some point misses rows by more than rounding."""
    x = np.array([corner.vertex.x for corner in corners])
    y = -np.array([corner.vertex.row_dual for corner in corners])
    own = ready[0].scaling.point(x)  # the units of the columns are the same for all
    forms = [compiled.form for compiled in ready]
    claims = [form.objective(point) for form, point in zip(forms, own, strict=True)]
    scaled = [one.scaling.scaled_value(claim) for one, claim in zip(ready, claims, strict=True)]
    found = _checked(corners, x, y, scaled, accept)
    if found is None:
        return None
    checks, reduced = found
    lower, upper = forms[0].lower, forms[0].upper
    inside = own if lower is None else np.maximum(own, lower)
    inside = inside if upper is None else np.minimum(inside, upper)
    costs, offsets = np.array([form.c for form in forms]), [form.offset for form in forms]
    signs = [1.0 if compiled.places is None else compiled.places.sign for compiled in ready]
    values = ((inside @ costs.T + offsets) * signs).tolist()  # of all objectives, as written
    places = {name: k for k, name in enumerate(names)}
    multipliers, prices = _lifted(corners, reduced, y, [one.scaling.cost for one in ready])
    return [
        Climbed(
            corner, compiled, checks[k], claims[k], inside[k], multipliers[k],
            prices[k][: len(corner.names)], [values[k][places[name]] for name in corner.names],
        )
        for k, (corner, compiled) in enumerate(zip(corners, ready, strict=True))
    ]  # fmt: skip


def _lifted(
    corners: Sequence[FaceVertex], reduced: Array, y: Array, costs: Sequence[float]
) -> tuple[Array, list[list[float]]]:
    """Multipliers of the rows as declared and of the locks: at once if each holds one more."""
    last, zero = corners[-1], corners[0].form.cones.zero
    holds = [len(corner.names) for corner in corners]
    grows = all(corner.names == last.names[: len(corner.names)] for corner in corners)
    if grows and holds == sorted(holds):
        every, locks = lift(reduced, y, last.held, holds, zero)
        return every, paid_for(locks, last.held, costs)
    alone = []
    for k, corner in enumerate(corners):
        one = slice(k, k + 1)
        own, locks = lift(reduced[one], y[one], corner.held, holds[one], zero)
        alone.append((own[0], paid_for(locks, corner.held, costs[one])[0]))
    return np.array([own for own, _ in alone]), [paid for _, paid in alone]


@np.errstate(over="ignore", invalid="ignore")  # a measure that overflows has failed
def _checked(
    corners: Sequence[FaceVertex], x: Array, y: Array, claims: Sequence[float], accept: float
) -> tuple[list[Checked], Array] | None:
    """Certificates, and the costs that the multipliers leave."""
    forms, faces = [corner.form for corner in corners], [corner.face for corner in corners]
    A, b = forms[0].A, forms[0].b
    c = np.array([form.c for form in forms])
    if not is_boxed(forms[0]):
        return _one_by_one(corners, claims, accept)
    several = Several(
        A, b, c, np.array([form.offset for form in forms]),
        np.array([face.lower for face in faces]), np.array([face.upper for face in faces]),
        np.array([face.rows.fixed for face in faces]),
    )  # fmt: skip
    below, at = np.array([face.row_lower for face in faces]), several.rows_at(x)
    if misses(several.lower, x, several.upper) or misses(below, at[1], b):
        return None
    quick = several.measured(x, y, at)
    checks = [
        certified(one, claim, accept, accept) if one is not None else _alone(corner, claim, accept)
        for one, corner, claim in zip(quick, corners, claims, strict=True)
    ]
    return checks, c + several.pulled(y)


def _one_by_one(
    corners: Sequence[FaceVertex], claims: Sequence[float], accept: float
) -> tuple[list[Checked], Array] | None:
    """The same where there is no short way."""
    for corner in corners:
        if is_off(corner.form.A, corner.face.bounds(corner.form), corner.vertex.x):
            return None
    checks = [_alone(corner, claim, accept) for corner, claim in zip(corners, claims, strict=True)]
    pulled = [corner.form.c + corner.form.pull(-corner.vertex.row_dual) for corner in corners]
    return checks, np.array(pulled)


def _alone(corner: FaceVertex, claim: float, accept: float) -> Checked:
    form, z = corner.on_face
    return check_answer(form, corner.vertex.x, z, claimed=claim, tolerance=accept)
