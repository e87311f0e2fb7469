"""The figures that the paper prints in its tables on real data, to stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NINE = (
    "AdaBoost", "AdaMEC-Calib", "AdaBoost.NC", "LPAdaBoost", "LPUBoost", "LexiBoost",
    "Dual-LPAdaBoost", "Dual-LPUBoost", "Dual-LexiBoost",
)  # fmt: skip
SIX = ("AdaBoost", "AdaBoost.NC", "LPAdaBoost", "LexiBoost", "Dual-LPAdaBoost", "Dual-LexiBoost")
CONTROLS = ("LexiBoost", "Dual-LexiBoost")


@dataclass(frozen=True)
class Printed:
    """One block of a table of the paper.

    Attributes
    ----------
    ranks : mapping of contender -> float
        Average ranks.
    friedman : str
        Verdict, nothing where the paper does not test.
    signed_rank : mapping of control -> contender -> str
        H0 or H1, without a direction.
    win_tie_loss : mapping of control -> contender -> (int, int, int)
        Of the contender against the control.
    """

    ranks: Mapping[str, float]
    friedman: str = ""
    signed_rank: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    win_tie_loss: Mapping[str, Mapping[str, tuple[int, int, int]]] = field(default_factory=dict)


def printed(study: str, learner: str, metric: str) -> Printed | None:
    """What the paper prints for a study, None where it prints no figures.

    Examples
    --------
    >>> from lexiprog_boost.experiments.report.paper import printed
    >>> printed("keel-two-class", "kNN", "g_mean").ranks["Dual-LexiBoost"]
    2.2
    >>> printed("artificial", "kNN", "g_mean") is None
    True
    """
    return _BLOCKS.get((study, learner, metric))


# Study, base learner, metric; ranks; verdicts with LexiBoost and with Dual-LexiBoost as control.
# On KEEL's sets a verdict is a digit, 0 or 1 for H0 or H1; on images it is three, the contender's
# wins, ties and losses. The control itself has a dash. (ImageNet there, CIFAR-10's features here.)
_TABLES = """
keel-two-class   C4.5 auc    | 6.80 4.90 8.07 5.30 4.27 2.70 7.23 3.17 2.57 | 11111-100 | 11110010-
keel-two-class   C4.5 g_mean | 6.97 4.53 8.30 5.40 4.27 2.77 7.23 3.03 2.50 | 11111-100 | 11110010-
keel-two-class   kNN  auc    | 7.80 6.00 6.97 6.10 4.73 3.10 5.27 2.63 2.40 | 11111-100 | 11111010-
keel-two-class   kNN  g_mean | 7.87 5.67 6.83 6.37 4.53 2.93 5.77 2.83 2.20 | 11111-100 | 11111011-
keel-multi-class C4.5 auc    | 3.70 3.80 5.10 1.80 4.70 1.90 | 111-10 | 11101-
keel-multi-class C4.5 g_mean | 3.75 3.80 4.80 2.55 4.00 2.10 | 001-10 | 11101-
keel-multi-class kNN  auc    | 4.40 3.95 4.60 2.50 4.30 1.25 | 101-11 | 11111-
keel-multi-class kNN  g_mean | 4.10 4.25 4.75 2.70 3.60 1.60 | 111-01 | 11111-
hyperspectral    kNN  auc    | 3.40 4.60 5.50 2.40 4.10 1.00 | 020 011 011 - 020 110 | 011 002 002 011 011 -
hyperspectral    kNN  g_mean | 3.40 4.70 5.50 2.40 4.00 1.00 | 020 002 011 - 011 110 | 011 002 002 011 011 -
images           kNN  auc    | 3.67 3.00 5.67 2.67 5.00 1.00 | 030 030 021 - 021 120 | 003 012 003 012 003 -
images           kNN  g_mean | 4.33 3.00 5.00 3.00 4.67 1.00 | 021 030 021 - 012 300 | 003 003 003 003 003 -
"""  # noqa: E501 - a row of the paper is a row here


def _block(line: str) -> tuple[tuple[str, str, str], Printed]:
    head, *fields = line.split("|")
    study, learner, metric = head.split()
    ranks, *verdicts = (field.split() for field in fields)
    if study.startswith("keel"):
        verdicts = [list(digits) for (digits,) in verdicts]
    names = NINE if len(ranks) == len(NINE) else SIX
    numbers = {name: float(rank) for name, rank in zip(names, ranks, strict=True)}
    said = {
        control: {name: word for name, word in zip(names, row, strict=True) if word != "-"}
        for control, row in zip(CONTROLS, verdicts, strict=True)
    }
    if study.startswith("keel"):
        tests = {who: {name: f"H{word}" for name, word in row.items()} for who, row in said.items()}
        return (study, learner, metric), Printed(numbers, "H1", tests)
    counts = {who: {name: _count(word) for name, word in row.items()} for who, row in said.items()}
    return (study, learner, metric), Printed(numbers, win_tie_loss=counts)


def _count(word: str) -> tuple[int, int, int]:
    wins, ties, losses = map(int, word)
    return wins, ties, losses


_BLOCKS = dict(_block(line) for line in _TABLES.strip().splitlines())
