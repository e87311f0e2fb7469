"""Why a subproblem has no optimum: what contradicts what, and where there is no end to it."""
