"""What tests of several packages need."""

import pytest
from sklearn.neighbors import NearestNeighbors


@pytest.fixture
def searches(monkeypatch):
    """Count the searches for neighbours, and let them happen: a list of their sizes."""
    counted = []
    original = NearestNeighbors.kneighbors

    def counting(self, X=None, *rest, **keywords):
        counted.append(len(X))
        return original(self, X, *rest, **keywords)

    monkeypatch.setattr(NearestNeighbors, "kneighbors", counting)
    return counted
