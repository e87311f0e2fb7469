"""Read CVXPY expressions at recorded values, leaving the caller's objects as they were."""

from __future__ import annotations

import os
import re
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.errors import DeclarationError, LexiprogError, LexiprogWarning, visible
from lexiprog.typing import Constraint, Leaf, Leaves, Mask, Matrix, Value, Values

# What a CVXPY leaf holds underneath: to be looked at and given back exactly as it was.
#
# A leaf's public ``value`` checks, copies or calls somebody, so that what it gives is not always
# what it was given. Beside the door to CVXPY this is the only place that knows its private names.


def stored(leaf: Leaf) -> object:
    """Its value, or whom it asks for one."""
    # A callback parameter has no value to set: it has somebody to ask.
    return leaf._callback if isinstance(leaf, cp.CallbackParam) else leaf._value  # noqa: SLF001


def give(leaf: Leaf, value: object) -> None:
    """Let it have a value, or let the one whom it asks say so."""
    if isinstance(leaf, cp.CallbackParam):
        leaf._callback = lambda: value  # noqa: SLF001
    else:
        leaf.save_value(value)


def give_back(leaf: Leaf, before: object) -> None:
    """Let it have what was stored there once."""
    if isinstance(leaf, cp.CallbackParam):
        leaf._callback = before  # noqa: SLF001
    else:
        leaf._value = before  # noqa: SLF001


# A lock that is free in a forked process, whoever held it at the fork.

# A custom solver may keep the lock for hours; a fork waits for it no longer than this.
SECONDS = 10.0


class ForkSafeLock:
    """A re-entrant lock that forks wait for, so that no child is born in the middle of something.

    Threads do not survive a fork, but the locks they held do, and what they were changing stays
    half changed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forking = threading.local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork,
                after_in_parent=self._in_parent,
                after_in_child=self._in_child,
            )

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _before_fork(self) -> None:
        self._forking.holds = self._lock.acquire(timeout=SECONDS)

    def _in_parent(self) -> None:
        if self._forking.holds:
            self._lock.release()

    def _in_child(self) -> None:
        if self._forking.holds:
            self._lock.release()
        else:  # whoever holds it is not here
            self._lock = threading.RLock()


# What is remembered of subproblems and of CVXPY objects, for as long as they live.

Kept = TypeVar("Kept")


class Memory:
    """One subproblem's placeholders, restatements and compiled problems, each made once.

    The subproblem itself never changes; this is the one thing beside it that grows.
    """

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is kept under ``key``, made at first use."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: Kept = self._kept[key]
        return kept

    def latest(self, key: Hashable, fresh: Kept, same: Callable[[Kept, Kept], bool]) -> Kept:
        """What is kept under ``key`` if it is the same as ``fresh``, which else replaces it."""
        kept: Kept | None = self._kept.get(key)
        if kept is None or not same(kept, fresh):
            kept = self._kept[key] = fresh
        return kept

    def of(self, key: Hashable, things: tuple[object, ...], make: Callable[[], Kept]) -> Kept:
        """What was made of these very objects, made anew if one of them is another."""
        kept: tuple[tuple[object, ...], Kept] | None = self._kept.get(key)
        if kept is None or any(one is not two for one, two in zip(kept[0], things, strict=True)):
            kept = self._kept[key] = (things, make())
        return kept[1]


class Registry(Generic[Kept]):
    """What is known of CVXPY objects, for as long as they live.

    CVXPY dispatches on exact types, so a placeholder must be a plain ``cp.Parameter`` and can
    carry nothing itself.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[object], Kept]] = {}
        # Who is gone is forgotten later: a callback of ours, run at any time, might be where Ctrl-C
        # strikes, and Python ignores what is raised there.
        self._gone: deque[weakref.KeyedRef[int, object]] = deque()

    def add(self, key: object, kept: Kept) -> None:
        """Remember ``kept`` for the object ``key``."""
        self._forget()
        self._known[id(key)] = (weakref.KeyedRef(key, self._gone.append, id(key)), kept)

    def _forget(self) -> None:
        """Drop what was known of objects that are gone, but not of others that took their place."""
        with suppress(IndexError):
            while True:
                gone = self._gone.popleft()
                found = self._known.get(gone.key)
                if found is None or found[0] is not gone:
                    continue
                dropped = self._known.pop(gone.key, found)
                if dropped is not found:  # another thread was quicker
                    self._known[gone.key] = dropped

    def alive(self) -> list[Any]:
        """The objects of which something is known."""
        return [
            key for reference, _ in list(self._known.values()) if (key := reference()) is not None
        ]

    def get(self, key: object) -> Kept | None:
        """What is known of ``key`` itself; CVXPY's ids don't count, since copies share them."""
        found = self._known.get(id(key))
        return found[1] if found is not None and found[0]() is key else None


Made = TypeVar("Made")

# CVXPY's leaves and compile caches are shared, mutable and unguarded. Whoever reads or writes
# them here does so under this lock; native solves run outside it.
CVXPY_LOCK = ForkSafeLock()

# How often work is begun anew because somebody else assigned to a parameter meanwhile.
PATIENCE = 100


# The variables and parameters of constraints: the levels of a hierarchy share most of these.
_OF_ROWS: Registry[tuple[list[cp.Variable], list[cp.Parameter]]] = Registry()


def leaves_of(problem: cp.Problem) -> tuple[tuple[cp.Variable, ...], tuple[cp.Parameter, ...]]:
    """Its variables and its parameters, each once, in the order in which CVXPY lists them."""
    objective = problem.objective
    variables = {v.id: v for v in objective.variables()}
    parameters = {p.id: p for p in objective.parameters()}
    for constraint in problem.constraints:
        found = _OF_ROWS.get(constraint)
        if found is None:
            found = constraint.variables(), constraint.parameters()
            _OF_ROWS.add(constraint, found)
        for variable in found[0]:
            variables.setdefault(variable.id, variable)
        for parameter in found[1]:
            parameters.setdefault(parameter.id, parameter)
    return tuple(variables.values()), tuple(parameters.values())


def key_of(leaf: Leaf, position: int) -> str:
    """Name given by the user, else the position: automatic names differ between sessions."""
    name = str(leaf.name())
    automatic = name.rstrip("0123456789") in ("var", "param") and name.endswith(str(leaf.id))
    return f"#{position}" if automatic else name


def keys_of(leaves: Iterable[Leaf]) -> tuple[str, ...]:
    """Their keys in order; those that share a name are numbered, as in "x (1)" and "x (2)"."""
    keys = [key_of(leaf, position) for position, leaf in enumerate(leaves)]
    shared = {key for key in keys if keys.count(key) > 1}
    taken = set(keys) - shared
    out = []
    for key in keys:
        number, name = 1, key
        while key in shared and (name in shared or name in taken):
            name, number = f"{key} ({number})", number + 1
        taken.add(name)
        out.append(name)
    return tuple(out)


def automatic_names(variables: Iterable[cp.Variable]) -> dict[str, str]:
    """What CVXPY calls variables without a name, and what results call them."""
    names = {str(v.name()): key_of(v, k) for k, v in enumerate(variables)}
    return {automatic: name for automatic, name in names.items() if automatic != name}


class Held:
    """Leaves that have other values for a moment."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: list[tuple[Leaf, object, object]] = []

    def put(self, leaf: Leaf, value: object) -> None:
        """Give a leaf a value."""
        before = stored(leaf)
        give(leaf, value)
        self._places.append((leaf, stored(leaf), before))

    def take_back(self) -> None:
        """Give all leaves the values they had, the last one first."""
        for leaf, ours, before in reversed(self._places):
            if _kept(leaf, ours):  # else somebody has assigned, and that counts
                give_back(leaf, before)

    @property
    def changed(self) -> list[str]:
        """The names of leaves that somebody else has assigned to."""
        last = {leaf.id: (leaf, ours) for leaf, ours, _ in self._places}
        return [str(place[0].name()) for place in last.values() if not _kept(*place)]


def _kept(leaf: Leaf, ours: Any) -> bool:
    """Whether a leaf still has what it was given."""
    now: Any = stored(leaf)
    # To evaluate itself, `cp.perspective` gives its variables other values and then the old ones.
    return now is ours or (isinstance(leaf, cp.Variable) and np.array_equal(now, ours))


class holding:  # noqa: N801 - used as a function, and too often for a generator
    """Give leaves other values for a moment."""

    __slots__ = ("_held", "_values")

    def __init__(self, values: Leaves) -> None:
        self._values = values
        self._held = Held()

    def __enter__(self) -> Held:
        CVXPY_LOCK.__enter__()
        try:
            for leaf, value in self._values:
                self._held.put(leaf, value)
        except BaseException:
            self.__exit__()
            raise
        return self._held

    def __exit__(self, *_: object) -> None:
        try:
            self._held.take_back()
        finally:
            CVXPY_LOCK.__exit__()


def undisturbed(values: Leaves, make: Callable[[], Made]) -> Made:
    """What ``make`` makes of these values, although other threads may assign to the leaves."""
    values = list(values)
    for _ in range(PATIENCE):
        with holding(values) as held:
            try:
                made = make()
            except Exception:
                if not held.changed:
                    raise
            if not (changed := held.changed):
                return made
    raise LexiprogError(
        f"{changed[0]!r} is assigned to again and again by another thread: nothing can be computed "
        "with its value meanwhile."
    )


def dense(value: Matrix | Made) -> Value | Made:
    """Sparse matrices as arrays; everything else as it is."""
    return value.toarray() if hasattr(value, "toarray") else value


def integer_entries(variable: cp.Variable) -> Mask:
    """Which entries of a variable must be whole.

    Examples
    --------
    >>> integer_entries(cp.Variable((2, 2), integer=[(0, 1), (1, 1)])).tolist()  # rows, columns
    [[False, True], [False, True]]
    """
    out = np.zeros(variable.shape, dtype=bool)
    for kind in ("integer", "boolean"):
        given = variable.attributes[kind]
        if given:  # everywhere, or at coordinates, a list an axis
            out[... if given is True else tuple(map(list, given))] = True
    return out


def without_noise(variable: cp.Variable, value: Value, tolerance: float) -> Value:
    """A value with what must be whole made so, where it is but for a solver's rounding."""
    whole = integer_entries(variable)
    if not whole.any():
        return value
    return np.where(whole & (np.abs(np.round(value) - value) <= tolerance), np.round(value), value)


def read_only(value: Any) -> Any:
    """A copy of an array (or of a list of arrays) that nobody can write to."""
    if isinstance(value, list | tuple):
        return tuple(read_only(part) for part in value)
    if type(value) is np.ndarray and value.base is None and not value.flags.writeable:
        return value  # it is one already
    copy = np.array(value)
    copy.setflags(write=False)
    return copy


def read_only_copies(values: Values) -> Values:
    """Such copies by name; the mapping itself if it is one of them."""
    if isinstance(values, MappingProxyType):
        return values
    return MappingProxyType({key: read_only(value) for key, value in values.items()})


def as_float(value: Matrix | ArrayLike) -> float:
    """The one real number in what CVXPY calls a scalar, whatever its shape."""
    return float(np.real(np.asarray(dense(value))).reshape(-1)[0])


def evaluate(expression: cp.Expression, values: Leaves) -> Any:
    """Value of ``expression`` with ``values`` in place of its leaves' own, as a dense array."""
    value = undisturbed(values, lambda: expression.value)
    if value is None:
        return None
    return np.array(dense(value))


NOT_LISTS = (cp.constraints.constraint.Constraint, cp.Expression, str, bytes, Mapping)


def listed(constraints: Iterable[Constraint], *, warn: bool = True) -> list[Constraint]:
    """The constraints as a list, if they are several, not one or lists of them."""
    if not isinstance(constraints, Iterable) or isinstance(constraints, NOT_LISTS):
        shown = readable(constraints) if constraints is not None else "None"
        raise TypeError(f"constraints come in a list, such as [x >= 0], not as {shown}.")
    found = list(constraints)
    for position, one in enumerate(found, 1):
        if isinstance(one, list | tuple):
            raise TypeError(
                f"constraint {position} is a {type(one).__name__}: add them one by one."
            )
        if not isinstance(one, cp.constraints.constraint.Constraint | bool | np.bool_):
            raise TypeError(
                f"constraint {position} is {readable(repr(one))}, which is no constraint: write "
                "one with ==, <= or >= and a variable."
            )
        if warn and one is True:  # what numpy says of data is a check of these
            warnings.warn(
                f"constraint {position} is True, and no constraint: what it compares are numbers. "
                "Is a variable missing?",
                LexiprogWarning,
                stacklevel=3,
            )
    # What numpy says of data, where CVXPY knows Python's own words alone.
    return [bool(one) if isinstance(one, np.bool_) else one for one in found]


def declared(constraints: Iterable[Constraint]) -> list[Constraint]:
    """The same, with a :class:`DeclarationError` in its place for what is no list."""
    try:
        return listed(constraints, warn=False)  # whoever is declared with them warns
    except TypeError as error:
        raise DeclarationError(str(error)) from error


# The names of the entries of a vector: columns and rows of a model that came with names.
ENTRY_NAMES: Registry[tuple[str, ...]] = Registry()
# How an expression is written where it comes from.
AS_WRITTEN: Registry[str] = Registry()


# CVXPY expressions as texts: as CVXPY writes them, and as a person would.

_READ, _SHOWN = 2000, 120
_POWER = r"-?\d+(?:\.\d+)?(?:/\d+)?"
_INSIDE = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?"  # text whose brackets match
_NAMES = {"Sum": "sum", "Hstack": "hstack", "Vstack": "vstack", "QuadForm": "quad_form"}

# CVXPY prints its atoms with all their arguments; these say nothing in a display.
_REWRITES: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    (re.compile(r", None, False(?=\))"), ""),
    (re.compile(rf"\breshape\(({_INSIDE}), \((?:1,)?\), F\)"), r"\1"),
    (re.compile(rf"\bPromote\(({_INSIDE}), \([\d, ]*\)\)"), r"\1"),
    (re.compile(r"\[\[[\d\s.,e+\-\[\]]*\]\]|\[[\d\s.,e+\-\[\]]{20,}\]"), "[…]"),
    (re.compile(r"(?<![\w.])(\d+)\.0(?![\w.])"), r"\1"),
    (re.compile(r"(?<![\w.])(?<!/ )1 \* (?=[\w(])"), ""),
    (re.compile(r" \+ -\(([^()+]+)\)"), r" - \1"),
    (re.compile(r" \+ -(?=\()"), " - "),
    (re.compile(r" \+ -(?=[\w.\[])"), " - "),
    (re.compile(rf"\b(?:PowerApprox|[Pp]ower)\((\w+(?:\[[^]]*\])?), ({_POWER})\)"), r"\1^\2"),
    (re.compile(rf"\b(?:PowerApprox|[Pp]ower)\(({_INSIDE}), ({_POWER})\)"), r"(\1)^\2"),
    (re.compile(r"\bPowerApprox\("), "power("),
    (re.compile(r"\b(Pnorm|GeoMean|geo_mean)Approx(?=\()"), r"\1"),
    (re.compile(rf"\bquad_over_lin\(({_INSIDE}), 1\)"), r"sum_squares(\1)"),
    (re.compile(rf"-\(sum_largest\(-\(({_INSIDE})\), (\d+)\)\)"), r"sum_smallest(\1, \2)"),
    (re.compile(r"\bPnorm(?:Approx)?\("), "norm("),
    (re.compile(r"\b(Sum|Hstack|Vstack|QuadForm)(?=\()"), lambda found: _NAMES[found[1]]),
]


def readable(thing: object, names: Mapping[str, str] | None = None) -> str:
    """The text of an expression or constraint, tidied and cut to a readable length.

    ``names`` are put in place of those that CVXPY gives to variables without one.
    """
    text = visible(" ".join((AS_WRITTEN.get(thing) or str(thing))[:_READ].split()))
    for automatic, name in (names or {}).items():
        text = re.sub(rf"\b{automatic}\b", name, text)
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def written(constraint: Constraint, names: Mapping[str, str] | None = None) -> str:
    """A constraint as one writes it: without its label, a constant on the right."""
    rows = ENTRY_NAMES.get(constraint)
    if rows is not None:
        return readable(f"rows {', '.join(rows[: _SHOWN // 2])}")
    if isinstance(constraint, cp.constraints.Inequality):
        left, right = constraint.args
        if left.is_constant() and not right.is_constant():
            return readable(f"{right} >= {left}", names)
    text = str(constraint)
    return readable(text.removeprefix(f"{constraint.label}: "), names)


def shorten(thing: object, names: Mapping[str, str] | None = None) -> str:
    """A CVXPY object, or what somebody gave in its place, as a text of readable length."""
    return readable(thing, names)


# The class of a problem in the words of the field: LP, MIQP, SOCP, exponential cone and so on.

_WHOLE = "mixed-integer "


def kind_of(
    problem: cp.Problem,
    *,
    gp: bool,
    affine: bool = False,
    whole: bool | None = None,
    rules: str = "",
) -> str:
    """LP, QP, SOCP, SDP (each also as MILP and so on), power cone, exponential cone or GP.

    ``rules`` names other rules than those of convex problems: QCP or NLP.

    A problem that needs several kinds of cones is called by the hardest ones; one that is known
    to be ``affine`` needs none. Whether it is ``whole`` is found out unless it is given.
    """
    if gp:
        return "GP"
    whole = has_integers(problem) if whole is None else whole
    kind = rules or ("LP" if affine or problem.is_lp() else "")
    kind = kind or ("QP" if problem.is_qp() else _cones(problem))
    if not whole:
        return kind
    return f"MI{kind}" if kind.isupper() else _WHOLE + kind


def is_integer_kind(kind: str) -> bool:
    """Whether problems called so have variables that must be whole."""
    return kind.startswith(("MI", _WHOLE))


def has_integers(problem: cp.Problem, variables: Iterable[cp.Variable] | None = None) -> bool:
    """Whether some variable must be whole, or one of finitely many values, which is as hard.

    ``variables`` are those of the problem, if somebody has them already.
    """
    variables = problem.variables() if variables is None else variables
    return any(v.attributes["boolean"] or v.attributes["integer"] for v in variables) or any(
        isinstance(constraint, cp.FiniteSet) for constraint in problem.constraints
    )


def _cones(problem: cp.Problem) -> str:
    atoms, kinds = cp.atoms, cp.constraints  # CVXPY's own lists of what is written with which cone
    used = {*problem.atoms(), *map(type, problem.constraints)}
    semidefinite = used & {*atoms.PSD_ATOMS, kinds.PSD, kinds.OpRelEntrConeQuad} or any(
        v.is_psd() or v.is_nsd() for v in problem.variables()
    )
    beside = []
    if used & {*atoms.EXP_ATOMS, kinds.ExpCone}:
        beside.append("exponential cone")
    if used & {*atoms.POWCONE_ATOMS, *atoms.POWCONE_ND_ATOMS, kinds.PowCone3D, kinds.PowConeND}:
        beside.append("power cone")
    if semidefinite:
        return " with ".join(["SDP", " and ".join(beside)] if beside else ["SDP"])
    return " and ".join(beside) if beside else "SOCP"
