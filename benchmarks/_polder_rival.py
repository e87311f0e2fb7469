"""The polder of the gallery by rtc-tools, in a process of its own: it brings CasADi and Bonmin.

python _polder_rival.py < polder.json
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

MODEL = """
model Polder
  parameter Real area = {area};
  Real volume(min = 0.0, max = {area} * {deepest}, nominal = {area});
  Real level(min = 0.0, max = {deepest});
  input Real inflow(fixed = true);
  input Real sea(fixed = true);
  input Real pump(fixed = false, min = 0.0, max = {pump});
  input Real orifice(fixed = false, min = 0.0, max = {orifice});
  input Boolean downhill(fixed = false);
equation
  der(volume) = inflow - pump - orifice;
  volume = area * level;
end Polder;
"""


def problem(given: dict[str, Any], folder: Path) -> Any:
    """The same three goals, written for rtc-tools; its defaults are left as they are."""
    from rtctools.optimization.collocated_integrated_optimization_problem import (
        CollocatedIntegratedOptimizationProblem as Collocated,
    )
    from rtctools.optimization.csv_mixin import CSVMixin
    from rtctools.optimization.goal_programming_mixin import Goal, GoalProgrammingMixin, StateGoal
    from rtctools.optimization.modelica_mixin import ModelicaMixin

    class InRange(StateGoal):
        state = "level"
        target_min, target_max = given["range"]
        priority = 1

    class LittlePumping(Goal):
        function_nominal, priority, order = 100.0, 2, 1

        def function(self, problem: Any, ensemble_member: int) -> Any:  # noqa: ARG002
            return problem.integral("pump")

    class FewChanges(Goal):
        function_nominal, priority, order = 5.0, 3, 2

        def function(self, problem: Any, ensemble_member: int) -> Any:  # noqa: ARG002
            return problem.der("pump")

    class Polder(GoalProgrammingMixin, CSVMixin, ModelicaMixin, Collocated):
        csv_validate_timeseries = True
        seen: list[dict[str, Any]] = []  # noqa: RUF012

        def path_constraints(self, ensemble_member: int) -> Any:
            """Whether the orifice is open is a binary, with the big M of rtc-tools' example."""
            big = 2.0
            level, sea, flow = self.state("level"), self.state("sea"), self.state("orifice")
            uphill = 1 - self.state("downhill")
            head = (flow / given["opening"]) ** 2 / (2 * given["gravity"])
            return [
                *super().path_constraints(ensemble_member),
                (flow + uphill * given["bounds"]["orifice"], 0.0, given["bounds"]["orifice"]),
                (sea - level - uphill * big, -np.inf, 0.0),
                (sea - level + (1 - uphill) * big, 0.0, np.inf),
                (head + sea - level - big * uphill, -np.inf, 0.0),
            ]

        def goals(self) -> list[Any]:
            return [LittlePumping()]

        def path_goals(self) -> list[Any]:
            return [InRange(self), FewChanges()]

        def priority_completed(self, priority: int) -> None:
            super().priority_completed(priority)
            found = self.extract_results()
            kept = ("level", "pump", "orifice")
            self.seen.append({name: found[name].tolist() for name in kept})

        def solver_options(self) -> dict[str, Any]:
            options = super().solver_options()
            options[options["solver"]]["print_level"] = 0
            return options

    return Polder(model_folder=str(folder), input_folder=str(folder), output_folder=str(folder))


def write(given: dict[str, Any], folder: Path) -> None:
    """The model and the two files of numbers that rtc-tools reads."""
    (folder / "Polder.mo").write_text(MODEL.format(area=given["area"], **given["bounds"]))
    times = [datetime(2026, 1, 1) + timedelta(seconds=k * given["step"]) for k in
             range(len(given["sea"]))]  # fmt: skip
    rows = zip(times, given["inflow"], given["sea"], strict=True)
    lines = [f"{when},{inflow},{sea}" for when, inflow, sea in rows]
    (folder / "timeseries_import.csv").write_text("\n".join(["UTC,inflow,sea", *lines]) + "\n")
    first = given["first"]
    names = {"level": first["level"], "pump": first["pump"], "orifice": first["orifice"]}
    text = ",".join(names) + "\n" + ",".join(map(str, names.values())) + "\n"
    (folder / "initial_state.csv").write_text(text)


if __name__ == "__main__":
    data = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as name:
        write(data, Path(name))
        polder = problem(data, Path(name))
        start = time.process_time()
        done = bool(polder.optimize())
        cpu = time.process_time() - start
    record = {"done": done, "cpu": cpu, "levels": polder.seen, "version": version("rtc-tools")}
    print("\n" + json.dumps(record))
