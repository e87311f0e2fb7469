"""A fingerprint of what a subproblem says: the same for the same declaration, in any process.

It is taken from the expressions and their numbers as they were declared, so that it does not
depend on the solver. Parameters and references enter as places without values; a solution records
those beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from numbers import Number
from uuid import uuid4

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.model.expressions import Registry, automatic_names, key_of, readable
from lexiprog.model.subproblem import Subproblem
from lexiprog.summary import counted
from lexiprog.typing import Leaf, Matrix, Value

# Changes with what is hashed and how.
SCHEME = "lexiprog digest 1"
# Larger constants are shared by many problems and hashed once.
_LARGE = 1000
_CONSTANTS: Registry[bytes] = Registry()
_LATEST: dict[object, bytes] = {}
# Marks what cannot be read as equal to itself alone.
_THIS_PROCESS = uuid4().hex


@dataclass(frozen=True)
class Fingerprint:
    """Hashes of a declared problem and of its parts, by which a change can be named.

    Attributes
    ----------
    whole : str
        Of everything below.
    objective, variables : str
        Of the objective with its sense, and of the variables with names, shapes and attributes.
    constraints : tuple of str
        Of each constraint.
    cvxpy : str
        The version that wrote the expressions; another may write the same ones differently.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> def problem(demand):
    ...     x = cp.Variable(2, nonneg=True, name="x")
    ...     return lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x[0] >= demand])
    >>> fingerprint_of(problem(5)) == fingerprint_of(problem(5.0))
    True
    >>> fingerprint_of(problem(5)).difference(fingerprint_of(problem(50)), problem(50))
    'constraint 1, 50 <= x[0], is another'
    """

    whole: str
    objective: str
    variables: str
    constraints: tuple[str, ...]
    cvxpy: str = cp.__version__

    def difference(self, now: Fingerprint, subproblem: Subproblem) -> str:
        """What differs from the fingerprint of ``subproblem`` now; nothing if they agree."""
        if self.whole == now.whole:
            return ""
        parts = list(self._differing_parts(now, subproblem))
        shown = "; ".join(parts[:3]) if parts else "its data changed"
        more = f"; and {len(parts) - 3} more" if len(parts) > 3 else ""
        version = ""
        if self.cvxpy != now.cvxpy:
            version = (
                f" (it was found with CVXPY {self.cvxpy}, which may write the same problem in "
                f"another way than {now.cvxpy} does)"
            )
        return shown + more + version

    def _differing_parts(self, now: Fingerprint, subproblem: Subproblem) -> Iterator[str]:
        names = automatic_names(subproblem.variables)
        if self.variables != now.variables:
            yield "its variables have other attributes or bounds"
        if self.objective != now.objective:
            yield f"its objective, {readable(subproblem.objective, names)}, is another"
        if len(self.constraints) != len(now.constraints):
            yield f"it had {counted(len(self.constraints), 'constraint')}"
            return
        for k, (then, this) in enumerate(zip(self.constraints, now.constraints, strict=True)):
            if then != this:
                constraint = readable(subproblem.constraints[k], names)
                yield f"constraint {k + 1}, {constraint}, is another"


def fingerprint_of(subproblem: Subproblem) -> Fingerprint:
    """The fingerprint of a subproblem, taken once."""
    return subproblem.memory.once("digest", lambda: fresh_fingerprint(subproblem))


def fresh_fingerprint(subproblem: Subproblem) -> Fingerprint:
    """The same, taken anew."""
    reader = _Reader(subproblem)
    objective = reader.read(subproblem.objective)
    variables = reader.leaves()
    constraints = [reader.read(constraint) for constraint in subproblem.constraints]
    whole = _hash(SCHEME, subproblem.gp, objective, variables, *constraints)
    return Fingerprint(
        whole=whole.hex(),
        objective=objective.hex()[:12],
        variables=variables.hex()[:12],
        constraints=tuple(constraint.hex()[:12] for constraint in constraints),
    )


class _Reader:
    """Hashes of expressions, each found once, with leaves by their place in the problem."""

    def __init__(self, subproblem: Subproblem) -> None:
        self._known: dict[int, bytes] = {}
        self._kept: list[object] = []  # what is known by its id must not be freed meanwhile
        self._bound = 0
        self._declared = [*subproblem.variables, *subproblem.inputs]
        for kind, leaves in (("v", subproblem.variables), ("p", subproblem.inputs)):
            for place, leaf in enumerate(leaves):
                self._known[id(leaf)] = f"{kind}{place}".encode()

    def leaves(self) -> bytes:
        """The variables and parameters themselves."""
        return _hash(*(self._leaf(leaf, place) for place, leaf in enumerate(self._declared)))

    def _leaf(self, leaf: Leaf, place: int) -> bytes:
        given = {k: v for k, v in leaf.attributes.items() if v is not None and v is not False}
        name = key_of(leaf, place) if isinstance(leaf, cp.Variable) else "parameter"
        return _hash(name, leaf.shape, self.read(given))

    def read(self, thing: object) -> bytes:
        """The hash of a CVXPY object, or of data inside one."""
        digest = self._known.get(id(thing))
        if digest is None:
            digest = self._known[id(thing)] = self._read(thing)
            self._kept.append(thing)
        return digest

    def _read(self, thing: object) -> bytes:
        kind = type(thing)
        if thing is None or kind is str:
            return _hash(kind.__name__, str(thing))
        if isinstance(thing, int | float | complex | np.number | np.bool_):
            return _hash("number", repr(complex(thing) + 0))
        if isinstance(thing, np.ndarray) and thing.dtype.kind in "biufc":
            return _array(thing)
        if sp.issparse(thing):
            return _sparse(thing)
        if isinstance(thing, cp.Constant):
            return _constant(thing)
        if isinstance(thing, cp.Variable | cp.Parameter):  # bound inside an atom
            self._bound += 1
            return _hash(self._bound, self._leaf(thing, self._bound))
        if isinstance(thing, Number | Enum):
            return _hash(kind.__qualname__, str(thing))
        return _hash(kind.__qualname__, *map(self.read, self._parts(thing)))

    def _parts(self, thing: object) -> list[object]:
        """What an object is made of, in an order that is always the same."""
        if isinstance(thing, list | tuple | np.ndarray):
            return list(thing)
        if isinstance(thing, dict):
            return [part for key in sorted(thing, key=str) for part in (key, thing[key])]
        if isinstance(thing, slice | range):
            return [thing.start, thing.stop, thing.step]
        if isinstance(thing, cp.Expression | cp.Minimize | cp.Maximize):
            return _parts_of_expression(thing)
        if isinstance(thing, cp.constraints.Constraint):
            data = thing.get_data() or []  # the last of which is a number of this session
            return [*thing.args, *data[:-1]]
        if isinstance(thing, cp.Problem):
            return [thing.objective, *thing.constraints]
        if type(thing).__module__.startswith("cvxpy."):
            return [part for name, part in sorted(vars(thing).items()) if name[0] != "_"]
        return [_THIS_PROCESS, str(id(thing))]


def _parts_of_expression(expression: cp.Expression) -> list[object]:
    """Arguments, data, and what is neither.

    The function in a perspective and the set of a support function are attributes only.
    """
    parts: list[object] = list(expression.args)
    data = expression.get_data()
    if data:
        parts += ["data", *data]
    hidden = {
        name: value
        for name, value in vars(expression).items()
        if isinstance(value, cp.suppfunc) or (name[0] != "_" and isinstance(value, cp.Expression))
    }
    return [*parts, hidden] if hidden else parts


def _hash(*parts: object) -> bytes:
    """One hash of several parts; their lengths keep them apart."""
    out = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes | memoryview) else repr(part).encode()
        out.update(len(data).to_bytes(8, "little"))
        out.update(data)
    return out.digest()


def _constant(constant: cp.Constant) -> bytes:
    digest = _CONSTANTS.get(constant)
    if digest is None:
        value = constant.value
        digest = _sparse(value) if sp.issparse(value) else _array(np.asarray(value))
        if constant.size > _LARGE:
            _CONSTANTS.add(constant, digest)
    return digest


def _array(values: Value) -> bytes:
    """Of shape and numbers alone: 5 and 5.0, and zeros of either sign, are the same."""
    kind = complex if values.dtype.kind == "c" else float
    numbers = np.ascontiguousarray(values, dtype=kind) + 0.0
    return _hash("array", values.shape, numbers.reshape(-1).view(np.uint8).data)


def _sparse(matrix: Matrix) -> bytes:
    # The levels of a hierarchy share their data: what was just read is known by its bytes.
    small = matrix.format in ("csc", "csr") and matrix.nnz <= _LARGE
    parts = (matrix.data, matrix.indices, matrix.indptr) if small else ()
    key = (matrix.format, matrix.shape, *((p.dtype.str, p.tobytes()) for p in parts))
    if small and (digest := _LATEST.get(key)) is not None:
        return digest
    entries = sp.coo_array(matrix).tocsc()
    entries.sum_duplicates()
    places = (entries.indptr.astype(np.int64), entries.indices.astype(np.int64))
    digest = _hash("sparse", matrix.shape, *map(_array, (*places, entries.data)))
    if small:
        _LATEST.clear()
        _LATEST[key] = digest
    return digest
