"""Ways to the same weights: reductions or none, and three kinds of solvers."""

FORMS = [
    {"reduce": False},
    {"solver": "CLARABEL"},
    {"solver": "ECOS"},
    {"reduce": False, "solver": "CLARABEL"},
    {"reduce": False, "solver": "ECOS"},
]
