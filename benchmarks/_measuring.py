"""Clocks, machine facts, tables and result files that the benchmarks share."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("cvxpy", "highspy", "numpy", "scipy", "pulp", "gurobipy")


@dataclass(frozen=True)
class Clock:
    """What one call took: by the wall, and in the processor.

    Where nothing runs in parallel the processor's time is the fairer of the two on a machine
    that others use as well.
    """

    wall: float
    cpu: float


def timed(work: Callable[[], Any]) -> tuple[Clock, Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return Clock(time.perf_counter() - wall, time.process_time() - cpu), found


def median(clocks: Iterable[Clock]) -> Clock:
    clocks = list(clocks)
    return Clock(
        statistics.median(clock.wall for clock in clocks),
        statistics.median(clock.cpu for clock in clocks),
    )


def ratio(top: Clock, bottom: Clock) -> Clock:
    return Clock(top.wall / bottom.wall, top.cpu / bottom.cpu)


def machine() -> dict[str, Any]:
    """Facts without which the figures say little."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "system": platform.platform(terse=True),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "versions": versions,
        "date": time.strftime("%Y-%m-%d"),
    }


def load() -> float:
    """Processes that want a core, by the mean of the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def seconds(value: float) -> str:
    return f"{value * 1e3:.2f} ms" if value < 0.1 else f"{value:.2f} s"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Markdown that reads as plain text too."""
    cells = [list(map(str, head)), *(list(map(str, row)) for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


def arguments(
    purpose: str, argv: Sequence[str] | None, pieces: Sequence[str] = ()
) -> argparse.Namespace:
    """The options of a benchmark; ``pieces`` are the sections that may be run by themselves."""
    parser = argparse.ArgumentParser(description=purpose)
    if pieces:
        parser.add_argument(
            "--only", nargs="+", choices=pieces, default=list(pieces),
            help="measure these sections; the result file keeps the others",
        )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    parser.add_argument(
        "--out", type=Path, help="folder for the results (benchmarks/results; none with --quick)"
    )
    options = parser.parse_args(argv)
    if options.out is None and not options.quick:
        options.out = RESULTS
    return options


class Report:
    """Sections that are printed as they come and written at the end."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.facts = machine()
        self.loads = [load()]
        self.data: dict[str, Any] = {}
        self._lines = [f"# {title}"]
        print(self._lines[0], flush=True)

    def section(self, heading: str, text: str, key: str, data: Any) -> None:
        self.loads.append(load())
        self.data[key] = data
        self._lines += ["", f"## {heading}", "", text]
        print(f"\n{heading}\n{text}", flush=True)

    def foot(self) -> str:
        """Where and when, and on how free a machine."""
        loads = f"{min(self.loads):.1f} to {max(self.loads):.1f}"
        shown = ", ".join(f"{name} {number}" for name, number in self.facts["versions"].items())
        return (
            f"Measured on {self.facts['date']}: {self.facts['processor']}, {self.facts['cores']} "
            f"cores, {self.facts['system']}; {shown}. One thread for BLAS. Processes that wanted a "
            f"core meanwhile (load average): {loads}."
        )

    def write(self, folder: Path | None) -> None:
        print(f"\n{self.foot()}", flush=True)
        if folder is None:
            return
        record = {"machine": self.facts, "load": self.loads} | self.data
        self._save(folder, [*self._lines, "", self.foot(), ""], record)

    def _save(self, folder: Path, lines: Sequence[str], record: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.md").write_text("\n".join(lines), encoding="utf-8")
        (folder / f"{self.name}.json").write_text(
            json.dumps(record, indent=1, default=_plain) + "\n", encoding="utf-8"
        )


class PieceReport(Report):
    """A report that is measured section by section: each says when, the others are kept."""

    def __init__(self, name: str, title: str, folder: Path | None) -> None:
        super().__init__(name, title)
        self._title, self._folder = self._lines[0], folder
        path = None if folder is None else folder / f"{name}.json"
        self._record = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def section(self, heading: str, text: str, key: str, data: Any) -> None:
        super().section(heading, text, key, data)
        texts = self._record.get("texts", {}) | {
            key: ["", f"## {heading}", "", text, "", self.foot()]
        }
        self._record |= {"machine": self.facts, key: data, "texts": texts}
        self.loads = self.loads[-1:]
        if self._folder is not None:
            lines = [self._title, *(line for part in texts.values() for line in part), ""]
            self._save(self._folder, lines, self._record)


def _plain(thing: Any) -> Any:
    if isinstance(thing, Clock):
        return {key: round(value, 6) for key, value in asdict(thing).items()}
    return thing.tolist() if hasattr(thing, "tolist") else str(thing)
