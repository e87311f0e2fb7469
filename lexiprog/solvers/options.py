"""Options that a solver does not know, noticed before anything is solved."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from lexiprog.aliases import Options
from lexiprog.spelling import did_you_mean

__all__ = ["unknown_option"]

# What CVXPY or this library reads before the solver sees it.
_OURS = {"verbose", "warm_start", "use_quad_obj", "highs_options", "accept_unknown", "gap"}
_ECOS = {
    "abstol",
    "reltol",
    "feastol",
    "abstol_inacc",
    "reltol_inacc",
    "feastol_inacc",
    "max_iters",
}
# Solvers that cannot be asked; names that are like none of these are left to them to judge.
_LISTED = {
    "ECOS": _ECOS,
    "ECOS_BB": _ECOS | {"mi_max_iters", "mi_abs_eps", "mi_rel_eps", "mi_verbose"},
    "SCS": {
        "acceleration_interval", "acceleration_lookback", "adaptive_scale", "alpha", "eps",
        "eps_abs", "eps_infeas", "eps_rel", "linear_solver", "log_csv_filename", "max_iters",
        "normalize", "rho_x", "scale", "time_limit_secs", "use_indirect", "write_data_filename",
    },
}  # fmt: skip


def unknown_option(solver: str, options: Options) -> str | None:
    """A sentence about the first option that the solver called ``solver`` does not know.

    None if it knows them all, or only it can tell.
    """
    for name in options:
        if name in _OURS:
            continue
        if solver in _LISTED:
            hint = "" if name in _LISTED[solver] else did_you_mean(name, _LISTED[solver])
            if hint:
                return f"{solver} has no option {name!r}.{hint}"
            continue
        known = _asked(solver)
        if known and name not in known and not (solver == "HIGHS" and _highs_knows(name)):
            return f"{solver} has no option {name!r}.{did_you_mean(name, known)}"
    return None


@cache
def _asked(solver: str) -> frozenset[str]:
    """The names of a solver's options, as its own package lists them; empty if it does not."""
    if solver == "HIGHS" and find_spec("highspy"):
        import highspy

        return _names(highspy.HighsOptions())
    if solver == "CLARABEL" and find_spec("clarabel"):
        import clarabel

        return _names(clarabel.DefaultSettings())
    if solver == "OSQP" and find_spec("osqp"):
        import osqp  # type: ignore[import-untyped]

        settings = getattr(getattr(osqp.OSQP(), "ext", None), "OSQPSettings", None)
        # Older words that CVXPY or OSQP still takes.
        return _names(settings) | {"polish", "warm_start"} if settings else frozenset()
    return frozenset()


def _names(settings: object) -> frozenset[str]:
    return frozenset(name for name in dir(settings) if not name.startswith("_"))


@cache
def _highs_knows(name: str) -> bool:
    """Whether HiGHS takes an option that it does not list, such as those for its developers."""
    import highspy

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    status = highs.getOptionValue(name)[0]
    return bool(status != highspy.HighsStatus.kError)
