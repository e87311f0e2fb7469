"""Settings that every test shares."""

import os
import re
import signal
from importlib.util import find_spec

import pytest
from hypothesis import settings

# `default` draws the same examples on every machine, so that a red build is red for everyone;
# `nightly` looks for new ones.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("nightly", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("LEXIPROG_PROFILE", "default"))

# What numba would compile for half a minute runs as plain Python, but for the nightly tests.
if os.environ.get("LEXIPROG_PROFILE") != "nightly":
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# Figures are drawn into files; no test may open a window.
os.environ["MPLBACKEND"] = "Agg"


def pytest_configure():
    # A shell that runs the tests in the background has them ignore Ctrl-C, which some press.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """ECOS has no wheel for Python 3.13: there, who asks for it by name is skipped."""
    try:
        return (yield)
    except LookupError as error:
        if find_spec("ecos") is None and re.match("solver 'ECOS.* is not installed", str(error)):
            pytest.skip("ecos is not installed")
        raise


def pytest_collection_modifyitems(items):
    """Start modules with slow tests first, so that no worker ends alone with one."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
