"""Loops of others over many linear programs, in a process of their own.

LEXIPROG_RIVALS names the Python that has them, by default this one. It runs this file, which reads
arrays from one file and writes its answers and its processor time to another.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["asked"]

PATIENCE = 120  # seconds


def asked(what: str, **arrays: Any) -> dict[str, np.ndarray]:
    """The answers of a rival; RuntimeError with what it says if it has none."""
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "given.npz"), Path(folder, "found.npz")
        np.savez(given, **arrays)
        command = [python, __file__, what, str(given), str(found)]
        try:
            told = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"over {PATIENCE} s") from None
        if told.returncode:
            raise RuntimeError((told.stderr.strip().splitlines() or ["no answer"])[-1][:80])
        with np.load(found) as answers:
            return dict(answers)


def manylp(given: Any) -> dict[str, Any]:
    """A batch of programs whose right-hand sides vary."""
    from manylp import BatchLPSolver, LexLP

    rows, columns = given["shape"]
    A = sp.csr_array((given["data"], given["indices"], given["indptr"]), shape=(rows, columns))
    sides = given["sides"]
    begun = time.process_time()
    program = LexLP(
        A, -given["cost"], np.zeros(columns), np.full(columns, np.inf), row_lb=sides[0],
        row_ub=np.full(rows, np.inf), param_rows=np.arange(rows),
    )  # fmt: skip
    solver = BatchLPSolver(n_workers=1)
    group = solver.register_group(program)
    found = solver.solve_batch(group, sides, np.full(sides.shape, np.inf))
    return {"cpu": time.process_time() - begun, "values": -np.ravel(found.objective)}


def fluxes(given: Any) -> dict[str, Any]:
    """Least and largest flux of reactions at the largest growth, and the model they are of."""
    import cobra
    from cobra.flux_analysis import flux_variability_analysis
    from cobra.util.array import create_stoichiometric_matrix

    cobra.Configuration().solver = "glpk"
    model = cobra.io.load_model("textbook")
    count = int(given["reactions"])
    names = [reaction.id for reaction in model.reactions][: count or None]
    begun = time.process_time()
    found = flux_variability_analysis(model, names, fraction_of_optimum=1.0, processes=1)
    return {
        "cpu": time.process_time() - begun,
        "least": found["minimum"].to_numpy(),
        "most": found["maximum"].to_numpy(),
        "S": create_stoichiometric_matrix(model),
        "bounds": np.array([reaction.bounds for reaction in model.reactions]).T,
        "growth": np.array([reaction.objective_coefficient for reaction in model.reactions]),
    }


if __name__ == "__main__":
    what, given, found = sys.argv[1:]
    with np.load(given) as arrays:
        np.savez(found, **{"manylp": manylp, "fluxes": fluxes}[what](arrays))
