"""The layers of the engine and of boost: which package may import which.

A module imports its own package and earlier layers. Packages of one layer are siblings: neither
imports the other. CONTRIBUTING.md shows the same table to people; a test compares the two.
"""

from typing import NamedTuple


class Package(NamedTuple):
    """A folder, or modules that belong together."""

    name: str  # a folder, or patterns of modules, separated by spaces
    does: str
    entry: str  # where to start reading

    @property
    def patterns(self) -> list[str]:
        """What the paths of its modules look like."""
        return [f"{self.name}*"] if self.name.endswith("/") else self.name.split()


ENGINE = [
    [
        Package(
            "deadline errors progress status tolerances typing",
            "words that everyone uses: errors, statuses, types, deadlines, thresholds",
            "errors.py",
        ),
    ],
    [
        Package(
            "summary", "plain records of what was declared and found, and their text", "summary.py"
        ),
        Package(
            "canon/", "problems as bare numbers: standard form, cones, scaling", "standard_form.py"
        ),
    ],
    [
        Package("certify/", "what makes an answer an optimum", "certificate.py"),
        Package(
            "model/* fairness/objective",
            "what the user declares: subproblems, stages, references, locks",
            "model/subproblem.py",
        ),
    ],
    [
        Package(
            "backends/", "solvers by name; HiGHS and CLARABEL directly; remote solves", "solver.py"
        ),
    ],
    [
        Package("rational/", "linear programs in rational arithmetic", "prover.py"),
        Package(
            "parametric/basis_path parametric/curve_proof parametric/double_description "
            "parametric/fronts parametric/integer_programs parametric/integer_search "
            "parametric/path parametric/region_solver parametric/regions parametric/slices "
            "parametric/value_function",
            "curves and fronts of bare linear and integer programs",
            "parametric/path.py",
        ),
        Package(
            "fairness/audit fairness/integers fairness/levels fairness/master fairness/pricing "
            "fairness/records",
            "leximin of bare linear and integer programs",
            "fairness/levels.py",
        ),
    ],
    [
        Package(
            "compile/* cvxpy_adapter/*",
            "from a declared problem to a task; the one adapter to CVXPY",
            "compile/task.py",
        ),
    ],
    [
        Package("results/", "what was found, frozen: shown, saved, bound again", "solution.py"),
    ],
    [
        Package("sensitivity/", "derivatives of optima", "gradient.py"),
        Package("infeasibility/", "why a subproblem has no optimum", "diagnosis.py"),
        Package(
            "least_squares/",
            "hierarchies of least squares: one active set over all levels, and its check",
            "active_set.py",
        ),
    ],
    [
        Package(
            "solve/* fairness/* nonconvex/*",
            "stage by stage: strategies, faces, certificates of what was found",
            "solve/driver.py",
        ),
    ],
    [
        Package(
            "program compiled",
            "the whole hierarchy: checked, solved, or made a function of arrays",
            "program.py",
        ),
    ],
    [
        Package("formulations/", "common hierarchies, each one function", "priorities.py"),
    ],
    [
        Package(
            "parametric/* scenarios/*",
            "one program again and again: trade-offs, fronts, sweeps",
            "parametric/tradeoffs.py",
        ),
        Package("plots/", "pictures with matplotlib", "results.py"),
        Package("display/", "draws summaries as HTML", "diagram.py"),
        Package("contrib/", "bridges to other packages", "sortition.py"),
        Package("files/", "models from files and from other tools, and back", "linear_model.py"),
    ],
    [
        Package("__main__", "the command: a file in, levels out", "__main__.py"),
    ],
]

BOOST = [
    [
        Package(
            "aliases metrics", "names of types; scores in which a rare class counts", "metrics.py"
        ),
    ],
    [
        Package("checks/", "what a caller gives, checked", "points.py"),
        Package("datasets/", "real and synthetic data", "dataset.py"),
    ],
    [
        Package("members/", "what a member of an ensemble is", "outputs.py"),
    ],
    [
        Package("learners/", "base learners that heed sample weights", "weighted_neighbors.py"),
        Package("margins/", "by how much each member is right on each point", "matrix.py"),
    ],
    [
        Package("programs/", "the paper's programs, each a lexiprog.Program", "lexiboost.py"),
    ],
    [
        Package("reductions/", "smaller programs with the same optima", "class_mean_form.py"),
    ],
    [
        Package("blocks/", "margins that come in blocks, read pass by pass", "passes.py"),
        Package("pools/", "ways to train the base learners of an ensemble", "pool.py"),
    ],
    [
        Package("weights/", "from margins to the members' weights", "find.py"),
        Package("thresholds/", "ordered floors and aims for classes, and their promises", "fit.py"),
    ],
    [
        Package("classifiers/", "scikit-learn estimators, a file for each kind", "lexiboost.py"),
        Package("one_class/", "what is normal, learnt from normal points", "detector.py"),
    ],
    [
        Package("plots/", "pictures of ensembles", "tug.py"),
    ],
    [
        Package("experiments/", "the paper's experiments by one command", "__main__.py"),
    ],
]
