"""How many random hierarchies each solver answers, and how wrong an answer ever is.

`python -m tests.lexiprog.solve.random_rates [examples] [solver ...]` prints the table.
"""

import sys
import time
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, settings

import lexiprog as lx
from tests.independent import TOLERANCE, verdicts
from tests.lexiprog.solve.random_hierarchies import as_program, hierarchies

SOLVERS = ("HIGHS", "CLARABEL", "ECOS", "SCS")
ERRORS = ("value", "primal", "dual", "gap")


@dataclass
class Rates:
    """What was seen and answered, and the worst errors of what is called optimal."""

    hierarchies: int = 0
    answered: int = 0
    problems: int = 0
    solved: int = 0
    worst: dict[str, float] = field(default_factory=lambda: dict.fromkeys(ERRORS, 0.0))

    @property
    def rate(self):
        return self.answered / self.hierarchies

    def __str__(self):
        return (
            f"answered {self.answered}/{self.hierarchies} hierarchies ({self.rate:.1%}), "
            f"{self.solved}/{self.problems} problems; worst relative errors: "
            + ", ".join(f"{kind} {error:.1e}" for kind, error in self.worst.items())
        )


def judged(stages, solver, rates):
    """Solve one hierarchy and judge everything that was called optimal."""
    program, records = as_program(stages)
    tried = sum(map(len, stages))
    try:
        result, answered = program.solve(solver), True
    except lx.StageError as error:
        result, answered = error.partial, False
        failed = [stage.name for stage in program.stages].index(error.stage)
        tried = sum(map(len, stages[: failed + 1]))
    optimal = {name for name, solution in result.items() if solution.status == "optimal"}
    rates.hierarchies += 1
    rates.answered += answered
    rates.problems += tried
    rates.solved += len(result)
    found = verdicts(stages, records(result))
    found = {name: verdict for name, verdict in found.items() if name in optimal}
    for kind in ERRORS:
        seen = [getattr(verdict, kind) for verdict in found.values()]
        rates.worst[kind] = max(rates.worst[kind], *seen, 0.0)
    return found


def survey(solver, examples, **profile):
    """Draw and judge so many hierarchies; the first answer that is wrong is an AssertionError."""
    rates = Rates()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), **profile)
    @given(hierarchies())
    def draw(stages):
        found = judged(stages, solver, rates)
        wrong = {name: verdict for name, verdict in found.items() if verdict.worst > TOLERANCE}
        assert not wrong, f"{solver} calls these optimal: {wrong}"

    draw()
    return rates


def main(arguments):
    examples = int(arguments[0]) if arguments else 60
    for solver in arguments[1:] or SOLVERS:
        start = time.perf_counter()
        rates = survey(solver, examples, derandomize=True, deadline=None, phases=[Phase.generate])
        sys.stdout.write(f"{solver:9} {rates}; {time.perf_counter() - start:.0f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
