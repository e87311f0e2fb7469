"""How attacks are drawn and counted: the same in the tests and in the documentation's table."""

import os
import random
from dataclasses import dataclass, field


def seed(environment):
    """A fixed seed by day, another each night; a failure names it, so that it can be had again."""
    given = environment.get("LEXIPROG_ATTACK_SEED")
    if given:
        return int(given)
    nightly = environment.get("LEXIPROG_PROFILE") == "nightly"
    return random.SystemRandom().randrange(2**32) if nightly else 31


SEED = seed(os.environ)


@dataclass
class Tally:
    """What became of attacks of one kind."""

    name: str
    tried: int = 0
    through: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.rng = random.Random(f"{SEED} {self.name}")

    def note(self, withstood, what):
        """Count one attack, and keep its description if it was successful."""
        self.tried += 1
        if not withstood:
            self.through.append(str(what))

    def check(self):
        """Fail with the descriptions of those that were successful, and the seed."""
        shown = "\n".join(self.through[:10])
        count = f"{len(self.through)} of {self.tried}"
        assert not self.through, f"{count} got through, LEXIPROG_ATTACK_SEED={SEED}:\n{shown}"
