"""Boosting without cost tuning: LexiBoost and its relatives as scikit-learn estimators."""

from importlib.metadata import version
from importlib.util import find_spec

# Asked once, here: a missing module deep inside an estimator would not name the extra.
if find_spec("sklearn") is None:
    raise ImportError("lexiprog_boost needs scikit-learn: pip install 'lexiprog[boost]'")

__all__: list[str] = []
__version__ = version("lexiprog")
