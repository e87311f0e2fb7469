"""Golden answers: what the library said of several hundred programs, and whether it still does.

    python benchmarks/golden.py write [--out FILE]
    python benchmarks/golden.py compare [--against FILE] [--loose]      (the default)

``compare`` solves everything again and names every case that differs. Compared are values, to 1e-9
of their size, statuses, solvers, kinds of locks, certificates, refusals with their conflicts, and
points and multipliers where they are unique. What is not unique, and how often solvers were tried,
may differ: that is reported as information, and is no failure. ``--loose`` also accepts values
within the certificate's tolerance. ``--only WORD`` takes the families whose names contain a word.
The exit code is 1 if something differs.

Only public names of the library are used here, so that the file outlives any rebuilding inside.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import builtins
import json
import math
import platform
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# The library beside this file, whichever is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))

import cvxpy as cp
import numpy as np

import lexiprog as lx

RECORDED = Path(__file__).parent / "results" / "golden.json"
PACKAGES = ("cvxpy", "highspy", "clarabel", "ecos", "scs", "osqp", "numpy", "scipy", "scikit-learn")
EQUAL = 1e-9  # of a value's size
SAME_POINT = 1e-5  # of a point's largest entry
UNIQUE = 1e-6  # a vertex and a central point of the optima that are as near are the only one
LONGEST = 16  # entries of one array, and
MOST = 12  # arrays of one case that are kept
CERTIFIED = 1e-6  # of a value that has no certificate of its own
CLASSES = (
    "equal to the last digit", f"within {EQUAL:.0e}", "within the certificate's tolerance",
    "beyond it",
)  # fmt: skip

Record = dict[str, Any]


class Book:
    """What became of every case; the families of ``_golden_cases`` write into it."""

    def __init__(self, *, find_unique: bool) -> None:
        self.find_unique = find_unique
        self.families: dict[str, dict[str, Record]] = {}
        self._cases: dict[str, Record] = {}

    def open(self, family: str) -> None:
        self._cases = self.families.setdefault(family, {})

    def note(
        self,
        case: str,
        *,
        same: Mapping[str, Any] | None = None,
        told: Mapping[str, Any] | None = None,
        values: Mapping[str, float] | None = None,
        points: Mapping[str, Any] | None = None,
        unique: Sequence[str] = (),
        size: float | None = None,
        tolerance: float = CERTIFIED,
    ) -> None:
        """One case: what must be the same, what is information, numbers, and arrays."""
        if case in self._cases:
            raise SystemExit(f"two cases are called {case!r}")
        record: Record = {"same": plain(same or {})}
        if told:
            record["told"] = plain(told)
        if values:
            record["values"] = {name: float(value) for name, value in values.items()}
            found = [abs(value) for value in record["values"].values() if math.isfinite(value)]
            record["size"] = float(size) if size is not None else 1.0 + max(found, default=0.0)
            record["tolerance"] = tolerance
        if points:
            record["points"] = {name: numbers(array) for name, array in points.items()}
            record["unique"] = [name for name in unique if name in record["points"]]
        self._cases[case] = record

    def program(
        self,
        case: str,
        program: lx.Program | Callable[[], lx.Program],
        solver: Any = None,
        *,
        unique: Sequence[str] = (),
        truth: Sequence[float] | None = None,
        **options: Any,
    ) -> Any:
        """Solve it, and note every subproblem or the refusal; the result, if there is one."""
        options.setdefault("workers", 1)
        extra: Record = {} if truth is None else {"truth": list(truth)}
        try:
            declared = program() if callable(program) else program
            result = declared.solve(solver, **options)
        except (lx.LexiprogError, cp.SolverError, ValueError, ArithmeticError) as error:
            self.refusal(case, error, **extra)
            return None
        central = self._central(declared, result, solver)
        for name, solution in result.items():
            alike = central.get(name)
            known = [*unique, *(() if alike is None else agreeing(solution, alike))]
            self.solution(f"{case} / {name}", solution, unique=known, **extra)
        return result

    def _central(self, program: lx.Program, result: Any, solver: Any) -> Mapping[str, Any]:
        """The same by an interior-point method, whose points are in the middle of all optima."""
        linear = all(
            s.solver == "HIGHS" and s.certificate.basis == "duals" for s in result.values()
        )
        if not self.find_unique or not linear or solver not in (None, "HIGHS"):
            return {}
        try:
            return program.solve("CLARABEL", workers=1)
        except lx.LexiprogError:
            return {}

    def solution(
        self, case: str, solution: lx.Solution, *, unique: Sequence[str] = (), **extra: Any
    ) -> None:
        certificate = solution.certificate
        same: Record = {
            "status": text(solution.status), "solver": solution.solver,
            "basis": certificate.basis, "passed": certificate.passed, "proved": certificate.proved,
        }  # fmt: skip
        if solution.locks:
            same["locks"] = [f"{lock.name}: {lock.kind}" for lock in solution.locks]
        told = {"attempts": list(solution.attempts)} if solution.attempts else {}
        if solution.exact is not None:
            same["exact"] = str(solution.exact)
        values = {"value": solution.value}
        if solution.levels:
            same["levels"] = [list(names) for _, names in solution.levels]
            values |= {f"level {k}": v for k, (v, _) in enumerate(solution.levels)}
        self.note(
            case, same=same | extra, told=told, values=values, points=arrays(solution),
            unique=unique, size=solution.size, tolerance=certificate.tolerance,
        )  # fmt: skip

    def refusal(self, case: str, error: BaseException, **extra: Any) -> None:
        same: Record = {"error": public(type(error))}
        told: Record = {"class": type(error).__name__}
        values, points = {}, {}
        if isinstance(error, lx.StageError):
            same |= {
                "status": text(error.status), "stage": error.stage, "subproblem": error.subproblem,
                "solver": error.solver, "solved before": list(error.partial),
            }  # fmt: skip
            told["attempts"] = [f"{one.solver}: {text(one.status)}" for one in error.attempts]
            if error.conflict:
                same["conflict"] = [str(part) for part in error.conflict]
                values = {
                    f"relax {part.text}": part.relaxation
                    for part in error.conflict
                    if part.relaxation is not None
                }
            same["direction"] = sorted(error.direction) if error.direction is not None else None
            points = {f"direction {k}": v for k, v in (error.direction or {}).items()}
            for name, solution in error.partial.items():
                self.solution(f"{case} / {name}", solution)
        self.note(f"{case} / refused", same=same | extra, told=told, values=values, points=points)

    def attempt(self, case: str, work: Callable[[], None]) -> None:
        """Do something that notes its own case, or note why it cannot be done."""
        try:
            work()
        except (lx.LexiprogError, cp.SolverError, ValueError, ArithmeticError) as error:
            self.refusal(case, error)


def text(status: Any) -> str:
    return str(getattr(status, "value", status))


def public(kind: type) -> str:
    """The nearest class that users can name."""
    names = (one.__name__ for one in kind.__mro__)
    return next(name for name in names if name in lx.__all__ or hasattr(builtins, name))


def arrays(solution: lx.Solution) -> dict[str, Any]:
    """Variables, multipliers, prices and the bound."""
    found: dict[str, Any] = dict(solution.variables)
    for k, dual in enumerate(solution.duals):
        if dual is not None and not isinstance(dual, list | tuple):
            found[f"dual {k}"] = dual
    for lock in solution.locks:
        price = solution.price(lock.name)
        if price is not None:
            found[f"price of {lock.name}"] = price
    if solution.bound is not None:
        found["bound"] = solution.bound
    return dict(list(found.items())[:MOST])


def agreeing(one: lx.Solution, other: lx.Solution) -> list[str]:
    """Names of the arrays that a vertex and a central point have alike."""
    first, second = arrays(one), arrays(other)
    return [
        name for name, array in first.items()
        if name in second
        and np.shape(array) == np.shape(second[name])
        and np.allclose(array, second[name], rtol=0, atol=UNIQUE * (1e-9 + np.max(np.abs(array))))
    ]  # fmt: skip


def plain(value: Any) -> Any:
    """Nothing but what JSON has."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | bool | int | float | None) else str(value)


def numbers(array: Any) -> list[float]:
    """The first entries of an array, as plain floats."""
    array = array.toarray() if hasattr(array, "toarray") else np.asarray(array)
    flat = np.ravel(array, order="F")[:LONGEST]
    if np.iscomplexobj(flat):
        flat = np.concatenate([flat.real, flat.imag])
    return [float(entry) for entry in flat]


# Comparing


class Comparison:
    def __init__(self, *, loose: bool) -> None:
        self.accepted = CLASSES[: 3 if loose else 2]
        self.classes: Counter[str] = Counter()
        self.differences: dict[str, list[str]] = {}
        self.information: dict[str, list[str]] = {}
        self.points: Counter[str] = Counter()

    def family(self, family: str, old: Mapping[str, Record], new: Mapping[str, Record]) -> None:
        for case in old.keys() | new.keys():
            where = f"{family}: {case}"
            if case not in new:
                self.differences[where] = ["is not there any more"]
            elif case not in old:
                self.differences[where] = ["is new"]
            else:
                self.case(where, old[case], new[case])

    def case(self, where: str, old: Record, new: Record) -> None:
        found = changed(old["same"], new["same"])
        before, after = old.get("values", {}), new.get("values", {})
        if old.get("tolerance") != new.get("tolerance"):
            found.append(f"tolerance: {old.get('tolerance')}, now {new.get('tolerance')}")
        found += [f"{name}: only in one of them" for name in sorted(before.keys() ^ after.keys())]
        for name in before.keys() & after.keys():
            kind = nearness(before[name], after[name], old["size"], old["tolerance"])
            self.classes[kind] += 1
            if kind not in self.accepted:
                apart = abs(before[name] - after[name]) / old["size"]
                found.append(
                    f"{name}: {before[name]!r} was recorded, now {after[name]!r} "
                    f"({apart:.1e} of its size, {kind})"
                )
        moved = self._points(old, new)
        found += [f"{name}, which is unique, moved by {by}" for name, by, only in moved if only]
        told = [f"{name} moved by {by}" for name, by, only in moved if not only]
        told += changed(old.get("told", {}), new.get("told", {}))
        if found:
            self.differences[where] = found
        if told:
            self.information[where] = told

    def _points(self, old: Record, new: Record) -> list[tuple[str, str, bool]]:
        before, after = old.get("points", {}), new.get("points", {})
        everything = [abs(entry) for array in before.values() for entry in array]
        largest = max((entry for entry in everything if math.isfinite(entry)), default=0.0)
        moved = []
        for name in sorted(before.keys() | after.keys()):
            one, other = before.get(name), after.get(name)
            unique = name in old.get("unique", ())
            if one is None or other is None or len(one) != len(other):
                moved.append((name, "appearing, vanishing or another shape", unique))
                continue
            if same(one, other):
                self.points["equal to the last digit"] += 1
                continue
            apart = np.abs(np.array(one) - np.array(other)).max()
            size = max(np.abs(one).max(), 1e-3 * largest)
            if apart <= SAME_POINT * size:
                self.points[f"within {SAME_POINT:.0e}"] += 1
            else:
                self.points["unique and moved" if unique else "not unique, moved"] += 1
                moved.append((name, f"{apart:.1e} beside {size:.1e}", unique))
        return moved

    def report(self, about: Mapping[str, Any]) -> int:
        for where, lines in sorted(self.information.items()):
            print(f"  (information) {where}: {'; '.join(lines)}")
        for where, lines in sorted(self.differences.items()):
            print(f"DIFFERS {where}")
            for line in lines:
                print(f"    {line}")
        ours = facts()
        other = {k: f"{about.get(k)} -> {v}" for k, v in ours.items() if about.get(k) != v}
        if other:
            print(f"Other versions than when it was written: {other}")
        print("Values: " + ", ".join(f"{self.classes[kind]} {kind}" for kind in CLASSES) + ".")
        print("Points: " + ", ".join(f"{n} {kind}" for kind, n in self.points.items()) + ".")
        print(
            f"{len(self.differences)} cases differ; {len(self.information)} have information "
            "above, which is no failure."
        )
        return 1 if self.differences else 0


def changed(old: Record, new: Record) -> list[str]:
    return [
        f"{name}: {old.get(name)} was recorded, now {new.get(name)}"
        for name in sorted(old.keys() | new.keys())
        if not same(old.get(name), new.get(name))
    ]


def same(one: Any, other: Any) -> bool:
    """Equality in which what is no number equals itself."""
    return json.dumps(one) == json.dumps(other)


def nearness(one: float, other: float, size: float, tolerance: float) -> str:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return CLASSES[0]
    apart = abs(one - other)
    if apart <= EQUAL * size:
        return CLASSES[1]
    return CLASSES[2] if apart <= tolerance * size else CLASSES[3]


# Files and the command


def facts() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def written(families: Mapping[str, Mapping[str, Record]]) -> str:
    """One case a line."""
    parts = []
    for family, cases in families.items():
        lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(r)}" for case, r in cases.items())
        parts.append(f"{json.dumps(family)}: {{\n{lines}\n}}")
    return f'{{"about": {json.dumps(facts())},\n"families": {{\n' + ",\n".join(parts) + "\n}}\n"


def solved(only: str, *, find_unique: bool) -> Book:
    from _golden_cases import FAMILIES

    print(f"The library in {Path(lx.__file__).parent}")
    book, begun = Book(find_unique=find_unique), time.process_time()
    for family, solve in FAMILIES.items():
        if only not in family:
            continue
        book.open(family)
        before = time.process_time()
        with np.errstate(all="ignore"):
            solve(book)
        spent = time.process_time() - before
        print(f"{family}: {len(book.families[family])} cases, {spent:.1f} s", flush=True)
    count = sum(map(len, book.families.values()))
    print(f"{count} cases in {time.process_time() - begun:.0f} s of processor time.", flush=True)
    return book


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("write", "compare"), default="compare")
    parser.add_argument("--out", type=Path, default=RECORDED, help="the file to write")
    parser.add_argument("--against", type=Path, default=RECORDED, help="the file to compare with")
    parser.add_argument("--only", default="", help="families whose names contain this")
    parser.add_argument("--loose", action="store_true", help="accept the certificate's tolerance")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    book = solved(options.only, find_unique=options.what == "write")
    if options.what == "write":
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(written(book.families), encoding="utf-8")
        print(f"Written: {options.out}")
        return 0
    recorded = json.loads(options.against.read_text(encoding="utf-8"))
    comparison = Comparison(loose=options.loose)
    for family in recorded["families"].keys() | book.families.keys():
        if options.only in family:
            old = recorded["families"].get(family, {})
            comparison.family(family, old, book.families.get(family, {}))
    return comparison.report(recorded["about"])


if __name__ == "__main__":
    sys.exit(main())
