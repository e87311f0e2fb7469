"""One problem of a hierarchy, and how later ones refer to its optimum; declarations are frozen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import cvxpy as cp

from lexiprog.errors import (
    DeclarationError,
    LexiprogWarning,
    UnknownName,
    blank,
    there_are,
    this_version,
)
from lexiprog.fairness.objective import Aim, Fairness
from lexiprog.model import checks
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    ENTRY_NAMES,
    Memory,
    automatic_names,
    has_integers,
    keys_of,
    kind_of,
    leaves_of,
    listed,
    shorten,
)
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
from lexiprog.typing import Constraint

if TYPE_CHECKING:
    from lexiprog.model.stage import Stage
    from lexiprog.typing import Value


class Frozen:
    """A class whose instances are written once, through :meth:`_declare`."""

    name: str

    def _declare(self, **fields: object) -> None:
        for field, value in fields.items():
            if hasattr(self, field):
                raise AttributeError(f"{type(self).__name__}.{field} is declared twice.")
            object.__setattr__(self, field, value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be changed.")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{self!r} is a declaration: its {field} cannot be deleted.")

    def __copy__(self) -> Self:
        return self  # what cannot change needs no second copy

    def __deepcopy__(self, memo: object) -> NoReturn:
        self._refuse_copies()

    def __reduce__(self) -> tuple[object, ...]:
        self._refuse_copies()

    def _refuse_copies(self) -> NoReturn:
        # CVXPY numbers its variables anew in each process, but a pickled or copied one keeps its
        # number, so that it and another variable may be taken for each other: a wrong answer,
        # without a word.
        raise TypeError(
            f"{type(self).__name__} objects cannot be pickled or deep-copied, since CVXPY's "
            "variables would be taken for others there: build them in a function and call that "
            "where they are needed, in the other process too: Program.from_function(build) does "
            "that when it is pickled (a Result can be pickled as it is)."
        )


# What problems are called that are read by other rules than those of convex ones.
_RULES = {(False, False): "", (True, False): "QCP", (False, True): "NLP"}


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
    qcp : bool
        Read it as a quasiconvex one (CVXPY's DQCP): ratios, ``cp.length``, ``cp.ceil``,
        ``cp.dist_ratio``. The optimum is enclosed by certified convex problems; later subproblems
        that hold it are ``qcp``, too.
    nlp : bool
        Read it as a smooth problem without convexity (CVXPY's DNLP), for the extra ``nlp``. What
        is found is a local optimum, status "local", and later subproblems that hold it are
        ``nlp``, too: their order is one of local optima. It starts from the variables' values,
        else from the earlier level's point; ``Solver("UNO", starts=20)`` tries several.

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
        LP, QP, SOCP, SDP, power cone, exponential cone, GP, QCP or NLP; with integers MILP and
        so on.

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
    qcp: bool
    nlp: bool
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
        self,
        name: str,
        objective: Aim,
        constraints: Iterable[Constraint] = (),
        *,
        gp: bool = False,
        qcp: bool = False,
        nlp: bool = False,
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
        checks.check_reading(where, objective, fair=fair is not None, gp=gp, qcp=qcp, nlp=nlp)
        try:
            with CVXPY_LOCK:
                problem = cp.Problem(objective, listed(constraints))
        except (TypeError, ValueError) as error:
            raise DeclarationError(f"{where}: {error}") from error
        # CVXPY walks the whole expression tree at every question, so each is asked once.
        variables, given = leaves_of(problem)
        inputs = tuple(inputs_of(given))
        plain = not (gp or qcp or nlp) and checks.is_plain(problem, variables)
        found = ((k, LOCKS.get(c)) for k, c in enumerate(problem.constraints))
        self._declare(
            name=name,
            objective=objective,
            constraints=tuple(problem.constraints),
            gp=gp,
            qcp=qcp,
            nlp=nlp,
            problem=problem,
            variables=variables,
            keys=keys_of(variables),
            inputs=inputs,
            parameters=tuple(p for p in inputs if REFERENCES.get(p) is None),
            references=tuple((p, r) for p in inputs if (r := REFERENCES.get(p)) is not None),
            locks=tuple((position, lock) for position, lock in found if lock is not None),
            maximise=isinstance(objective, cp.Maximize),
            integer=(whole := has_integers(problem, variables)),
            kind=kind_of(problem, gp=gp, affine=plain, whole=whole, rules=_RULES[qcp, nlp]),
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
            if self.qcp or self.nlp:
                checks.check_not_convex(where, problem, nlp=self.nlp)
            else:
                checks.check_rules(where, problem, gp=self.gp)
        if not existing:  # whose names are as they are; keys tell them apart
            checks.check_names(where, "variable", checks.not_numbered(self))
        checks.check_parameters(where, self.parameters, gp=self.gp)
        check_callbacks(where, self.parameters)
        unasked = self.plain or self.qcp or self.nlp
        culprit = None if unasked else checks.non_dpp_part(problem, gp=self.gp)
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

    def variable(self, name: str) -> cp.Variable | cp.Expression:
        """The variable called ``name``, or the entry of one, if entries came with names."""
        by_name = dict(zip(self.keys, self.variables, strict=True))
        if name not in by_name:
            for variable in self.variables:
                names = ENTRY_NAMES.get(variable) or ()
                if name in names:
                    return variable[names.index(name)]
            known = there_are(by_name, name)
            raise UnknownName(f"subproblem {self.name!r} has no variable {name!r}; it has {known}")
        return by_name[name]

    def __repr__(self) -> str:
        shown = shorten(self.objective, automatic_names(self.variables))
        return f"Subproblem({self.name!r}: {shown})"


Made = TypeVar("Made", bound="Rebuilt")


class Rebuilt(Frozen):
    """A declaration of stages which, if a function has built it, can be pickled."""

    stages: tuple[Stage, ...]
    _recipe: tuple[Callable[..., Rebuilt], tuple[object, ...]]  # if there is one

    def __init__(self, *stages: Stage) -> None:
        raise NotImplementedError

    @property
    def subproblems(self) -> Mapping[str, Subproblem]:
        """Every subproblem by name, in stage order."""
        raise NotImplementedError

    @classmethod
    def from_function(cls, build: Callable[..., Self], *arguments: object) -> Self:
        """The program that a function builds, which can be pickled: it is built again there.

        The values that parameters have go along, so that whole programs can be solved in other
        processes: ``executor.submit(lx.Program.solve, lx.Program.from_function(build, 2030))``.
        What comes back is a Result; ``program.adopt(result)`` connects it to the objects here.

        Parameters
        ----------
        build : callable
            Returns a program, the same one for the same arguments.
        *arguments
            For ``build``; these and the function's name are what is pickled.

        Examples
        --------
        >>> import pickle, cvxpy as cp, lexiprog as lx
        >>> def build(least):
        ...     x = cp.Variable(name="x")
        ...     return lx.preemptive({"low": cp.Minimize(x)}, [x >= least])
        >>> program = lx.Program.from_function(build, 3)
        >>> program.solve()["low"].value
        3.0
        """
        made = cls(*build(*arguments).stages)
        made._declare(_recipe=(build, arguments))
        return made

    def __reduce__(self) -> tuple[object, ...]:
        if not hasattr(self, "_recipe"):
            self._refuse_copies()
        recipe = (type(self), *self._recipe, [p.value for p in _parameters(self)])
        return blank, (type(self), this_version()), recipe

    def __setstate__(self, recipe: tuple[Any, ...]) -> None:
        self._declare(**vars(_rebuilt(*recipe)))


def _parameters(program: Rebuilt) -> list[cp.Parameter]:
    listed = {p.id: p for one in program.subproblems.values() for p in one.parameters}
    return list(listed.values())


def _rebuilt(
    kind: type[Made], build: Callable[..., Made], arguments: tuple[object, ...], values: list[Value]
) -> Made:
    program = kind.from_function(build, *arguments)
    for parameter, value in zip(_parameters(program), values, strict=True):
        parameter.value = value
    return program
