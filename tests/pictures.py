"""What tests of pictures share: no figure outlives its test, and matplotlib can be missing."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed_figures():
    """Close all figures; a conftest that imports this does so for the tests beside it."""
    yield
    plt.close("all")


def error_without_matplotlib(code):
    """Run code in a process where pyplot cannot be imported, and return its last words."""
    start = "import sys\nsys.modules['matplotlib.pyplot'] = None\n"
    done = subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]
