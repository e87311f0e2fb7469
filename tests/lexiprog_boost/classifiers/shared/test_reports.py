"""A fitted LexiBoost model tells of its classes and members, below scikit-learn's diagram."""

import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiBoostClassifier
from lexiprog_boost.classifiers.shared.reports import SHOWN_CLASSES, SHOWN_MEMBERS, report_of
from lexiprog_boost.datasets import make_toy

TOY = make_toy()
LABELS = np.array(["<b>many", "rare & few"])[TOY.y]


class Balanced(HTMLParser):
    """Fails on a tag that is closed without having been opened, and remembers those left open."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def model():
    stump = DecisionTreeClassifier(max_depth=1)
    options = {"margin_target": 0.4, "class_offsets": True, "random_state": 0}
    return LexiBoostClassifier(stump, 20, **options).fit(TOY.X, LABELS)


def tags(html):
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    return parser.seen


def test_the_report_is_a_text_that_notebooks_show_as_tables(model):
    report = model.report()
    assert isinstance(report, str)
    assert repr(report) == report
    html = report._repr_html_()
    assert tags(html).count("table") == 3
    assert "script" not in tags(html)
    assert str(pickle.loads(pickle.dumps(report))) == report


def test_names_are_escaped(model):
    html = model.report()._repr_html_()
    assert "b" not in tags(html)
    assert "&lt;b&gt;many" in html
    assert "rare &amp; few" in html


def test_every_number_of_the_classes_and_the_heaviest_members_is_there(model):
    html = model.report()._repr_html_()
    cells = re.findall(r'<td class="lxb-number">([^<]*)</td>', html)
    columns = model.class_optima_, model.class_losses_, model.class_losses_ - model.class_optima_
    heavy = np.sort(model.estimator_weights_)[::-1][:SHOWN_MEMBERS]
    worth = np.sort(model.feature_importances_)[::-1]
    shown = [*np.column_stack(columns).ravel(), *heavy, *worth]
    np.testing.assert_allclose([float(cell) for cell in cells], shown, atol=5e-5)
    assert f"and {model.n_members_ - SHOWN_MEMBERS} more members" in html


def test_the_report_stands_below_the_diagram(model):
    with config_context(display="diagram"):
        unfitted = LexiBoostClassifier()
        assert "sk-estimator" in unfitted._repr_html_()
        assert "lxb" not in unfitted._repr_html_()
        for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
            assert 0 < html.index("sk-estimator") < html.index('class="lxb"')
        assert "sk-estimator" in make_pipeline(StandardScaler(), unfitted)._repr_html_()


def test_without_diagrams_there_is_only_text(model):
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_many_classes_are_summarised():
    class Many:
        classes_ = np.arange(100)
        class_optima_, class_losses_ = np.zeros(100), np.zeros(100)
        estimators_, estimator_weights_ = [DecisionTreeClassifier()], np.ones(1)
        n_members_, deviation_, stopped_, class_offsets = 1, 0.0, "done.", False
        margin, reduction_ = "vote", "none"

    html = report_of(Many()).html
    assert tags(html).count("tr") == SHOWN_CLASSES + 3
    assert f"and {100 - SHOWN_CLASSES} more classes" in html
