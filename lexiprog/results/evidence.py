"""The numbers behind a certificate, so that others can check it without this library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.files import BadRecord, fitted, fitted_fields, mapping
from lexiprog.summary import LockSummary
from lexiprog.typing import Array, Matrix, Record, Value

_VECTORS = ("c", "b", "lower", "upper", "integer")


@dataclass(frozen=True)
class Evidence:
    """A problem as bare numbers, a point and multipliers: all that a proof of optimality needs.

    Attributes
    ----------
    form : StandardForm
        The problem in the units in which it was solved, which make no difference to its proof; on
        the optimal face of the optima that it holds by their face.
    x, z : ndarray
        The point, and the multipliers of the rows (None for integer problems).
    columns, cost : ndarray, float
        The units: ``x * columns`` is in the user's, as is the objective over ``cost``.
    maximise, logarithmic : bool
        Whether the objective was negated, and whether it is the logarithm of the declared one,
        to become this form.
    owners : mapping of str to Evidence
        The optima that it holds by their face, where they were found again over its own columns.
    """

    form: StandardForm
    x: Array
    z: Array | None
    columns: Array
    cost: float
    maximise: bool = False
    logarithmic: bool = False
    owners: Mapping[str, Evidence] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, answer: Answer) -> Evidence | None:
        """What the answer was judged by; None for a point alone."""
        if answer.x is None:
            return None
        form = task.native.scaled if answer.form is None else answer.form
        z = None if task.integer else answer.z
        own = cls.at(task.subproblem, task.native.scaling, form, answer.x, z)
        proofs = answer.held.proofs
        return replace(own, owners=proofs) if proofs else own

    @classmethod
    def at(
        cls, subproblem: Subproblem, units: Scaling, form: StandardForm, x: Array, z: Array | None
    ) -> Evidence:
        """A point and multipliers of a form of the subproblem, in these units."""
        # A program that is solved again and again mostly changes vectors: its matrix is kept once.
        matrix = subproblem.memory.latest("evidence", form.A, _same)
        return cls(
            form=form if matrix is form.A else replace(form, A=matrix),
            x=x,
            z=z,
            columns=units.columns,
            cost=units.cost,
            maximise=subproblem.maximise,
            logarithmic=subproblem.gp,
        )

    def record(self) -> Record:
        """All numbers as plain containers and arrays; matrices by their entries."""
        form = self.form
        own = {f: getattr(self, f) for f in ("x", "z", "columns", "cost")}
        return {
            "maximise": self.maximise,
            "logarithmic": self.logarithmic,
            **own,
            **{name: getattr(form, name) for name in _VECTORS},
            "offset": form.offset,
            "A": _entries(form.A),
            "P": None if form.P is None else _entries(form.P),
            "cones": asdict(form.cones),
            "owners": {name: owner.record() for name, owner in self.owners.items()},
        }

    @classmethod
    def from_record(cls, record: object, place: str = "proof") -> Evidence:
        """The evidence that :meth:`record` described; ``place`` says where in a file it stands."""
        parts = mapping(record, place)

        def part(name: str, kind: object) -> Any:
            return fitted(kind, parts.get(name), f"{place}.{name}")

        c, b = part("c", Value), part("b", Value)
        rows = {name: part(name, Value | None) for name in ("lower", "upper", "integer")}
        form = StandardForm(
            c=c,
            b=b,
            offset=part("offset", float),
            A=_matrix(parts.get("A"), (b.size, c.size), f"{place}.A"),
            P=None if parts.get("P") is None else _matrix(parts["P"], (c.size,) * 2, f"{place}.P"),
            cones=_cones(parts.get("cones"), f"{place}.cones"),
            **rows,
        )
        return cls(
            form=form,
            x=part("x", Value),
            z=part("z", Value | None),
            columns=part("columns", Value),
            cost=part("cost", float),
            maximise=part("maximise", bool),
            logarithmic=part("logarithmic", bool),
            owners={
                name: cls.from_record(owner, f"{place}.owners.{name}")
                for name, owner in mapping(parts.get("owners", {}), f"{place}.owners").items()
            },
        )


def _same(one: Matrix, other: Matrix) -> bool:
    return one is other or (
        one.format == other.format
        and one.shape == other.shape
        and one.nnz == other.nnz
        and one.format in ("csc", "csr")
        and all(
            getattr(one, part) is getattr(other, part)
            or np.array_equal(getattr(one, part), getattr(other, part))
            for part in ("indptr", "indices", "data")
        )
    )


def _entries(matrix: Matrix) -> Record:
    entries = sp.coo_array(matrix)
    return {"rows": entries.row, "columns": entries.col, "values": entries.data}


def _matrix(record: object, shape: tuple[int, int], place: str) -> Matrix:
    parts = mapping(record, place)
    values, rows, columns = (
        fitted(Value, parts.get(name), f"{place}.{name}") for name in ("values", "rows", "columns")
    )
    try:
        return sp.csc_array((values, (rows, columns)), shape=shape)
    except (TypeError, ValueError) as error:
        raise BadRecord(place, str(error)) from error


def _cones(record: object, place: str) -> Cones:
    parts = mapping(record, place)
    layouts = ("upper", "lower", "full")
    if parts.get("psd_layout") not in layouts:
        raise BadRecord(f"{place}.psd_layout", f"this is one of {', '.join(layouts)}")
    rest = {name: value for name, value in parts.items() if name != "psd_layout"}
    return Cones(**fitted_fields(Cones, rest, place), psd_layout=parts["psd_layout"])


# How an earlier optimum was held while a later problem was solved.


class Price:
    """What a unit of slack would buy: known, or found the first time somebody asks."""

    def __init__(self, value: float | None = None, find: Callable[[], float | None] | None = None):
        self._value = value
        self._find = find

    @property
    def known(self) -> float | None:
        """The price, if it need not be computed first."""
        return self._value

    @property
    def value(self) -> float | None:
        """The price; None if the lock has none."""
        if self._find is not None:
            self._value, self._find = self._find(), None
        return self._value


@dataclass(frozen=True)
class LockRecord:
    """One held optimum, as a later solution found it.

    Attributes
    ----------
    name : str
        The subproblem whose optimum was held.
    kind : str
        "value" (its objective was bounded), "face" (its optimal face was kept) or "argument"
        (what its curved objective depends on was kept).
    limit, tolerance, guard : float
        The bound on its objective, the degradation the user allowed, and the numerical slack
        that was added to it (0 unless a lock had to be loosened).
    drift : float
        How far the held objective ended up beyond its optimum.
    """

    name: str
    kind: str
    limit: float
    tolerance: float
    guard: float = 0.0
    drift: float = 0.0
    _price: Price = field(default_factory=Price, repr=False, compare=False)

    @property
    def price(self) -> float | None:
        """Gain in the later objective per unit of further slack, found when first asked for."""
        return self._price.value

    @property
    def distortion(self) -> float | None:
        """How much of the later optimum may be owed to the guard."""
        if self.guard == 0.0:
            return 0.0
        return None if self.price is None else self.price * self.guard

    @property
    def summary(self) -> LockSummary:
        """The lock as a plain record; a price that nobody has asked for yet is left out."""
        known = self._price.known
        return LockSummary(self.name, self.kind, self.tolerance, self.guard, self.drift, known)

    def record(self) -> Record:
        """Every field and the price, as numbers and texts."""
        names = ("name", "kind", "limit", "tolerance", "guard", "drift")
        return {name: getattr(self, name) for name in names} | {"price": self.price}

    @classmethod
    def from_record(cls, record: object, place: str = "lock") -> LockRecord:
        """The lock that :meth:`record` described; ``place`` says where in a file it stands."""
        values = dict(mapping(record, place))
        price = fitted(float | None, values.pop("price", None), f"{place}.price")
        return cls(_price=Price(price), **fitted_fields(cls, values, place))

    def __reduce__(self) -> tuple[object, ...]:
        return LockRecord.from_record, (self.record(),)
