"""What is known of mutants, kept in a file."""

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from _sample import Mutant


@dataclass(frozen=True)
class Case:
    """A mutant and the tests it is tried with.

    Attributes
    ----------
    mutant : Mutant
    tests : tuple of str
        In their order.
    seconds, most : float
        What these take on the unchanged code, and what they might have taken.
    digest : str
        What all tests that reach the mutant come down to.
    listed : bool
        Whether it is known to change nothing that can be seen: it is tried once, not again.
    """

    mutant: Mutant
    tests: tuple[str, ...]
    seconds: float
    most: float
    digest: str
    listed: bool = False


class Store:
    """What is known of each mutant: a line each, the last one counting."""

    def __init__(self, path: Path):
        self.path = path
        self.known = {}
        self.read()

    def read(self) -> None:
        """Learn what the file says."""
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            with contextlib.suppress(json.JSONDecodeError):  # a line that a kill cut short
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def verdict(self, case: Case) -> str | None:
        """What was found; None if nothing was, or if a survivor's tests are others or more now."""
        entry = self.known.get(case.mutant.key)
        if entry is None:
            return None
        same = entry["tests"] == case.digest and entry["most"] >= case.most
        known = same or case.listed or entry["verdict"] != "survived"
        return entry["verdict"] if known else None

    def put(self, case: Case, verdict: str, cpu: float, killer: str) -> None:
        """Keep a finding at once."""
        entry = {
            "key": case.mutant.key,
            "verdict": verdict,
            "killer": killer,
            "cpu": round(cpu, 1),
            "tests": case.digest,
            "most": case.most,
        }
        self.known[entry["key"]] = entry
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            # The line begins with a break, lest one that was cut short swallow it.
            file.write(f"\n{json.dumps(entry)}")
