"""Declare the parameters of a scikit-learn estimator once, each with its type and default."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, get_type_hints

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
    made: Any = described(dataclass(eq=False, repr=False)(declared))
    # Inherited parameters have types that only the module of their own class can name: a reader of
    # the signature, such as a documentation tool, gets the types themselves.
    types = get_type_hints(made)
    made.__init__.__annotations__ = {
        **{parameter.name: types[parameter.name] for parameter in fields(made)}, "return": None
    }  # fmt: skip
    return made
