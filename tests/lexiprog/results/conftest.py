"""The page that proves certificates without lexiprog, as its readers run it."""

import importlib.util
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "check_certificates.py"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("check_certificates", PAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
