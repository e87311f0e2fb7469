"""Special words explain themselves, variables are shown, and an incumbent looks like no proof."""

from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.certify.certificate import BASIS_WORDS, Certificate
from lexiprog.display.card import mark
from lexiprog.display.frame import GUIDE_PLACES, MEANING, array_summary, explained, variable_lines
from lexiprog.summary import SolvedSummary
from tests.lexiprog.display.test_diagram import Strict


def test_special_words_carry_their_meaning_and_the_rest_is_made_safe():
    text = explained("<b> (face lock), drift 0, value within [1, 2], drifting")
    assert text.startswith("&lt;b&gt; (<abbr title=")
    assert text.count("<abbr") == 3
    assert (
        Strict(f"<p>{text}</p>").text == "<b> (face lock), drift 0, value within [1, 2], drifting"
    )


@pytest.mark.parametrize("word", ["face lock", "drift", "value within", "incumbent", "within_gap"])
def test_each_of_the_words_is_explained(word):
    assert f">{word}</a></abbr>" in explained(word)


def test_every_explanation_leads_to_a_place_of_the_guide():
    guide = Path(__file__).parents[3] / "docs" / "guide"
    assert set(GUIDE_PLACES) == set(MEANING)
    for place in GUIDE_PLACES.values():
        page, _, anchor = place.partition("#")
        text = (guide / page).read_text()
        assert f'<a id="{anchor}"></a>' in text or f"\n## {anchor.capitalize()}\n" in text


def solved(status, *, certified=True):
    return SolvedSummary(1.0, status, "HIGHS", 0.1, certified, "")


def test_a_proof_an_incumbent_and_a_failure_have_three_signs():
    failed = solved("optimal", certified=False)
    signs = [mark(solved("optimal")), mark(solved("within_gap")), mark(failed)]
    assert [Strict(sign).text for sign in signs] == ["✓", "≈", "✗"]
    assert "not proved to be optimal" in signs[1]


def test_small_values_are_numbers_and_large_ones_are_folded():
    assert array_summary(np.array(2.0)) == "2"
    assert array_summary(np.array([1.0, 2.0])) == "[1., 2.]"
    large = array_summary(np.r_[np.zeros(20), 5.0])
    assert large == "21 numbers, 20 of them zero; least 0, mean 0.238095, largest 5"
    assert "details" not in Strict(variable_lines({"x": np.ones(3)})).tags
    assert "details" in Strict(variable_lines({"x": np.ones(30)})).tags
    many = Strict(variable_lines({f"x{k}": np.ones(1) for k in range(35)})).text
    assert "x3 [1.] 31 further variables x4 [1.]" in many
    assert many.endswith("and 1 more variable")


def test_a_result_shows_the_variables_of_every_problem():
    x, y = cp.Variable(2, name="x"), cp.Variable(40, name="y")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x >= [1, 2]])
    wide = lx.Subproblem("wide", cp.Minimize(cp.sum(y)), [y >= 3])
    page = Strict(lx.Program(lx.Stage("both", low, wide)).solve()._repr_html_())
    assert "x [1., 2.]" in page.text
    assert "1 variable y 40 numbers; least 3, mean 3, largest 3" in page.text


def test_what_a_certificate_says_is_explained_whatever_it_says():
    said = set()
    for basis in BASIS_WORDS:
        for gap in (0.0, 1e-3, 1.0, float("nan")):
            found = Certificate(basis=basis, gap=gap, gap_tolerance=1e-2, interval=(1.0, 2.0))
            text = explained(str(found))
            assert text.startswith('<abbr title="'), text
            assert ("value within</a></abbr> [1, 2]" in text) == (found.passed and basis != "exact")
            said |= {word for word in MEANING if f">{word}</a></abbr>" in text}
    near = {f"{word} for data within" for word in ("optimal", "locally optimal", "feasible")}
    assert said == near | {"value within", "optimal for your data", "not certified"}
