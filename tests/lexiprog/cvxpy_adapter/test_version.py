"""Versions of CVXPY that were tested are let in, others only if the user insists."""

import pytest

from lexiprog.cvxpy_adapter import CvxpyMismatch, check_version
from lexiprog.cvxpy_adapter.prepare import ANY_VERSION


@pytest.mark.parametrize("version", ["1.9.3", "1.9.9", "1.9.4.post1"])
def test_supported_versions_are_let_in(version):
    check_version(version)


@pytest.mark.parametrize("version", ["1.9.2", "1.8.0", "1.10.0", "1.10.0rc1", "2.0"])
def test_other_versions_are_refused_with_a_sentence_unless_the_user_insists(version, monkeypatch):
    monkeypatch.delenv(ANY_VERSION, raising=False)
    with pytest.raises(CvxpyMismatch, match=f"CVXPY {version} is installed.*{ANY_VERSION}=1"):
        check_version(version)
    monkeypatch.setenv(ANY_VERSION, "1")
    check_version(version)
