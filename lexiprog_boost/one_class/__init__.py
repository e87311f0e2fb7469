"""One class: what is normal, learnt from normal points alone.

- `hypotheses`: bumps and isolation trees, how normal a point looks to each
- `program`: the linear program over them, and its lexicographic form for groups of points
- `generation`: the few of many hypotheses that the program needs
- `detector`: the scikit-learn estimator
"""

from lexiprog_boost.one_class.detector import OneClassLexiBoost
from lexiprog_boost.one_class.program import one_class_program

__all__ = ["OneClassLexiBoost", "one_class_program"]
