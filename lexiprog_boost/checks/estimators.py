"""Declare the parameters of a scikit-learn estimator once, each with its type and default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from lexiprog_boost.checks.docstrings import described

Estimator = TypeVar("Estimator")


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def estimator_class(declared: type[Estimator]) -> type[Estimator]:
    """Turn the annotated attributes of a class into the parameters of its `__init__`.

    scikit-learn reads an estimator's parameters from the signature of `__init__`, which has to
    store them untouched: a dataclass's does. Its equality and its text would be others than
    scikit-learn's, so they are left out. Texts that docstrings share are filled in (`described`).

    Parameters
    ----------
    declared : type
        A subclass of ``BaseEstimator``; what follows ``_: KW_ONLY`` is given by name.

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from lexiprog_boost.checks.estimators import estimator_class
    >>> @estimator_class
    ... class Guess(BaseEstimator):
    ...     label: str = "a"
    ...     sure: bool = False
    >>> Guess("b", sure=True).get_params(), Guess("c")
    ({'label': 'b', 'sure': True}, Guess(label='c'))
    """
    return described(dataclass(eq=False, repr=False)(declared))
