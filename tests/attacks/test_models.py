"""Files of models: what is no model is refused where it stands, and nothing is misread."""

import json

import pytest

import lexiprog as lx
from lexiprog.files.linear_model import ModelError
from tests.attacks import models


def test_changed_files_of_models_are_refused_or_read_as_what_they_say(tmp_path):
    models.attack(tmp_path, 150).check()


@pytest.mark.nightly
def test_thousands_of_changed_files_of_models(tmp_path):
    models.attack(tmp_path, 3000).check()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("plan.lp", "fumes: Priority=1", "<= :", "line 5"),
        ("plan.lp", "r3: wind = 3", "r3: wind = 1e400", "row 'r3' lies between inf and inf"),
        ("plan.lp", "demand: coal", "demand: 1e400 coal", "'demand', column 'coal': inf"),
        ("plan.lp", "Weight=-1", "Weight=nan", "objective 'fumes'"),
        ("plan.lp", "RelTol=0.1", "RelTol=-0.1", "objective 'cost'.*not negative"),
        ("plan.lp", "coal <= 40", "coal <= -4", "column 'coal' is not below 0 and not above -4"),
        ("plan.mps", " RHS c3 7", " RHS c3 7 c1 5", "line 19: the row has a right-hand side"),
        ("plan.mps", " RHS c3 7", " RHS c3 1e30", "row 'c3' lies between inf and inf"),
        ("plan.mps", "RNG c1 2.5", "RNG c1 2.5 c1 3", "line 21: the row has a range"),
        ("plan.mof.json", '"min"', '"minimise"', "the sense is min, max or feasibility"),
        ("plan.mof.json", '"output_index": 1', '"output_index": 0', "counted from 1, not 0"),
        ("plan.mof.json", '"output_index": 1', '"output_index": 9', "objective: expected"),
        ("plan.mof.json", '"name": "y"', '"name": "x"', "two variables are called 'x'"),
        ("plan.mof.json", "3.5", "1" + "0" * 400, "objective: expected another form"),
        ("plan.mof.json", "3.5", "1" + "0" * 9000, "is no model: .*digits"),
        ("plan.mof.json", "3.5", "[" * 10**6 + "]" * 10**6, "is no model: .*recursion"),
        ("plan.mof.json", "3.5", "NaN", "objective 'objective 2'"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_told_with_its_place(tmp_path, name, old, new, said):
    text = models.FILES[name]
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ModelError, match=f"(?s){name}.*{said}"):
        lx.read(path)


def test_ends_beyond_all_numbers_are_none_in_every_format(tmp_path):
    record = json.loads(models.MOF)
    record["constraints"][0]["set"]["lower"] = -1e30
    mof, mps = tmp_path / "plan.mof.json", tmp_path / "plan.mps"
    mof.write_text(json.dumps(record))
    mps.write_text(models.MPS.replace("c2 1\n    RHS", "c2 -1e30\n    RHS"))
    for path, rows in ((mof, 2), (mps, 3)):
        sides = lx.read(path).stages[0].subproblems[0].constraints
        assert sum(c.size for c in sides) == rows


def test_a_damaged_free_file_is_not_read_as_a_fixed_one(tmp_path):
    """Cut into the fields of a fixed line, 1234567890123 would be 123456789012."""
    lines = [
        "NAME          long", "ROWS", " N  cost", " G  low", "COLUMNS",
        "    x         cost            1.0   low             1.0",
        "RHS", "    RHS       low       1234567890123", "BOUNDS", " FR BND  a b c", "ENDATA",
    ]  # fmt: skip
    path = tmp_path / "long.mps"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ModelError, match="line 10"):
        lx.read(path)


def test_a_column_that_stands_nowhere_else_is_written_too(tmp_path):
    path, again = tmp_path / "plan.lp", tmp_path / "again.lp"
    path.write_text("min\n a: x\nst\n r: x + 0 y >= 1\nbounds\n 0 <= z\nend\n")
    program = lx.read(path)
    program.write(again)
    for one in (path, again):
        (subproblem,) = lx.read(one).subproblems.values()
        assert subproblem.variables[0].size == 3
