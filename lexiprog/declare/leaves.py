"""Read CVXPY expressions at recorded values, leaving the caller's objects as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, TypeVar

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.aliases import Constraint, Leaf, Leaves, Mask, Matrix, Value, Values
from lexiprog.declare.fork import ForkSafeLock
from lexiprog.declare.memory import Registry
from lexiprog.declare.raw_values import give, give_back, stored
from lexiprog.errors import LexiprogError

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


def whole_entries(variable: cp.Variable) -> Mask:
    """Which entries of a variable must be whole.

    Examples
    --------
    >>> whole_entries(cp.Variable((2, 2), integer=[(0, 1), (1, 1)])).tolist()  # rows, columns
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
    whole = whole_entries(variable)
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


def listed(constraints: Iterable[Constraint]) -> list[Constraint]:
    """The constraints as a list, if they are several, not one or lists of them."""
    if constraints is None or isinstance(constraints, cp.constraints.constraint.Constraint):
        raise TypeError(f"constraints come in a list, such as [x >= 0], not as {constraints}.")
    found = list(constraints)
    for position, one in enumerate(found, 1):
        if isinstance(one, list | tuple):
            raise TypeError(
                f"constraint {position} is a {type(one).__name__}: add them one by one."
            )
    # What numpy says of data, where CVXPY knows Python's own words alone.
    return [bool(one) if isinstance(one, np.bool_) else one for one in found]
