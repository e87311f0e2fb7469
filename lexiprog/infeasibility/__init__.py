"""Why a subproblem has no optimum: conflicts, relaxations, unbounded directions."""
