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
        "deadline errors progress status tolerances typing",
        "words that everyone uses: errors, statuses, types, deadlines, thresholds",
        "errors.py",
    ),
    Room("summary", "plain records of what was declared and found, and their text", "summary.py"),
    Room("canon/", "problems as bare numbers: standard form, cones, scaling", "standard_form.py"),
    Room("certify/", "what makes an answer an optimum", "certificate.py"),
    Room(
        "model/* fairness/objective",
        "what the user declares: subproblems, stages, references, locks",
        "model/subproblem.py",
    ),
    Room("backends/", "solvers by name; HiGHS and CLARABEL directly; remote solves", "solver.py"),
    Room("rational/", "linear programs in rational arithmetic", "prover.py"),
    Room(
        "parametric/basis_path parametric/curve parametric/integer_fronts "
        "parametric/integer_programs parametric/linear_fronts parametric/outer_inner "
        "parametric/path",
        "curves and fronts of bare linear and integer programs",
        "parametric/path.py",
    ),
    Room(
        "fairness/audit fairness/integers fairness/levels fairness/master fairness/pricing "
        "fairness/records",
        "leximin of bare linear and integer programs",
        "fairness/levels.py",
    ),
    Room(
        "compile/* cvxpy_adapter/*",
        "from a declared problem to a task; the one adapter to CVXPY",
        "compile/task.py",
    ),
    Room("results/", "what was found, frozen: shown, saved, bound again", "solution.py"),
    Room("sensitivity/", "derivatives of optima", "gradient.py"),
    Room("infeasibility/", "why a subproblem has no optimum", "diagnosis.py"),
    Room(
        "solve/* fairness/*",
        "stage by stage: strategies, faces, certificates of what was found",
        "solve/driver.py",
    ),
    Room("program", "the whole hierarchy: checked and solved", "program.py"),
    Room("formulations/", "common hierarchies, each one function", "priorities.py"),
    Room(
        "parametric/* scenarios/*",
        "one program again and again: trade-offs, fronts, sweeps",
        "parametric/tradeoffs.py",
    ),
    Room("plots/", "pictures with matplotlib", "results.py"),
    Room("display/", "draws summaries as HTML", "diagram.py"),
    Room("contrib/", "bridges to other packages", "sortition.py"),
]

BOOST = [
    Room("aliases metrics", "names of types; scores in which a rare class counts", "metrics.py"),
    Room("checks/", "what a caller gives, checked", "points.py"),
    Room("datasets/", "real and synthetic data", "dataset.py"),
    Room("members/", "what a member of an ensemble is", "outputs.py"),
    Room("learners/", "base learners that heed sample weights", "weighted_neighbors.py"),
    Room("margins/", "by how much each member is right on each point", "matrix.py"),
    Room("programs/", "the paper's programs, each a lexiprog.Program", "lexiboost.py"),
    Room("reductions/", "smaller programs with the same optima", "class_mean_form.py"),
    Room("blocks/", "margins that come in blocks, read pass by pass", "passes.py"),
    Room("weights/", "from margins to the members' weights", "find.py"),
    Room("pools/", "ways to train the base learners of an ensemble", "pool.py"),
    Room("classifiers/", "scikit-learn estimators, one file each", "lexiboost.py"),
    Room("one_class/", "what is normal, learnt from normal points", "detector.py"),
    Room("plots/", "pictures of ensembles", "tug.py"),
    Room("experiments/", "the paper's experiments by one command", "__main__.py"),
]
