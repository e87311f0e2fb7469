"""Programs and results as HTML: structure, escaping, summaries, failures."""

import dataclasses
import pickle
import re
from html.parser import HTMLParser

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.display.diagram import program_html
from lexiprog.summary import ProblemSummary, ProgramSummary, Read, StageSummary


class Strict(HTMLParser):
    """Collect elements and text; complain about tags that don't match."""

    VOID = ("line", "circle", "path")

    def __init__(self, text):
        super().__init__()
        self.open, self.classes, self.words, self.tags = [], [], [], set()
        self.glued = False  # whether text goes on where an explained word begins or ends
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.glued = tag in ("abbr", "a")
        self.classes += (dict(attributes).get("class") or "").split()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.glued = tag in ("abbr", "a")

    def handle_data(self, data):
        if self.glued and self.words:
            self.words[-1] += data
        elif self.open[-1:] != ["style"]:
            self.words.append(data)
        self.glued = False

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def count(self, name):
        return self.classes.count(name)


def html(thing):
    return Strict(thing._repr_html_())


@pytest.fixture(scope="module")
def compromise():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    worst = cp.Variable(name="worst")
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), demand)
    clean = lx.Subproblem("<b>clean</b>", cp.Minimize(x[0] + 4 * x[1]), demand)
    regrets = [
        3 * x[0] + x[1] <= cheap.optimum + worst,
        x[0] + 4 * x[1] <= clean.optimum + worst,
    ]
    fair = lx.Subproblem("fair", cp.Minimize(worst), demand + regrets)
    return lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair))


@pytest.fixture(scope="module")
def result(compromise):
    return compromise.solve()


def test_program_shows_stages_problems_and_what_they_are(compromise):
    page = html(compromise)
    for text in ("1. ideal", "2. compromise", "cheap", "fair", "minimise 3 * x[0] + x[1]", "LP",
                 "3 variables, 4 constraints", "HIGHS", "reads cheap.optimum"):  # fmt: skip
        assert text in page.text
    assert page.count("lx-card") == 3


def test_every_reference_is_an_arrow_in_the_colour_of_what_it_reads(compromise):
    text = compromise._repr_html_()
    assert text.count("<path") == 2  # heads
    assert text.count("<circle") == 2  # starts
    for track in (0, 1):
        assert f'<path class="lx-track{track}"' in text
        assert f'class="lx-chip lx-track{track}"' in text


def test_names_are_texts_not_markup(compromise, result):
    for thing in (compromise, result, result["<b>clean</b>"]):
        page = html(thing)
        assert "b" not in page.tags
        assert "<b>clean</b>" in page.text


def test_displays_load_nothing_and_link_to_the_guide_only(compromise, result):
    guide = re.compile(
        r'<a href="https://github\.com/lexiprog/lexiprog/blob/main/docs/guide/[^"]+" '
    )
    for thing in (compromise, result, result["fair"]):
        text = guide.sub("", thing._repr_html_())
        assert "<script" not in text
        assert not re.search(r"https?://|url\(|\son\w+=", text)


def test_result_shows_optimum_solver_time_and_a_green_mark(result):
    page = html(result)
    assert page.count("lx-card") == page.count("lx-good") == 3
    assert page.count("lx-bad") == 0
    sentence = ("optimal for data within ", " of yours, value within ")
    for text in ("optimum 8", "optimum 4.57143", "HIGHS, ", *sentence, "minimise worst"):
        assert text in page.text


def test_a_failed_certificate_is_red_and_says_why(result):
    bad = dataclasses.replace(result["cheap"], certificate=lx.Certificate(gap=1e-3))
    page = html(lx.Result(result.stages, {"cheap": bad}))
    assert page.count("lx-failed") == 1
    assert "✗" in page.text
    assert "not certified: gap 1.0e-03" in page.text
    assert page.text.count("not solved") == 2
    assert "✗" in html(bad).text


def test_an_empty_result_shows_what_is_missing(result):
    page = html(lx.Result(result.stages, {}))
    assert page.count("lx-open") == 3
    assert page.text.count("not solved") == 3
    assert html(lx.Result({}, {})).count("lx-card") == 0


def test_a_partial_result_of_a_failure_is_shown(compromise):
    x = cp.Variable(name="x")
    low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    none = lx.Subproblem("none", cp.Minimize(x), [x <= low.optimum - 1, x >= 1])
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("a", low), lx.Stage("b", none)).solve()
    page = html(caught.value.partial)
    assert page.count("lx-good") == 1
    assert "none not solved minimise x" in page.text


def test_saved_and_pickled_results_keep_their_diagram(result, tmp_path, compromise):
    again = pickle.loads(pickle.dumps(result))
    assert again._repr_html_() == result._repr_html_()
    result.save(tmp_path / "result.json")
    loaded = html(lx.Result.load(tmp_path / "result.json"))
    assert "reads cheap.optimum" in loaded.text  # the arrows, if not the objectives
    assert loaded.count("lx-good") == 3
    adopted = lx.Result.load(tmp_path / "result.json", program=compromise)
    assert "minimise worst" in html(adopted).text


def test_locks_show_kind_tolerance_drift_and_a_price_that_is_known():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    limits = [3 * x + y <= 18, x + y <= 8, x + 2 * y <= 14]
    objectives = {"output": cp.Maximize(x + y), "waste": cp.Minimize(x)}
    program = lx.preemptive(objectives, limits, atol={"output": 0.5})
    assert "holds output within 0.5" in html(program).text
    result = program.solve()
    assert "holds output within 0.5 (value lock), drift 0.5" in html(result).text
    assert "price" not in html(result).text  # prices cost a solve: showing must not
    assert result["waste"].price("output") == pytest.approx(2)
    assert "drift 0.5, price 2" in html(result).text
    assert "drift 0.5, price 2" in html(result["waste"]).text


def test_fifty_problems_in_a_stage_are_summarised():
    z = cp.Variable(50, name="z")
    many = [lx.Subproblem(f"part {k}", cp.Minimize(z[k]), [z >= k]) for k in range(50)]
    limits = [z[k] <= p.optimum + 1 for k, p in enumerate(many)]
    last = lx.Subproblem("all", cp.Maximize(cp.sum(z)), limits)
    program = lx.Program(lx.Stage("parts", *many), lx.Stage("whole", last))
    page = html(program)
    assert page.count("lx-card") == 7
    assert "45 more: part 5, part 6, …, part 49" in page.text
    assert "and 47 more" in page.text
    assert len(program._repr_html_()) < 25_000
    page = html(program.solve())
    assert "optima from 5 to 49" in page.text


def test_a_hundred_stages_are_summarised():
    stages = [
        StageSummary(str(k), (ProblemSummary(str(k), reads=(Read(str(k - 1), "optimum"),)),))
        for k in range(100)
    ]
    text = program_html(ProgramSummary(tuple(stages)))
    assert Strict(text).count("lx-card") == 4
    assert "97 further stages: 2, 3, …, 98" in text
    assert "and 77 more" in Strict(text).text


def test_what_is_folded_can_be_unfolded_with_its_optima():
    x = cp.Variable(20, nonneg=True, name="x")
    levels = {f"level {k}": cp.Minimize(x[k]) for k in range(20)}
    page = html(lx.preemptive(levels, [x[k] >= k for k in range(20)]).solve())
    assert page.count("lx-card") == 4
    assert "17 further stages: level 2, level 3, …, level 18" in page.text
    assert re.search(r"one by one level 2 ✓ 2 .*level 18 ✓ 18", page.text)
