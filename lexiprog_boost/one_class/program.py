"""The one-class linear program over weak hypotheses, and its lexicographic form for groups."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_margins


def one_class_program(values: Any, groups: Any = None, *, nu: float = 0.1) -> lx.Program:
    """Declare the weights of hypotheses that make normal points look normal.

    Stage "groups" holds for every group g of n_g points ::

        maximise    rho - 1/(nu n_g) sum_{i in g} xi_i                 (optimum: R_g)
        subject to  (H alpha)_i >= rho - xi_i,  xi >= 0,  sum alpha = 1,  alpha >= 0

    Its objective is the mean score of the lowest share nu of the group. With one group that is the
    program of Rätsch et al. With more, stage "balance" finds weights for all of them::

        minimise    chi
        subject to  R_g - (rho_g - 1/(nu n_g) sum_{i in g} xi_i) <= chi   for every group g,
                    (H alpha)_i >= rho_g - xi_i for i in g,  xi >= 0,  sum alpha = 1,  alpha >= 0

    so that no group gives up more of what it could have than the worst must. Use it to read and
    change the method;
    `OneClassLexiBoost` solves it for the few hypotheses of many that it needs.

    Parameters
    ----------
    values : array-like of shape (n, N)
        H: how normal each point looks to each hypothesis.
    groups : array-like of shape (n,), optional
        The group of each point; without it there is one.
    nu : float
        Share of a group that may fall short of its level rho, above 0 and at most 1.

    Returns
    -------
    lexiprog.Program
        Subproblems ``group:<label>`` with variables "alpha", "rho" and "xi"; with more than one
        group subproblem "balance" with "alpha", "rho" (a level a group), "xi" and "chi".

    References
    ----------
    G. Rätsch, B. Schölkopf, S. Mika and K.-R. Müller, SVM and boosting: one class, GMD technical
    report 119, 2000.

    Examples
    --------
    Two hypotheses, each made for one kind of normal; the rarer kind is not given up:

    >>> from lexiprog_boost import one_class_program
    >>> H = [[1, 0], [1, 0], [1, 0], [0, 1]]
    >>> one_class_program(H, nu=0.25).solve().final["alpha"].round(6).tolist()
    [0.5, 0.5]
    >>> result = one_class_program(H, ["a", "a", "a", "b"], nu=1).solve()
    >>> result["balance"]["alpha"].round(6).tolist(), round(result["balance"].value, 6)
    ([0.5, 0.5], 0.5)
    >>> one_class_program(H, nu=1).solve().final["alpha"].round(6).tolist()
    [1.0, 0.0]
    """
    table, (labels, codes) = check_margins(values), _grouped(groups, len(values))
    check_nu(nu)
    ideals = [group_subproblem(table[codes == g], f"group:{labels[g]}", nu)
              for g in range(len(labels))]  # fmt: skip
    first = lx.Stage("groups", *ideals)
    if len(labels) == 1:
        return lx.Program(first)
    optima = cp.hstack([ideal.optimum for ideal in ideals])
    return lx.Program(first, balance_stage(table, codes, optima, nu))


def group_subproblem(values: Floats, name: str, nu: float) -> lx.Subproblem:
    """One group's own program."""
    alpha, rho = _weights(values.shape[1]), cp.Variable(name="rho")
    xi = cp.Variable(len(values), nonneg=True, name="xi")
    value = rho - cp.sum(xi) / (nu * len(values))
    rows = [values @ alpha + xi >= rho, cp.sum(alpha) == 1]
    return lx.Subproblem(name, cp.Maximize(value), rows)


def balance_stage(values: Floats, codes: NDArray, optima: Any, nu: float) -> lx.Stage:
    """The least worst deviation; its first constraint has a row a point."""
    member = (codes[:, None] == np.arange(codes.max() + 1)).astype(np.float64)
    alpha, chi = _weights(values.shape[1]), cp.Variable(name="chi")
    rho = cp.Variable(member.shape[1], name="rho")
    xi = cp.Variable(len(values), nonneg=True, name="xi")
    reached = rho - (member / (nu * member.sum(axis=0))).T @ xi
    rows = [values @ alpha + xi >= member @ rho, cp.sum(alpha) == 1, optima - reached <= chi]
    return lx.Stage("balance", lx.Subproblem("balance", cp.Minimize(chi), rows))


def check_nu(nu: Any) -> None:
    """Refuse a share that is none."""
    if not isinstance(nu, int | float | np.number) or not 0 < nu <= 1:
        raise ValueError(f"nu is {nu!r}; the share of a group that may fall short is in (0, 1].")


def _weights(count: int) -> cp.Variable:
    return cp.Variable(count, bounds=[0.0, 1.0], name="alpha")


def _grouped(groups: Any, n: int) -> tuple[NDArray, NDArray[np.intp]]:
    if groups is None:
        return np.array(["all"]), np.zeros(n, dtype=np.intp)
    labels, codes = np.unique(np.asarray(groups), return_inverse=True)
    if codes.shape != (n,):
        raise ValueError(
            f"groups has shape {codes.shape}; it needs one group for each of {n} rows."
        )
    return labels, codes
