"""Pictures of results and trade-offs (needs matplotlib: ``pip install 'lexiprog[plot]'``).

Each function draws into ``ax`` if it is given one and returns the Axes.

Examples
--------
>>> import cvxpy as cp, lexiprog as lx
>>> from lexiprog import plots
>>> x = cp.Variable(name="x")
>>> result = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1]))).solve()
>>> plots.hierarchy(result).get_xlabel()
'milliseconds to compile (light) and solve (dark)'
"""

from lexiprog.plots.curves import frontier, sweep, tradeoff
from lexiprog.plots.results import hierarchy, prices

__all__ = ["frontier", "hierarchy", "prices", "sweep", "tradeoff"]
