"""The rooms of both packages, in order: a module imports its own room and earlier ones only.

CONTRIBUTING.md shows the same table to people; a test compares the two.
"""

from typing import NamedTuple


class Room(NamedTuple):
    """A folder, or the files at the top that belong together."""

    name: str  # a folder, or the top's modules separated by spaces
    does: str
    entry: str  # where to start reading

    @property
    def patterns(self) -> list[str]:
        """What the paths of its modules look like."""
        return [f"{self.name}*"] if self.name.endswith("/") else self.name.split()


ENGINE = [
    Room(
        "aliases errors kinds notebook progress spelling status watch",
        "words that everyone uses",
        "errors.py",
    ),
    Room("outline/", "plain records of what was declared and found, and their text", "records.py"),
    Room("forms/", "problems as bare numbers: standard form, cones, faces", "standard_form.py"),
    Room("proof/", "what makes an answer an optimum", "certificate.py"),
    Room("declare/", "what the user says: subproblems, stages, references, locks", "subproblem.py"),
    Room("solvers/", "who is asked and in which ways; one warm HiGHS object", "solver.py"),
    Room("exact/", "linear programs in rational numbers", "prover.py"),
    Room("curves/", "what a little less of one objective buys of another", "parametric.py"),
    Room("fair/", "shares that are fair level by level", "levels.py"),
    Room("compile/", "from a declared problem to a task; the one door to CVXPY", "task.py"),
    Room("result/", "what was found, frozen: shown, saved, connected again", "solution.py"),
    Room("gradients/", "how optima follow a parameter", "gradient.py"),
    Room("runners/", "a task in, an answer out: native, face, warm, custom", "runner.py"),
    Room("solve/", "stage by stage: run, judge, record, explain failures", "hierarchy.py"),
    Room("program", "the whole hierarchy: checked and solved", "program.py"),
    Room("formulations/", "common hierarchies, each one function", "priorities.py"),
    Room("sweeps/", "one program again and again", "tolerances.py"),
    Room("plots/", "pictures with matplotlib", "stages.py"),
    Room("show/", "draws outlines as HTML", "html/diagram.py"),
    Room("contrib/", "bridges to packages whose work this is", "sortition.py"),
]

BOOST = [
    Room("aliases metrics", "names of types; scores in which a rare class counts", "metrics.py"),
    Room("checks/", "what a caller gives, checked", "values.py"),
    Room("datasets/", "real and made data", "dataset.py"),
    Room("members/", "what a member of an ensemble is", "outputs.py"),
    Room("learners/", "base learners that heed sample weights", "weighted_neighbors.py"),
    Room("margins/", "by how much each member is right on each point", "matrix.py"),
    Room("programs/", "the paper's programs, each a lexiprog.Program", "lexiboost.py"),
    Room("reductions/", "smaller programs with the same optima", "class_mean_form.py"),
    Room("blocks/", "margins that come in blocks, read pass by pass", "passes.py"),
    Room("weights/", "from margins to the members' weights", "find.py"),
    Room("pools/", "ways to train the members", "pool.py"),
    Room("classifiers/", "scikit-learn estimators, one file each", "lexiboost.py"),
    Room("one_class/", "what is normal, learnt from normal points", "detector.py"),
    Room("plots/", "pictures of ensembles", "tug.py"),
    Room("experiments/", "the paper's experiments by one command", "__main__.py"),
]
