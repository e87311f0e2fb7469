"""One subproblem for each scenario in a stage, and what later stages make of all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Fairness, Leximax, Leximin
from lexiprog.model.expressions import shorten
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.typing import NUMBERS, Constraint, Objective

# What ``build`` returns for a scenario: an objective, (objective, constraints), a problem or a
# subproblem.
Built: TypeAlias = Any


class ScenarioStage(Stage):
    """A stage with a subproblem for each scenario, to be read as a whole.

    :func:`over` makes it. Its methods return objectives for a later subproblem over
    ``constraints``, all scenarios' together. With ``regret=True`` they speak of the distance to
    each scenario's own optimum.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(bounds=[0, 9], name="x")
    >>> stage = lx.over({"low": 2, "high": 6}, lambda name, aim: cp.Minimize(cp.abs(x - aim)))
    >>> tail = lx.Subproblem("tail", stage.cvar(0.5), stage.constraints)
    >>> round(lx.Program(stage, lx.Stage("joint", tail)).solve().final.value, 6)
    2.0
    """

    @property
    def scenarios(self) -> dict[str, Subproblem]:
        """The subproblems by the names of the scenarios."""
        return {p.name: p for p in self.subproblems}

    @property
    def constraints(self) -> list[Constraint]:
        """Those of all scenarios, each once."""
        found = {c.id: c for p in self.subproblems for c in p.constraints}
        return list(found.values())

    @property
    def maximise(self) -> bool:
        """Whether more is better in every scenario."""
        return self.subproblems[0].maximise

    @property
    def regrets(self) -> dict[str, cp.Expression]:
        """By how much each scenario is worse off than alone."""
        sign = -1.0 if self.maximise else 1.0
        return {p.name: sign * (p.objective.expr - p.optimum) for p in self.subproblems}

    def _parts(self, *, regret: bool) -> tuple[dict[str, cp.Expression], bool]:
        if regret:
            return self.regrets, False
        return {p.name: p.objective.expr for p in self.subproblems}, self.maximise

    def expected(
        self, weights: Mapping[str, float] | None = None, *, regret: bool = False
    ) -> Objective:
        """The mean over scenarios, by weights that are brought to a sum of one."""
        parts, maximise = self._parts(regret=regret)
        shares = self._shares(weights)
        mean = sum(shares[name] * part for name, part in parts.items())
        return cp.Maximize(mean) if maximise else cp.Minimize(mean)

    def worst(self, *, regret: bool = False) -> Objective:
        """The worst of all scenarios."""
        parts, maximise = self._parts(regret=regret)
        stack = cp.hstack(list(parts.values()))
        return cp.Maximize(cp.min(stack)) if maximise else cp.Minimize(cp.max(stack))

    def cvar(
        self, share: float, weights: Mapping[str, float] | None = None, *, regret: bool = False
    ) -> Objective:
        """The mean of the worst ``share`` of scenarios: their conditional value at risk."""
        if not isinstance(share, NUMBERS) or not 0.0 < share <= 1.0:
            raise DeclarationError(f"the share of the worst lies in (0, 1], not at {share!r}.")
        parts, maximise = self._parts(regret=regret)
        shares, sign = self._shares(weights), -1.0 if maximise else 1.0
        edge = cp.Variable(name=f"{self.name}: edge of the worst {share:g}")
        beyond = sum(
            shares[name] / share * cp.pos(sign * part - edge) for name, part in parts.items()
        )
        return cp.Maximize(-(edge + beyond)) if maximise else cp.Minimize(edge + beyond)

    def leximin(self, *, regret: bool = False) -> Fairness:
        """The worst scenario first, then the second worst, and so on."""
        parts, maximise = self._parts(regret=regret)
        return Leximin(parts) if maximise else Leximax(parts)

    def _shares(self, weights: Mapping[str, float] | None) -> dict[str, float]:
        given = {} if weights is None else {str(name): w for name, w in weights.items()}
        known = self.scenarios
        for name, weight in given.items():
            if name not in known:
                raise DeclarationError(
                    f"weights names {name!r}, which is no scenario; there are "
                    f"{there_are(known, name)}"
                )
            if not isinstance(weight, NUMBERS) or not 0.0 <= weight < np.inf:
                raise DeclarationError(f"the weight of {name!r} is at least 0, not {weight!r}.")
        missing = [name for name in known if weights is not None and name not in given]
        if missing:
            raise DeclarationError(f"weights say nothing of scenario {missing[0]!r}.")
        numbers = {name: float(given.get(name, 1.0)) for name in known}
        total = sum(numbers.values())
        if not total > 0.0:
            raise DeclarationError("every scenario has weight 0: nothing would be asked for.")
        return {name: weight / total for name, weight in numbers.items()}


def over(
    scenarios: Mapping[Any, Any] | Iterable[Hashable],
    build: Callable[..., Built],
    *,
    name: str = "scenarios",
) -> ScenarioStage:
    """A stage with the same subproblem for many scenarios, to be read by the next stage.

    Use it for ensembles: each member by itself, then one decision for all of them, by expected
    value, worst case, conditional value at risk, leximin or regret. Members are solved side by
    side, on ``workers`` or an ``executor``.

    Parameters
    ----------
    scenarios : mapping, or iterable of names
        Name to data.
    build : callable
        ``build(name, data)``, or ``build(name)`` if there are names alone. Returns an objective,
        (objective, constraints), a cp.Problem or a Subproblem. A variable that it makes belongs to
        that scenario, and needs a name of its own; one that it finds outside is shared by all.
    name : str
        Of the stage.

    Returns
    -------
    ScenarioStage
        With ``constraints``, ``regrets``, and the objectives ``expected()``, ``worst()``,
        ``cvar(share)`` and ``leximin()`` of a later subproblem.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> capacity = cp.Variable(nonneg=True, name="capacity")
    >>> def year(name, demand):
    ...     bought = cp.Variable(nonneg=True, name=f"bought {name}")
    ...     return cp.Minimize(capacity + 4 * bought), [capacity + bought >= demand]
    >>> years = lx.over({"wet": 2, "dry": 10, "mean": 6}, year)
    >>> plan = lx.Subproblem("plan", years.worst(regret=True), years.constraints)
    >>> result = lx.Program(years, lx.Stage("all years", plan)).solve()
    >>> {name: round(solution.value, 6) for name, solution in result.items()}
    {'wet': 2.0, 'dry': 10.0, 'mean': 6.0, 'plan': 6.0}
    >>> round(float(result.final[capacity]), 6)
    8.0
    """
    pairs = scenarios.items() if isinstance(scenarios, Mapping) else ((s,) for s in scenarios)
    built: list[Subproblem] = []
    for pair in pairs:
        label = str(pair[0])
        made = build(*pair)
        if isinstance(made, Subproblem):
            built.append(made)
        elif isinstance(made, tuple) and len(made) == 2:
            built.append(Subproblem(label, *made))
        elif isinstance(made, cp.Minimize | cp.Maximize | cp.Problem):
            built.append(Subproblem(label, made))
        else:
            raise DeclarationError(
                f"scenario {label!r}: build returns an objective, (objective, constraints), a "
                f"cp.Problem or a Subproblem, not {shorten(made)}."
            )
    if not built:
        raise DeclarationError("over needs at least one scenario.")
    for one in built:
        if one.maximise != built[0].maximise:
            raise DeclarationError(
                f"scenarios {built[0].name!r} and {one.name!r} have objectives of opposite senses."
            )
        if one.fair is not None:
            raise DeclarationError(f"scenario {one.name!r}: an objective is one number here.")
    return ScenarioStage(name, *built)
