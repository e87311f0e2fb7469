"""How many random chains each solver answers, and how wrong an answer ever is.

`python -m tests.lexiprog.formulations.exact_rates [examples] [solver ...]` prints the table.
"""

import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, assume, given, settings

import lexiprog as lx
from tests.lexiprog.formulations.exact import as_program, lexicographic_optimum
from tests.lexiprog.formulations.random_chains import chains

# Solver, and whether there are integer columns.
KINDS = (("HIGHS", False), ("HIGHS", True), ("CLARABEL", False), ("ECOS", False), ("SCS", False))
TOLERANCE = 1e-6


@dataclass
class Rates:
    """Chains seen and answered in full, why others were not, the worst error of "optimal"."""

    chains: int = 0
    answered: int = 0
    worst: float = 0.0
    others: Counter = field(default_factory=Counter)

    @property
    def rate(self):
        return self.answered / self.chains

    def __str__(self):
        others = "".join(f"; {count} {kind}" for kind, count in self.others.items())
        return (
            f"answered {self.answered}/{self.chains} ({self.rate:.1%}), worst relative error "
            f"{self.worst:.1e}{others}"
        )


def judged(chain, solver, exact):
    """Errors by name of all that is called optimal, and why the chain is not answered, if so."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", lx.LexiprogWarning)
        try:
            result, unanswered = as_program(chain).solve(solver), None
        except lx.StageError as error:
            result, unanswered = error.partial, "stage error"
    if unanswered is None and any(s.status != "optimal" for s in result.values()):
        unanswered = "inaccurate"
        if not said:
            raise AssertionError(f"{solver} is inaccurate without a warning on {chain}")
    errors = {
        name: abs(solution.value - float(value)) / (1.0 + abs(float(value)))
        for (name, solution), value in zip(result.items(), exact, strict=False)
        if solution.status == "optimal"
    }
    return errors, unanswered


def survey(solver, examples, strategy, *, tolerance=TOLERANCE, **profile):
    """Draw and judge so many chains; the first wrong answer is an AssertionError."""
    rates = Rates()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **profile)
    @given(strategy)
    def draw(chain):
        exact = lexicographic_optimum(chain)
        assume(exact is not None)
        errors, unanswered = judged(chain, solver, exact)
        rates.chains += 1
        rates.answered += unanswered is None
        rates.others.update([unanswered] * (unanswered is not None))
        rates.worst = max([rates.worst, *errors.values()])
        wrong = {name: error for name, error in errors.items() if error > tolerance}
        assert not wrong, f"{solver} calls these optimal: {wrong}, on {chain}"

    draw()
    return rates


def main(arguments):
    examples = int(arguments[0]) if arguments else 100
    for solver, integers in KINDS:
        if arguments[1:] and solver not in arguments[1:]:
            continue
        start = time.perf_counter()
        rates = survey(
            solver, examples, chains(integers=integers), tolerance=float("inf"),
            derandomize=True, deadline=None, phases=[Phase.generate],
        )  # fmt: skip
        kind = "MILP" if integers else "LP"
        sys.stdout.write(f"{solver:9} {kind:4} {rates}; {time.perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
