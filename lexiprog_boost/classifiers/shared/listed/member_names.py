"""Names of listed members: given or made, and the parameters that are reached through them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import is_regressor

Named = list[tuple[str, Any]]


def named_members(members: Iterable[Any]) -> Named:
    """Pairs of (name, classifier), where a classifier without a name is called by its class.

    Refuses an empty list, two members of one name, names with two underscores in a row, which
    separate names from parameters, and whatever cannot classify.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from lexiprog_boost.classifiers.shared.listed.member_names import named_members
    >>> [name for name, _ in named_members([GaussianNB(), ("own", GaussianNB()), GaussianNB()])]
    ['gaussiannb-1', 'own', 'gaussiannb-2']
    """
    given = [_pair(one) for one in members]
    if not given:
        raise ValueError("the list of members is empty; give at least one (name, classifier).")
    kinds = Counter(_kind(one) for name, one in given if name is None)
    made: Counter[str] = Counter()
    pairs = []
    for name, one in given:
        if name is None:
            kind = _kind(one)
            made[kind] += 1
            name = f"{kind}-{made[kind]}" if kinds[kind] > 1 else kind
        pairs.append((name, one))
    for name, one in pairs:
        _check(name, one)
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise ValueError(f"two members have the same name, {repeated[0]!r}; names are unique.")
    return pairs


def nested_params(members: Any) -> dict[str, Any]:
    """Every member by its name, and its parameters as ``name__parameter``.

    A list that `fit` would refuse has none: asking for parameters never fails.
    """
    try:
        pairs = named_members(members)
    except (TypeError, ValueError):
        return {}
    found: dict[str, Any] = {}
    for name, one in pairs:
        found[name] = one
        if hasattr(one, "get_params"):
            found |= {f"{name}__{key}": value for key, value in one.get_params().items()}
    return found


def with_replaced(members: Any, replaced: Mapping[str, Any]) -> Named:
    """A new list in which the members of these names are others; the old one stays as it is."""
    return [(name, replaced.get(name, one)) for name, one in named_members(members)]


def _pair(one: Any) -> tuple[str | None, Any]:
    if isinstance(one, tuple):
        if len(one) == 2 and isinstance(one[0], str):
            return one
        raise TypeError(f"a list of members holds classifiers or (name, classifier), not {one!r}.")
    return None, one


def _kind(one: Any) -> str:
    return type(one).__name__.lower()


def _check(name: str, one: Any) -> None:
    if "__" in name:
        raise ValueError(
            f"the member's name {name!r} contains '__', which separates names from parameters."
        )
    if isinstance(one, type):
        raise TypeError(f"member {name!r} is the class {one.__name__}; give an instance of it.")
    if not (hasattr(one, "fit") and hasattr(one, "predict")):
        raise TypeError(f"member {name!r} is {one!r}: a classifier is needed.")
    if hasattr(one, "__sklearn_tags__") and is_regressor(one):
        raise TypeError(
            f"member {name!r} is a regressor, {type(one).__name__}: a classifier is needed."
        )
