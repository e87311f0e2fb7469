"""Metabolic networks: flux balance in several levels, for models of the package cobra.

What cobra does by solving, fixing and solving again is one program here, which also has prices,
curves and certificates. The model is read and left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.backends.solver import Solver
from lexiprog.contrib import package
from lexiprog.errors import DeclarationError
from lexiprog.formulations.priorities import preemptive
from lexiprog.model.stage import Stage
from lexiprog.program import Program
from lexiprog.tolerances import SHARPEST_HIGHS
from lexiprog.typing import Array, Constraint

if TYPE_CHECKING:
    import pandas
    from cobra import Model, Reaction
    from optlang.interface import Constraint as ModelConstraint

__all__ = ["flux_program", "lexicographic_fluxes"]


# Growth takes 2e-6 of some metabolites whose other fluxes may be 1000: with HiGHS's own tolerance,
# a balance that is met to 1e-7 of those leaves four digits of growth.
_SHARP = Solver("HIGHS", **SHARPEST_HIGHS)


def flux_program(
    model: Model,
    objectives: Sequence[Reaction | str],
    objective_direction: str | Sequence[str] = "max",
) -> Program:
    """Lexicographic flux balance: the first flux as large (or small) as can be, then the next.

    For questions that cobra's loop leaves open: the price of a level, the curve of growth against
    a by-product, a sweep over media. For the optima alone :func:`lexicographic_fluxes` is shorter.

    Parameters
    ----------
    model : cobra.Model
    objectives : sequence of reactions or of their identifiers
        From the most important to the least.
    objective_direction : "max", "min", or a sequence with one of them for each objective

    Returns
    -------
    Program
        A stage and subproblem for each objective, named by its reaction; the variable "flux" has
        all fluxes, in the order of ``model.reactions``. The stages ask HiGHS for ten digits, of
        which networks need most; ``solve({name: solver})`` asks another for a level.

    Examples
    --------
    How much more acetate every bit of growth buys that is given up:

    >>> import lexiprog as lx
    >>> from cobra.io import load_model
    >>> from lexiprog.contrib.cobra import flux_program
    >>> program = flux_program(load_model("textbook"), ["Biomass_Ecoli_core", "EX_ac_e"])
    >>> print(lx.tradeoff(program, "Biomass_Ecoli_core"))
    tolerance on Biomass_Ecoli_core  EX_ac_e    slope
                                  0        0  43.6373
                           0.164978  7.19918   37.242
                           0.256884   10.622  15.1985
                           0.873922       20        0
    EX_ac_e: exact, linear between breakpoints; constant from 0.873922 on
    """
    names = [getattr(reaction, "id", reaction) for reaction in objectives]
    if isinstance(objective_direction, str):
        directions = [objective_direction] * len(names)
    else:
        directions = list(objective_direction)
    place = {reaction.id: k for k, reaction in enumerate(model.reactions)}
    _check(names, directions, place)
    bounds = np.array([reaction.bounds for reaction in model.reactions], dtype=float).T
    flux = cp.Variable(len(place), bounds=[bounds[0], bounds[1]], name="flux")
    sense = {"max": cp.Maximize, "min": cp.Minimize}
    levels = {
        name: sense[direction](flux[place[name]])
        for name, direction in zip(names, directions, strict=True)
    }
    program = preemptive(levels, [*_balances(model, place, flux), *_further(model, place, flux)])
    return Program(
        *(Stage(stage.name, *stage.subproblems, solver=_SHARP) for stage in program.stages)
    )


def lexicographic_fluxes(
    model: Model,
    objectives: Sequence[Reaction | str],
    objective_direction: str | Sequence[str] = "max",
) -> pandas.Series:
    """The optimum of every level, as cobra's ``add_lexicographic_constraints`` returns them.

    In place of that function, where only the optima are wanted: other than there the model gets no
    constraints, and every optimum is certified.

    Parameters
    ----------
    model, objectives, objective_direction
        As for :func:`flux_program`.

    Returns
    -------
    pandas.Series
        The optimised fluxes, by reaction.

    Examples
    --------
    >>> from cobra.io import load_model
    >>> from lexiprog.contrib.cobra import lexicographic_fluxes
    >>> model = load_model("textbook")
    >>> fluxes = lexicographic_fluxes(model, ["Biomass_Ecoli_core", "EX_co2_e"], ["max", "min"])
    >>> fluxes.round(3).to_dict()
    {'Biomass_Ecoli_core': 0.874, 'EX_co2_e': 22.81}
    """
    frames = package("pandas", "pandas")
    result = flux_program(model, objectives, objective_direction).solve()
    return frames.Series({name: solution.value for name, solution in result.items()})


def _check(names: Sequence[str], directions: Sequence[str], place: dict[str, int]) -> None:
    unknown = [name for name in names if name not in place]
    if unknown:
        raise DeclarationError(f"the model has no reaction {unknown[0]!r}.")
    if len(directions) != len(names) or not set(directions) <= {"max", "min"}:
        raise DeclarationError(
            'objective_direction is "max", "min", or a list with one of them for each of the '
            f"{len(names)} objectives, not {list(directions)!r}."
        )


def _balances(model: Model, place: dict[str, int], flux: cp.Variable) -> list[Constraint]:
    """What is made of every metabolite is used up."""
    rows = {metabolite: k for k, metabolite in enumerate(model.metabolites)}
    entries = [
        (rows[metabolite], place[reaction.id], float(factor))
        for reaction in model.reactions
        for metabolite, factor in reaction.metabolites.items()
    ]
    if not entries:
        return []
    i, j, factors = zip(*entries, strict=True)
    made = sp.csr_array((factors, (i, j)), shape=(len(rows), len(place)))
    return [made @ flux == 0]


def _further(model: Model, place: dict[str, int], flux: cp.Variable) -> list[Constraint]:
    """What a user has added to the balances: bounds on sums of fluxes."""
    own = {metabolite.id for metabolite in model.metabolites}
    added = [constraint for constraint in model.constraints if constraint.name not in own]
    parts = {}
    for reaction in model.reactions if added else ():
        parts[reaction.forward_variable.name] = (place[reaction.id], 1.0)
        parts[reaction.reverse_variable.name] = (place[reaction.id], -1.0)
    limits: list[Constraint] = []
    for constraint in added:
        row = _row(constraint, parts, len(place))
        if constraint.ub is not None:
            limits.append(row @ flux <= float(constraint.ub))
        if constraint.lb is not None:
            limits.append(row @ flux >= float(constraint.lb))
    return limits


def _row(constraint: ModelConstraint, parts: dict[str, tuple[int, float]], length: int) -> Array:
    """The factors of the fluxes; cobra writes each flux as a difference of two variables."""
    forward, backward = np.zeros(length), np.zeros(length)
    for variable, factor in constraint.get_linear_coefficients(constraint.variables).items():
        if variable.name not in parts:
            raise DeclarationError(
                f"constraint {constraint.name!r} of the model has the variable {variable.name!r}, "
                "which is no flux: leave it out, or write the program by hand."
            )
        position, sign = parts[variable.name]
        (forward if sign > 0 else backward)[position] += sign * float(factor)
    if not np.array_equal(forward, backward):
        raise DeclarationError(
            f"constraint {constraint.name!r} of the model counts the two directions of a reaction "
            "differently: leave it out, or write the program by hand."
        )
    return forward
