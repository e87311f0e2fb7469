"""Print the table "What it withstands": ``python -m tests.attacks``, or with a share as argument.

The counts are those of `make nightly`, which takes its seed from the clock; here it is fixed unless
LEXIPROG_ATTACK_SEED names one. ``python -m tests.attacks 0.1`` tries a tenth as many.
"""

import sys
import tempfile
import warnings
from pathlib import Path

from tests.attacks import clocks, files, forgeries, fronts, models, test_names, test_workers


def tallies(share):
    """One tally for each kind of attack."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield files.attack_digits(folder, int(3000 * share))
        yield files.attack_malformed(folder, int(3000 * share))
        yield files.attack_points(folder, int(600 * share))
        yield forgeries.attack(folder, int(3000 * share))
        yield fronts.attack(folder, int(3000 * share))
        yield models.attack(folder, int(3000 * share))
    yield test_workers.attack_replies(int(600 * share))
    yield test_workers.attack_words(int(60 * share))
    yield test_names.attack(int(60 * share))
    yield clocks.attack_limits(int(60 * share))
    yield clocks.attack_interrupts(int(100 * share))


def main(share):
    """Print the table row by row; the exit code tells whether anything got through."""
    through = 0
    print("| attack | tried | got through |\n|---|---|---|")  # noqa: T201
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tally in tallies(share):
            through += len(tally.through)
            print(f"| {tally.name} | {tally.tried:,} | {len(tally.through)} |", flush=True)  # noqa: T201
            for what in tally.through[:3]:
                print(f"  {what}", file=sys.stderr, flush=True)  # noqa: T201
    return int(through > 0)


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
