"""What solvers call a time limit and a gap, and the settings they need to be exact enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lexiprog.aliases import FreshOptions, Options

__all__ = ["SHARPER", "SHARPER_MIP", "Words", "words_of"]

# Solvers whose factory settings stop short of what a certificate, or a later stage that holds
# the optimum, asks for; what they reach is judged by its certificate, not by their own word.
SHARPER: dict[str, Options] = {
    "CLARABEL": {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "accept_unknown": True},
    "ECOS": {"abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-12},
    "SCS": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iters": 100_000},
    "OSQP": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000, "polishing": True},
}
SHARPER_MIP: dict[str, Options] = {
    # With 1e-6, its own default, HiGHS may lose feasible points beside an M of 1e6.
    "HIGHS": {"mip_rel_gap": 0.0, "mip_feasibility_tolerance": 1e-9},
    "GUROBI": {"MIPGap": 0.0},
    "SCIPY": {"scipy_options": {"mip_rel_gap": 0.0}},
    "ECOS_BB": {"mi_rel_eps": 1e-9, "mi_abs_eps": 1e-9},
}


@dataclass(frozen=True)
class Words:
    """A solver's own options for what everybody wishes.

    Attributes
    ----------
    time, gap : str
        The options; empty if it has none, as a solver that cannot be stopped.
    inside : str
        The option that holds a dictionary of the two; empty if they stand by themselves.
    also : str
        Another such dictionary, in which users may write them.
    second : float
        One second, in the solver's unit of time.
    """

    time: str = ""
    gap: str = ""
    inside: str = ""
    also: str = ""
    second: float = 1.0

    def wish(self, word: str, options: Options) -> float | None:
        """What the options say of "time" or "gap" in the solver's own words."""
        name, unit = getattr(self, word), self.second if word == "time" else 1.0
        for place in (options, options.get(self.inside), options.get(self.also)):
            if name and isinstance(place, Mapping) and place.get(name) is not None:
                return float(place[name]) / unit
        return None

    def put(self, word: str, value: float, options: FreshOptions) -> None:
        """Write "time" or "gap" into options that may be changed, in the place of what is there."""
        name, unit = getattr(self, word), self.second if word == "time" else 1.0
        if not name:
            return
        place = options
        for key in (self.also, self.inside):
            if key and (key == self.inside or name in options.get(key, {})):
                place = options[key] = dict(options.get(key, {}))
                break
        place[name] = value * unit if unit == 1.0 else round(value * unit)


_WORDS = {
    "HIGHS": Words("time_limit", "mip_rel_gap", also="highs_options"),
    "GUROBI": Words("TimeLimit", "MIPGap"),
    "SCIP": Words("limits/time", "limits/gap", inside="scip_params"),
    "SCIPY": Words("time_limit", "mip_rel_gap", inside="scipy_options"),
    "CBC": Words("maximumSeconds", "allowableFractionGap"),
    "COPT": Words("TimeLimit", "RelGap"),
    "CPLEX": Words("timelimit", "mip.tolerances.mipgap", inside="cplex_params"),
    "GLPK_MI": Words("tm_lim", "mip_gap", second=1000.0),
    "MOSEK": Words(
        "MSK_DPAR_OPTIMIZER_MAX_TIME", "MSK_DPAR_MIO_TOL_REL_GAP", inside="mosek_params"
    ),
    "XPRESS": Words("maxtime", "miprelstop"),
    "CLARABEL": Words("time_limit"),
    "OSQP": Words("time_limit"),
    "SCS": Words("time_limit_secs"),
    "PDLP": Words("time_sec_limit"),
    "ECOS_BB": Words(gap="mi_rel_eps"),
}


def words_of(name: str) -> Words:
    """The words of a solver; none for one that nobody knows, or that cannot be stopped."""
    return _WORDS.get(name, Words())
