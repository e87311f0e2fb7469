"""Which rows of compiled numbers belong to which constraint; rows that say the same are one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Mask
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm

__all__ = ["OwnRows"]


@dataclass(frozen=True)
class OwnRows:
    """The rows of several problems' constraints in one matrix.

    Rows that CVXPY adds for maxima, norms and the like belong to no constraint: they say what its
    own variables are, and leave the others as they were. So everybody has them.
    """

    places: dict[int, NDArray[np.intp]]  # by CVXPY's ids; of rows that say the same, the first
    nobodys: Mask

    @classmethod
    def of(cls, compiled: Compiled) -> OwnRows:
        """Of compiled numbers."""
        form = compiled.form
        plain = compiled.in_units(Scaling.none(form))
        # Rows numbered from one, as multipliers: what comes back says which is whose.
        numbers = np.arange(1.0, form.b.size + 1.0)
        found = answer_at(plain, np.zeros(form.c.size), numbers, iterations=None).dual
        flat = {key: np.abs(np.ravel(value)) for key, value in found.items()}
        places = {
            key: value.astype(np.intp) - 1
            for key, value in flat.items()
            if np.isin(value, numbers).all()
        }
        nobodys = np.ones(form.b.size, dtype=bool)
        for own in places.values():
            nobodys[own] = False
        first = _first_of_same(form)
        return cls({key: first[own] for key, own in places.items()}, nobodys)

    def knows(self, keys: Collection[int]) -> bool:
        """Whether these constraints have rows of their own."""
        return self.places.keys() >= set(keys)

    def present(self, keys: Collection[int]) -> Mask:
        """The rows of some constraints, and nobody's."""
        out = self.nobodys.copy()
        for key in keys:
            out[self.places[key]] = True
        return out


def _first_of_same(form: StandardForm) -> NDArray[np.intp]:
    """Of each row, the first that has the same coefficients, limit and sense."""
    matrix = sp.csr_array(form.A)
    matrix.sort_indices()
    first: dict[tuple[bytes, bytes, float, bool], int] = {}
    out = np.arange(form.b.size)
    for row, limit in enumerate(form.b.tolist()):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        columns, numbers = matrix.indices[part].tobytes(), matrix.data[part].tobytes()
        out[row] = first.setdefault((columns, numbers, limit, row < form.cones.zero), row)
    return out
