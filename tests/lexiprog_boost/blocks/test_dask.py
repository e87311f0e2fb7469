"""Two worker processes of Dask: the same weights and models as here, and cells that are resumed."""

import contextlib
import io

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost import LexiEnsembleClassifier, lexicographic_weights
from lexiprog_boost.blocks import counted, cutting_planes
from lexiprog_boost.experiments import __main__ as command
from lexiprog_boost.experiments.__main__ import workers_at
from lexiprog_boost.experiments.measure import Store, run_missing, store_of
from lexiprog_boost.experiments.studies import study
from tests.cluster import NOISE, two_workers
from tests.lexiprog_boost.written_out import lexi_programs as independent

da = pytest.importorskip("dask.array", reason="needs the extra lexiprog[dask]")
pytestmark = [pytest.mark.slow, *NOISE]


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("target", [1.0, 0.5])
def test_weights_of_votes_are_those_of_memory_bit_for_bit(target):
    votes, y = independent.margins(4, points=4000, members=5, kind="votes")
    margins = da.from_array(votes.astype(np.int8), chunks=(700, 5))
    found = lexicographic_weights(margins, da.from_array(y, chunks=500), margin_target=target)
    whole = lexicographic_weights([(votes.astype(np.int8), y)], margin_target=target)
    assert found.alpha.tolist() == whole.alpha.tolist()
    assert found.chi == whole.chi
    optima = [independent.class_optimum(votes, y, j, theta=target) for j in range(3)]
    np.testing.assert_allclose(found.class_optima, optima, atol=1e-9)


@pytest.mark.usefixtures("client")
def test_probabilities_take_passes_and_members_are_weighed_there(monkeypatch):
    monkeypatch.setattr(counted, "MOST", 1000)
    monkeypatch.setattr(cutting_planes, "NEAR", 1000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = (X[:, 0] + rng.normal(size=len(X)) > 1.6).astype(int)
    members = [one.fit(X[:500], y[:500]) for one in (GaussianNB(), LogisticRegression())]
    model = LexiEnsembleClassifier(members, prefit=True)
    model.fit(da.from_array(X, chunks=(1800, 3)), da.from_array(y, chunks=1800))
    assert model.reduction_ == "passes"
    whole = LexiEnsembleClassifier(members, prefit=True).fit(X, y)
    assert model.deviation_ == pytest.approx(whole.deviation_, rel=1e-5)
    said = model.predict_proba(da.from_array(X[:2000], chunks=(500, 3))).compute()
    np.testing.assert_allclose(said, whole.predict_proba(X[:2000]), atol=2e-3)


def test_cells_are_measured_there_and_only_what_is_missing(client, tmp_path):
    quick = study("artificial", quick=True)
    store = store_of(tmp_path, quick)
    address = client.scheduler_info()["address"]
    tasks = [cell.key for cell in quick.cells()]
    for key in tasks[2:]:  # as if an earlier run had been stopped before the last two
        store.put(key, {"runs": []})
    with workers_at(address):
        failures = command.measure_study(quick, tmp_path, progress=False)
    assert failures == {}
    assert set(store.finished()) == set(tasks)
    assert sum(bool(record["runs"]) for record in store.records()) == 2


def test_an_address_without_a_cluster_is_named():
    dask = pytest.importorskip("dask")

    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
    ):
        code = command.main(["artificial", "--quick", "--dask", "tcp://127.0.0.1:1"])
    assert code == 1
    assert "--dask tcp://127.0.0.1:1:" in said.getvalue()


def test_what_raises_there_is_kept_with_its_cause(client, tmp_path):
    store = Store(tmp_path / "cells.jsonl")
    with workers_at(client.scheduler_info()["address"]):
        failures = run_missing({"4": 4, "x": "x"}, half, store, progress=False)
    assert list(failures) == ["x"]
    assert [record["half"] for record in store.records() if "half" in record] == [2.0]


def half(number):
    """A cell."""
    return {"half": number / 2}
