"""Fitted members are weighed, calibrated and asked by blocks as they are in memory."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.blocks import Blocks, counted, cutting_planes, passes
from lexiprog_boost.classifiers.shared.calibration import calibrate, calibrate_by_blocks

da = pytest.importorskip("dask.array", reason="needs the extra lexiprog[dask]")
pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def points():
    return make_classification(
        900, 8, n_informative=5, n_classes=3, weights=[0.7, 0.2], flip_y=0.1, random_state=0
    )


@pytest.fixture(scope="module")
def members(points):
    X, y = points
    learners = [GaussianNB(), LogisticRegression(), RandomForestClassifier(8, random_state=0)]
    return [one.fit(X[:200], y[:200]) for one in learners]


def chunked(X, y, rows=150):
    return da.from_array(X, chunks=(rows, 4)), da.from_array(y, chunks=rows)


@pytest.mark.parametrize("margin", ["pairs", "proba", "vote"])
def test_a_model_of_blocks_is_that_of_the_whole(points, members, margin, monkeypatch):
    monkeypatch.setattr(cutting_planes, "NEAR", 200)
    monkeypatch.setattr(passes, "DRAWN", 100)
    monkeypatch.setattr(counted, "MOST", 100)
    X, y = points[0][200:], points[1][200:]
    model = LexiEnsembleClassifier(members, prefit=True, margin=margin)
    whole, blocks = model.fit(X, y), LexiEnsembleClassifier(members, prefit=True, margin=margin)
    blocks.fit(*chunked(X, y))
    assert blocks.deviation_ == pytest.approx(whole.deviation_, rel=1e-5)
    np.testing.assert_allclose(blocks.estimator_weights_, whole.estimator_weights_, atol=1e-3)
    said = blocks.predict_proba(chunked(X, y)[0])
    assert said.chunks == ((150, 150, 150, 150, 100), (3,))
    np.testing.assert_allclose(said.compute(), whole.predict_proba(X), atol=5e-3)
    told = blocks.predict(chunked(X, y)[0]).compute()
    assert np.mean(told == whole.predict(X)) > 0.99
    assert blocks.n_features_in_ == 8


def test_data_frames_and_weights_come_in_blocks_too(points):
    dd = pytest.importorskip("dask.dataframe")
    X, y = points
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    labels = pandas.Series(np.array(["a", "b", "c"])[y])
    weights = pandas.Series(np.random.default_rng(0).integers(1, 4, len(y)).astype(float))
    members = [one.fit(frame[:200], labels[:200]) for one in (GaussianNB(), LogisticRegression())]
    model = LexiEnsembleClassifier(members, prefit=True, class_costs="balanced")
    pieces = [dd.from_pandas(part[200:], npartitions=3) for part in (frame, labels, weights)]
    model.fit(pieces[0], pieces[1], sample_weight=pieces[2])
    whole = LexiEnsembleClassifier(members, prefit=True, class_costs="balanced")
    whole.fit(frame[200:], labels[200:], sample_weight=weights[200:])
    assert model.feature_names_in_.tolist() == list(frame)
    assert model.deviation_ == pytest.approx(whole.deviation_, rel=1e-5)
    told = model.predict(pieces[0]).compute()
    assert np.mean(told == whole.predict(frame[200:])) > 0.99
    again = model.reweigh(pieces[0], pieces[1])
    assert again.margins_from_ == "new points"


def test_members_are_not_trained_on_blocks(points):
    with pytest.raises(ValueError, match="fit the members first"):
        LexiEnsembleClassifier([GaussianNB()]).fit(*chunked(*points))


def test_points_with_other_features_are_refused(points, members):
    X, y = points
    model = LexiEnsembleClassifier(members, prefit=True).fit(X[200:], y[200:])
    with pytest.raises(ValueError, match="5 features"):
        model.predict(da.from_array(X[:, :5], chunks=100))


@pytest.mark.parametrize("seed", [0, 1])
def test_the_calibration_is_that_of_all_scores(seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, 600, p=[0.8, 0.15, 0.05])
    scores = rng.dirichlet(np.ones(3), 600) * 0.5 + 0.5 * np.eye(3)[y] * rng.random((600, 1))
    scores /= scores.sum(axis=1, keepdims=True)
    weights = rng.uniform(0.5, 2, 600)
    blocks = Blocks(lambda: [(scores[k::4], y[k::4], weights[k::4]) for k in range(4)])
    found = calibrate_by_blocks(blocks, np.arange(3), float(weights.mean()))
    whole = calibrate(scores, y, weights)
    np.testing.assert_allclose(found(scores), whole(scores), atol=2e-3)
    assert blocks.passes < 15


def test_a_slope_that_would_turn_the_classes_round_stays_at_its_limit():
    rng = np.random.default_rng(3)
    y = rng.choice(2, 400)
    scores = np.clip(0.5 + 0.3 * np.where(np.eye(2)[y] > 0, -1, 1) * rng.random((400, 1)), 0.01, 1)
    blocks = Blocks(lambda: [(scores, y, None)])
    found = calibrate_by_blocks(blocks, np.arange(2), 1.0)
    assert found.slope == pytest.approx(calibrate(scores, y, np.ones(400)).slope, abs=1e-3)
    assert 0 < found.slope < 0.01
