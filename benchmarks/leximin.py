"""Fair shares level by level: this library, a loop of linprog, cvxpy_leximin, and real panels."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from _filling import Links, flows, lexiprog, loop, water_filling
from _integer_shares import LIMIT, METHODS, Shares, matching, sharing
from _leximin_rivals import ask
from _measuring import Clock, Report, arguments, median, ratio, seconds, table, timed
from _panels import Missing, by_lexiprog, fixture

SIZES = {60: 7, 240: 5, 1_000: 3}  # utilities, and how often
SMALL = 30
RIGHT = 1e-9
AIMS = (
    "Aims: at most 5 times the processor time of the loop at 60, 240 and 1,000 utilities, and "
    "rates equal to water-filling to 1e-9; 100 times faster than cvxpy_leximin at 30; the panels "
    "in less time than the package's own leximin on Gurobi, with levels at least as high, none "
    "missed by more than 1e-9. Times are from arrays to rates, declaration and compile included; "
    "ratios are lexiprog's time over the other's, by the wall and in the processor (cpu). Whole "
    "things: leximin goes position by position where all is linear and HIGHS is asked, and by "
    "ordered sums where it must; both found the same, and so did all ways to share, where few."
)

Method = Callable[[Links], np.ndarray]


def compare(count: int, repeats: int, *, others: bool = False) -> dict[str, Any]:
    """One instance, methods in turn."""
    links = flows(count)
    wanted = water_filling(links)
    clocks: dict[str, list[Clock]] = {}
    entries: dict[str, Any] = {}

    def note(name: str, clock: Clock, rates: Any) -> None:
        clocks.setdefault(name, []).append(clock)
        entries[name] = {"error": float(np.max(np.abs(np.asarray(rates) - wanted)))}

    methods: dict[str, Method] = {"lexiprog": lexiprog, "linprog loop": loop}
    for _ in range(repeats):
        for name, method in methods.items():
            note(name, *timed(lambda method=method: method(links)))
    if others:
        try:
            note("cvxpy_leximin", *ask("cvxpy_leximin", str(count)))
        except Missing as missing:
            entries["cvxpy_leximin"] = {"status": str(missing)}
    own = median(clocks["lexiprog"])
    for name, spent in clocks.items():
        entries[name] |= {"median": median(spent), "ratio": ratio(own, median(spent))}
    return {"utilities": count, "levels": len(set(wanted)), "methods": entries}


def shown(records: list[dict[str, Any]]) -> str:
    head = ["utilities", "levels", "method", "time (cpu)", "lexiprog / it (cpu)", "error"]
    lines = []
    for record in records:
        where = [record["utilities"], record["levels"]]
        for name, entry in record["methods"].items():
            if "median" not in entry:
                lines.append([*where, name, entry["status"], "", ""])
            else:
                spent, quotient, error = entry["median"], entry["ratio"], entry["error"]
                times = f"{seconds(spent.wall)} ({seconds(spent.cpu)})"
                wrong = "" if error <= RIGHT else " WRONG"
                factor = f"{quotient.wall:.3f} ({quotient.cpu:.3f})"
                lines.append([*where, name, times, factor, f"{error:.0e}{wrong}"])
            where = ["", ""]
    return table(head, lines)


def indivisible(every: Sequence[Shares], repeats: int) -> tuple[str, list[dict[str, Any]]]:
    """Whole things: both ways in turn, and all ways to share them where those are few."""
    records = []
    for shares in every:
        wanted, clocks, found = shares.all_orders(), {}, {}
        for _ in range(repeats):
            for name, method in METHODS.items():
                if found.get(name, ()) is not None:  # else it was too slow already
                    clock, found[name] = timed(partial(method, shares))
                    clocks.setdefault(name, []).append(clock)
        answers = [order for order in (wanted, *found.values()) if order is not None]
        if any(order != answers[0] for order in answers):
            raise SystemExit(f"{shares.name}: {answers} are not the same")
        medians = {name: median(spent) for name, spent in clocks.items()}
        records.append({"shares": shares.name, "found": found, "medians": medians})
    lines = []
    for record in records:
        first, second = (record["medians"][name].cpu for name in METHODS)
        shown = [
            seconds(record["medians"][name].cpu) if record["found"][name] else f"over {LIMIT:.0f} s"
            for name in METHODS
        ]
        lines.append([record["shares"], *shown, f"{second / first:.1f}"])
    return table(
        ["shares", *(f"{name} (cpu)" for name in METHODS), "sums / positions"], lines
    ), records


def panels() -> tuple[str, Any]:
    """150 people, 22 seats: everyone's chance by lexiprog and by the package itself."""
    try:
        fixture()
    except Missing as missing:
        return f"not measured: {missing}.", {"status": str(missing)}
    clock, (chances, found) = timed(by_lexiprog)
    levels = Counter(chances.values())
    text = ", ".join(
        f"{Fraction(value).limit_denominator(500)} ({levels[value]})" for value in sorted(levels)
    )
    data: dict[str, Any] = {
        "lexiprog": clock, "levels": sorted(levels.items()), "gap": found.certificate.gap,
    }  # fmt: skip
    rows = [
        ["lexiprog", seconds(clock.wall), seconds(clock.cpu), "", f"{found.certificate.gap:.0e}"]
    ]
    try:
        other, theirs = ask("sortition")
        mine, its = np.sort(list(chances.values())), np.sort(list(theirs.values()))
        beyond = np.flatnonzero(np.abs(mine - its) > RIGHT)
        first = f"{mine[beyond[0]] - its[beyond[0]]:+.1e}" if beyond.size else "none"
        data |= {"its own": other, "theirs": its, "first difference": first}
        rows.append(["its own", seconds(other.wall), seconds(other.cpu), first, "none"])
    except Missing as missing:
        rows.append(["its own", str(missing), "", "", ""])
    head = ["method", "time", "cpu", "first difference, ours - theirs", "proof gap"]
    return f"{table(head, rows)}\n\nLevels (people): {text}.", data


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(__doc__ or "", argv)
    warnings.simplefilter("ignore")
    report = Report("leximin", "Fair shares, against those who look for them")
    sizes = {12: 1, 60: 1} if options.quick else SIZES
    lexiprog(flows(12))  # what is imported and compiled once
    records = [compare(count, repeats) for count, repeats in sizes.items()]
    report.section("Flows that share links", shown(records), "filling", records)
    small = [compare(6 if options.quick else SMALL, 3, others=True)]
    report.section("A few, with cvxpy_leximin", shown(small), "small", small)
    whole = [sharing(3, 8), matching(6)]
    if not options.quick:
        whole += [sharing(4, 12), sharing(5, 20), sharing(8, 24), matching(10), matching(16)]
    text, data = indivisible(whole, 1 if options.quick else 3)
    report.section("Whole things", text, "indivisible", data)
    if not options.quick:
        report.section("Panels of a citizens' assembly", *_named(panels()))
    report.section("Reading the tables", AIMS, "aims", AIMS)
    report.write(options.out)
    return 0


def _named(section: tuple[str, Any]) -> tuple[str, str, Any]:
    return section[0], "panels", section[1]


if __name__ == "__main__":
    sys.exit(main())
