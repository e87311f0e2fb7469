"""The command `lexiprog`: tables, files, exit codes, and what it says of bad input."""

import json
import re
import subprocess
import sys
from random import Random

import pytest

import lexiprog as lx
from lexiprog.__main__ import main

PLAN = """Minimize multi-objectives
  cost: Priority=2 Weight=1 AbsTol=0 RelTol=0.1
   3 coal + wind + 2.5 gas
  fumes: Priority=1 Weight=1
   4 coal + gas
Subject To
 demand: coal + wind + gas >= 8
 grid: wind <= 4
Bounds
 gas <= 3
End
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.lp"
    path.write_text(PLAN)
    return path


def test_levels_are_printed_and_written(plan, tmp_path, capsys):
    out, page = tmp_path / "result.json", tmp_path / "report.html"
    code = main([str(plan), "--out", str(out), "--html", str(page), "--values", "--no-progress"])
    printed = capsys.readouterr()
    assert code == 0
    assert re.search(r"cost +cost +14.5 +optimal", printed.out)
    assert "gas = 3" in printed.out
    assert "minimise 3 coal + wind + 2.5 gas" in printed.err
    assert "holds cost within 10 %" in printed.err
    loaded = lx.Result.load(out)
    # 4 wind, 3 gas and 1 coal at 14.5; a tenth more buys nothing, as gas and wind are used up.
    assert loaded["fumes"].value == pytest.approx(7.0)
    assert float(loaded.final["coal"]) == pytest.approx(1.0)
    html = page.read_text()
    assert "<title>plan.lp</title>" in html
    assert "<td>gas</td><td>3</td>" in html
    assert html.count("<svg") >= 1


def test_tolerances_by_level_stand_in_for_those_of_the_file(plan, capsys):
    text = PLAN.replace("gas <= 3", "gas <= 30")
    plan.write_text(text)
    assert main([str(plan), "--quiet", "--values", "--tolerance", "cost=0"]) == 0
    assert capsys.readouterr().out.split("\n") == ["wind = 4", "gas = 4", ""]
    assert (
        main([str(plan), "--quiet", "--values", "--allow", "cost=1", "--tolerance", "cost=1%"]) == 0
    )
    assert "gas = 4" in capsys.readouterr().out


def test_bad_input_is_told_with_exit_code_two(plan, capsys):
    for arguments, said in [
        ([str(plan.with_name("none.lp"))], "No such file"),
        ([str(plan), "--tolerance", "cots=1"], "'cots', which is no level"),
        ([str(plan), "--tolerance", "cost"], "LEVEL=NUMBER"),
        ([str(plan), "--solver", "NOSUCH"], "'NOSUCH'"),
        ([str(plan), "--out", str(plan.parent / "below" / "x.json")], "folder"),
    ]:
        assert main(arguments) == 2
        assert said in capsys.readouterr().err
    plan.write_text(PLAN.replace("wind <= 4", "wind <="))
    assert main([str(plan)]) == 2
    assert "plan.lp, line 8: expected more behind" in capsys.readouterr().err


@pytest.mark.parametrize(
    "flags",
    [("--tolerance", "cost=nan"), ("--allow", "cost=-1"), ("--allow", "cost=1e400"),
     ("--out", "nowhere/x.json"), ("--html", ".")],
)  # fmt: skip
def test_what_cannot_end_well_is_told_before_anything_is_solved(plan, capsys, flags, monkeypatch):
    monkeypatch.setattr("lexiprog.program.Program.solve", None)
    assert main([str(plan), *flags]) == 2
    assert capsys.readouterr().err.startswith("lexiprog: ")


def test_an_infeasible_file_is_told_by_its_rows_with_exit_code_one(plan, tmp_path, capsys):
    plan.write_text(PLAN.replace(">= 8", ">= 8\n most: coal + wind + gas <= 7"))
    page = tmp_path / "report.html"
    assert main([str(plan), "--html", str(page)]) == 1
    said = capsys.readouterr().err
    assert "demand" in said
    assert "most" in said
    assert "Not solved to the end" in page.read_text()


def test_a_limit_without_a_proof_has_an_exit_code_of_its_own(plan, capsys):
    # A market split: its first points come at once, its proof not within hours.
    draw, columns, markets = Random(1), range(40), range(5)
    rows = []
    for k in markets:
        sizes = [draw.randint(0, 99) for _ in columns]
        total = " + ".join(f"{size} x{j}" for j, size in enumerate(sizes))
        rows.append(f" r{k}: {total} + over{k} - under{k} = {sum(sizes) // 2}")
    missed = " + ".join(f"over{k} + under{k}" for k in markets)
    names = " ".join(f"x{j}" for j in columns)
    text = "\n".join(["min", f" miss: {missed}", "st", *rows, "binary", f" {names}", "end", ""])
    plan.write_text(text)
    assert main([str(plan), "--time-limit", "0.5"]) == 3
    said = capsys.readouterr()
    assert "within_gap" in said.out
    assert "was stopped by a limit" in said.err


def test_the_module_runs_as_a_command(plan):
    done = subprocess.run(
        [sys.executable, "-m", "lexiprog", str(plan), "--quiet", "--values"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "coal = 1\nwind = 4\ngas = 3\n")
    assert done.stderr == ""


def test_what_is_written_is_json(plan, tmp_path):
    main([str(plan), "--quiet", "--out", str(tmp_path / "r.json")])
    assert "solutions" in json.loads((tmp_path / "r.json").read_text())
