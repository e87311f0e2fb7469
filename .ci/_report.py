"""What came of the mutants, for people: a table by package, the survivors, what is known."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from _sample import Mutant

EQUAL = "equivalent"
VERDICTS = ("killed", "timed out", EQUAL, "survived")
EQUIVALENT = Path(__file__).with_name("_equivalent.toml")
INTRODUCTION = """Small wrong changes, drawn by a fixed seed and spread over the modules, and how
many of them the tests noticed. A mutant is tried with the tests that run through its lines: those
of the file that mirrors its module and then the quickest, up to {seconds:.0f} s of processor time,
those marked slow left out. What they do not notice counts as a survivor. `make mutants` writes
this page. Below the table stand the survivors: first those that a test could still notice, then
those that change nothing which can be seen, with the reasons given in `.ci/_equivalent.toml`; the
share noticed is that of all others."""

# A mutant, its verdict, and whether any test runs through it.
Found = tuple[Mutant, str, bool]


def shown(mutant: Mutant) -> str:
    """A mutant as people look for it."""
    change = mutant.change
    return f"{mutant.path}:{change.line}: {change.before} -> {change.after}"


def reasons() -> dict[tuple[str, str, str], str]:
    """Why some survivors change nothing that can be seen, by module, line and change."""
    listed = tomllib.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    return {
        (path, " ".join(one["line"].split()), one["change"]): one["why"]
        for path, changes in listed.items()
        for one in changes
    }


def reason(mutant: Mutant, known: dict[tuple[str, str, str], str]) -> str | None:
    """What the list says of a mutant."""
    change = mutant.change
    line = " ".join(mutant.source.splitlines()[change.line - 1].split())
    return known.get((mutant.path, line, f"{change.before} -> {change.after}"))


def table(found: Sequence[Found]) -> str:
    """Counts by package, their sum, and every survivor; what nobody can see is no survivor."""
    named = judged(found)
    rows = []
    packages = sorted({package(mutant) for mutant, _ in named})
    for name in [*packages, "all"]:
        own = Counter(verdict for mutant, verdict in named if name in ("all", package(mutant)))
        share = noticed(own)
        counts = (own[one] for one in VERDICTS)
        rows.append([name, own.total(), *counts, "-" if share is None else f"{share:.0%}"])
    head = ["package", "mutants", *VERDICTS, "noticed"]
    widths = [max(len(str(row[k])) for row in [head, *rows]) for k in range(len(head))]
    lines = [
        "  ".join(str(cell).ljust(w) if k == 0 else str(cell).rjust(w)
                  for k, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in [head, *rows]
    ]  # fmt: skip
    return "\n".join([*lines, "", *survivors(found)]).rstrip()


def judged(found: Sequence[Found]) -> list[tuple[Mutant, str]]:
    """Mutants with their verdicts, survivors with a reason apart."""
    known = reasons()
    return [
        (mutant, EQUAL if verdict == "survived" and reason(mutant, known) else verdict)
        for mutant, verdict, _ in found
    ]


def noticed(counts: Mapping[str, int]) -> float | None:
    """The share of mutants that tests noticed among those that could be.

    Examples
    --------
    >>> noticed(Counter({"killed": 5, "timed out": 1, "equivalent": 4, "survived": 2}))
    0.75
    """
    seen = counts["killed"] + counts["timed out"]
    return seen / (seen + counts["survived"]) if seen + counts["survived"] else None


def survivors(found: Sequence[Found]) -> list[str]:
    """A line for each, those with a reason at the end."""
    known = reasons()
    alive = [one for one in found if one[1] == "survived"]
    alive.sort(key=lambda one: (one[0].path, one[0].change.line, shown(one[0])))
    plain, equivalent = [], []
    for mutant, _, reached in alive:
        why = reason(mutant, known)
        if why:
            equivalent.append(f"{shown(mutant)}\n    {why}")
        else:
            plain.append(shown(mutant) + ("" if reached else "  (no test runs it)"))
    return [*plain, *(["", "Nothing that can be seen changes:"] if equivalent else []), *equivalent]


def package(mutant: Mutant) -> str:
    """Where it lies, as the table of packages says it."""
    return "/".join(mutant.path.split("/")[:2])


def page(said: str, seconds: float) -> str:
    """What `--report` writes."""
    return f"# Mutants\n\n{INTRODUCTION.format(seconds=seconds)}\n\n```text\n{said}\n```\n"
