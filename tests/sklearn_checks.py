"""scikit-learn's own checks as tests, with every supported version of it and of pytest."""

from typing import Any

import pytest
from sklearn.utils import estimator_checks


def parametrize_with_checks(estimators: list[Any], **options: Any) -> pytest.MarkDecorator:
    """Run one test for each estimator and check, as scikit-learn's function of this name does.

    Up to scikit-learn 1.7 that function hands pytest an iterator, which pytest 9 warns about.
    """
    mark = estimator_checks.parametrize_with_checks(estimators, **options)
    names, values = mark.args
    return pytest.mark.parametrize(names, list(values), **mark.kwargs)
