"""MPS files by `lexiprog.read`: read, solved and compared with published optima.

    python benchmarks/files.py FOLDER [--quick] [--out DIR]

FOLDER holds the files of HiGHS's check/instances. Each is read by us and by HiGHS, every number of
the two models is compared, and its optimum with the published one.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _measuring import Report, arguments, seconds, table, timed
from netlib import PUBLISHED, matrix
from netlib import read as by_highs

import lexiprog as lx
from lexiprog.files.mps import read_mps

# The first has a constant of 7.113 in its objective, which Netlib's table leaves out.
ALL = PUBLISHED | {"e226": -18.751929066 + 7.113, "perold": -9380.7552782, "scrs8": 904.29695380}


def same_numbers(path: Path) -> bool:
    """Whether we and HiGHS read the same model."""
    lp = by_highs(path)
    with path.open() as lines:
        model = read_mps(lines, path.name)
    costs = np.zeros(lp.num_col_)
    goal = model.objectives[0]
    costs[list(goal.terms)] = list(goal.terms.values())
    pairs = [
        (model.lower, lp.col_lower_), (model.upper, lp.col_upper_), (costs, lp.col_cost_),
        (model.row_lower, lp.row_lower_), (model.row_upper, lp.row_upper_),
        (goal.constant, lp.offset_),
    ]  # fmt: skip
    names = list(model.columns) == lp.col_names_ and list(model.rows) == lp.row_names_
    return (
        names
        and all(np.array_equal(ours, theirs) for ours, theirs in pairs)
        and abs(matrix(lp) - model.matrix).sum() == 0
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("folder", type=Path, nargs="?")
    own, rest = parser.parse_known_args(argv)
    if own.folder is None:  # as in `make bench`
        print("No folder with MPS files was named, so there is nothing to measure.")
        return 0
    options = arguments(__doc__, rest)
    warnings.simplefilter("ignore")
    report = Report("files", "Netlib and MIPLIB files by lexiprog.read")
    lines, data, wrong = [], {}, 0
    for path in sorted(own.folder.glob("*.mps")):
        if options.quick and path.stat().st_size > 20_000:
            continue
        reading, program = timed(lambda path=path: lx.read(path))
        solving, result = timed(lambda program=program: program.solve(time_limit=120))
        known, value = ALL[path.stem], result.final.value
        off = abs(value - known) / abs(known)
        good = off <= 1e-8 and result.final.status == "optimal" and same_numbers(path)
        wrong += not good
        data[path.stem] = {"value": value, "published": known, "off": off, "same": good}
        lines.append([path.stem, f"{value:.10g}", f"{off:.0e}", "yes" if good else "NO",
                      seconds(reading.cpu), seconds(solving.cpu)])  # fmt: skip
        print(*lines[-1], flush=True)
    heads = ("file", "optimum", "off by", "as published and as HiGHS reads it", "read", "solve")
    report.section("Files", table(heads, lines), "files", data)
    report.write(options.out)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
