"""One problem of a hierarchy, and the ways later problems may refer to its optimum."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import cvxpy as cp

from lexiprog.errors import DeclarationError, LexiprogWarning, there_are
from lexiprog.fairness.objective import Aim, Fairness
from lexiprog.model import checks
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    Memory,
    automatic_names,
    keys_of,
    leaves_of,
    listed,
    shorten,
)
from lexiprog.model.frozen import Frozen
from lexiprog.model.lock import LOCKS, Lock, Tolerance
from lexiprog.model.references import (
    REFERENCES,
    Reference,
    check_callbacks,
    hold,
    inputs_of,
    multiplier_of,
    optimum_of,
    value_at,
)
from lexiprog.typing import Constraint, has_integers, kind_of


class Subproblem(Frozen):
    """A convex problem with a name, declared but not solved.

    Use it for one level of a hierarchy, and its optimum, points and duals in later ones.

    Parameters
    ----------
    name : str
        Unique in its program.
    objective : cvxpy.Minimize, cvxpy.Maximize, cvxpy.Problem, Leximin or Leximax
        What to optimise; a whole problem brings its constraints along.
    constraints : sequence of cvxpy constraints
        May use references to earlier subproblems, like the objective.
    gp : bool
        Read the problem as a geometric program.

    Attributes
    ----------
    optimum : cvxpy.Parameter
        Stands for the optimal value in later problems.
    keys : tuple of str
        What results call its variables: by name, else "#0", or "x (1)" if two are called x.
    variables, parameters, inputs : tuple
        Its variables, the user's parameters it depends on, and these with the references.
    references : tuple of (cvxpy.Parameter, Reference)
        The placeholders it depends on, each with what it stands for, inner ones first.
    locks : tuple of (int, Lock)
        Position and meaning of every constraint that holds an earlier optimum.
    memory : Memory
        What was made for it and may be needed again, such as compiled forms.
    fair : Leximin, Leximax or None
        The utilities, if it is solved level by level; ``objective`` is then the first level.
    kind : str
        LP, QP, SOCP, SDP, power cone, exponential cone or GP; with integers MILP and so on.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> demand = cp.sum(x) >= 4
    >>> cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), [demand])
    >>> even = lx.Subproblem(
    ...     "even", cp.Minimize(cp.abs(x[0] - x[1])), [demand, 3 * x[0] + x[1] <= cheap.optimum + 2]
    ... )
    >>> result = lx.Program(lx.Stage("cost", cheap), lx.Stage("balance", even)).solve()
    >>> [round(float(v), 6) for v in result["even"][x]]
    [1.0, 3.0]
    """

    objective: cp.Minimize | cp.Maximize
    constraints: tuple[Constraint, ...]
    gp: bool
    problem: cp.Problem
    dpp: bool
    variables: tuple[cp.Variable, ...]
    keys: tuple[str, ...]
    inputs: tuple[cp.Parameter, ...]
    parameters: tuple[cp.Parameter, ...]
    references: tuple[tuple[cp.Parameter, Reference], ...]
    locks: tuple[tuple[int, Lock], ...]
    maximise: bool
    integer: bool
    kind: str
    fair: Fairness | None
    memory: Memory
    plain: bool  # all of it affine, real and finite

    def __init__(
        self, name: str, objective: Aim, constraints: Iterable[Constraint] = (), *, gp: bool = False
    ) -> None:
        checks.check_name("subproblem", name)
        where = f"subproblem {name!r}"
        existing = isinstance(objective, cp.Problem)
        if isinstance(objective, cp.Problem):
            constraints = [*objective.constraints, *constraints]
            objective = objective.objective
        fair = objective if isinstance(objective, Fairness) else None
        if fair is not None:
            objective = fair.objective
            fair.check(where)
            if gp:
                raise DeclarationError(
                    f"{where}: fairness has no geometric form: take logarithms of the utilities."
                )
        if not isinstance(objective, cp.Minimize | cp.Maximize):
            raise DeclarationError(
                f"{where}: the objective must be cp.Minimize(...), cp.Maximize(...), a fairness "
                f"objective or a cp.Problem, not {shorten(repr(objective))}."
            )
        try:
            with CVXPY_LOCK:
                problem = cp.Problem(objective, listed(constraints))
        except (TypeError, ValueError) as error:
            raise DeclarationError(f"{where}: {error}") from error
        # CVXPY walks the whole expression tree at every question, so each is asked once.
        variables, given = leaves_of(problem)
        inputs = tuple(inputs_of(given))
        plain = not gp and checks.is_plain(problem, variables)
        found = ((k, LOCKS.get(c)) for k, c in enumerate(problem.constraints))
        self._declare(
            name=name,
            objective=objective,
            constraints=tuple(problem.constraints),
            gp=gp,
            problem=problem,
            variables=variables,
            keys=keys_of(variables),
            inputs=inputs,
            parameters=tuple(p for p in inputs if REFERENCES.get(p) is None),
            references=tuple((p, r) for p in inputs if (r := REFERENCES.get(p)) is not None),
            locks=tuple((position, lock) for position, lock in found if lock is not None),
            maximise=isinstance(objective, cp.Maximize),
            integer=(whole := has_integers(problem, variables)),
            kind=kind_of(problem, gp=gp, affine=plain, whole=whole),
            fair=fair,
            memory=Memory(),
            plain=plain,
        )
        self._check(where, existing=existing)

    def _check(self, where: str, *, existing: bool) -> None:
        problem = self.problem
        if not self.variables:
            raise DeclarationError(f"{where} contains no variable: there is nothing to optimise.")
        if not self.plain:
            checks.check_rules(where, problem, gp=self.gp)
        if not existing:  # whose names are as they are; keys tell them apart
            checks.check_names(where, "variable", checks.not_numbered(self))
        checks.check_parameters(where, self.parameters, gp=self.gp)
        check_callbacks(where, self.parameters)
        culprit = None if self.plain else checks.non_dpp_part(problem, gp=self.gp)
        self._declare(dpp=culprit is None)
        if culprit is not None:
            warnings.warn(
                f"{where} is not DPP because of {culprit}: it is solved all the same, but compiled "
                "anew for every value of its parameters and references.",
                LexiprogWarning,
                stacklevel=4,
            )

    @property
    def optimum(self) -> cp.Parameter:
        """Placeholder for the optimal value."""
        return self.memory.once("optimum", lambda: optimum_of(self))

    def at(self, expression: cp.Expression) -> cp.Parameter:
        """Placeholder for the value of ``expression`` at the optimum."""
        return value_at(self, expression)

    def dual(self, constraint: Constraint) -> cp.Parameter:
        """Placeholder for the multiplier of one of this problem's constraints."""
        return multiplier_of(self, constraint)

    def held(self, *, atol: Tolerance = 0.0, rtol: Tolerance = 0.0) -> Constraint:
        """Constraint that keeps this objective within max(atol, rtol*abs(optimum)) of its optimum.

        Put it among the constraints of a later subproblem. Of a leximin or leximax it keeps every
        utility at its level; with integers, where others may take their places, the order. A
        tolerance that is a scalar ``cp.Parameter`` is read when the program is solved.
        """
        return hold(self, atol=atol, rtol=rtol)

    def variable(self, name: str) -> cp.Variable:
        """The variable called ``name``."""
        by_name = dict(zip(self.keys, self.variables, strict=True))
        if name not in by_name:
            known = there_are(by_name, name)
            raise KeyError(f"subproblem {self.name!r} has no variable {name!r}; it has {known}")
        return by_name[name]

    def __repr__(self) -> str:
        shown = shorten(self.objective, automatic_names(self.variables))
        return f"Subproblem({self.name!r}: {shown})"
