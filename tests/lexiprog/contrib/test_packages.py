"""What a bridge says when the package it leads to is missing."""

import subprocess
import sys

import pytest

from lexiprog.contrib import package


def test_a_missing_package_is_named_with_the_way_to_get_it():
    with pytest.raises(ImportError, match=r"needs no-such-thing.*lexiprog\[clients\]"):
        package("no_such_thing.inner", "no-such-thing")


def test_no_bridge_imports_its_package_before_it_is_used():
    code = (
        "import sys, pkgutil, importlib, lexiprog.contrib as c\n"
        "for m in pkgutil.iter_modules(c.__path__):\n"
        "    importlib.import_module(f'{c.__name__}.{m.name}')\n"
        "print(sorted({'abcvoting', 'cobra', 'pydvl', 'sortition_algorithms'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
