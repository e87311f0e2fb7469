"""Models in files: LP, MPS and MathOptFormat, plain or compressed, read and written."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lexiprog.errors import DeclarationError
from lexiprog.files.linear_model import (
    Further,
    LinearModel,
    ModelError,
    model_of,
    program_of,
)
from lexiprog.files.lp import lp_text, read_lp
from lexiprog.files.mof import mof_text, read_mof
from lexiprog.files.mps import mps_text, read_mps
from lexiprog.formulations.priorities import Tolerances
from lexiprog.program import Program
from lexiprog.results.files import replace_bytes

__all__ = ["read", "write"]

ModelReader = Callable[[Iterable[str], str], LinearModel]
ModelWriter = Callable[[LinearModel], Iterator[str]]
_FORMATS: dict[str, tuple[ModelReader, ModelWriter]] = {
    ".lp": (read_lp, lp_text),
    ".mps": (read_mps, mps_text),
    ".json": (read_mof, mof_text),
    ".mof": (read_mof, mof_text),
}


def read(
    path: str | os.PathLike[str],
    objectives: Further | None = None,
    *,
    atol: Tolerances | None = None,
    rtol: Tolerances | None = None,
) -> Program:
    """The hierarchy in a file: each priority is a level, and earlier levels are held.

    Use it for LP and MPS files with several objectives, as Gurobi and CPLEX write them, for
    MathOptFormat with a vector objective, and for files of one objective to which others come.

    Parameters
    ----------
    path : str or path-like
        ``.lp``, ``.mps``, ``.mof.json``; each may be compressed, with ``.gz`` behind it.
    objectives : callable, optional
        Further levels: a function that takes the columns, a mapping from names to CVXPY
        expressions, and returns objectives by name, as :func:`preemptive` does.
    atol, rtol : float, scalar cp.Parameter, or mapping from levels to these, optional
        In place of the file's. There an absolute tolerance up to 1e-6, Gurobi's default, is
        taken as none: levels are held exactly.

    Returns
    -------
    Program
        One stage and subproblem a priority, named by its objective, or by several as "a + b".
        Columns are entries of one variable, rows of a few constraints, and keep their names:
        ``solution["flow"]``, ``solution.dual("demand")``, ``subproblem.variable("flow")``.

    Examples
    --------
    >>> import tempfile, pathlib, cvxpy as cp, lexiprog as lx
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan.lp"
    >>> _ = path.write_text('''Minimize multi-objectives
    ...   cost: Priority=2 Weight=1 AbsTol=0 RelTol=0
    ...    3 coal + wind
    ...   fumes: Priority=1 Weight=1 AbsTol=0 RelTol=0
    ...    coal
    ... Subject To
    ...   demand: coal + wind >= 8
    ... End
    ... ''')
    >>> result = lx.read(path).solve()
    >>> {name: solution.value for name, solution in result.items()}
    {'cost': 8.0, 'fumes': 0.0}
    >>> float(result.final["wind"])
    8.0
    """
    path = Path(path)
    reader, _ = _format_of(path)
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
            model = reader(lines, str(path))
    except (gzip.BadGzipFile, EOFError) as error:
        raise ModelError(f"{path} is no whole gzip file: {error}.") from error
    try:
        return program_of(model, objectives, atol=atol, rtol=rtol)
    except (ModelError, DeclarationError) as error:
        raise type(error)(f"{path}: {error}") from error


def write(program: Program, path: str | os.PathLike[str]) -> None:
    """Write the levels of a linear program (see :meth:`Program.write`)."""
    path = Path(path)
    _, writer = _format_of(path)
    text = "\n".join(writer(with_plain_names(model_of(program)))) + "\n"
    data = text.encode()
    replace_bytes(path, gzip.compress(data) if path.suffix.lower() == ".gz" else data)


def _format_of(path: Path) -> tuple[ModelReader, ModelWriter]:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise ModelError(
            f"{path}: the kind of a model is known from its name, which ends with .lp, .mps or "
            ".mof.json, perhaps with .gz behind it."
        )
    return _FORMATS[suffixes[-1]]


# Names that every reader of LP and MPS takes for names.

_NOT_PLAIN = re.compile(r"[\s+\-*^<>=:\\/]+")
_LIKE_NUMBERS = re.compile(r"[\d.\[\]]|[eE]\d|(?:inf|infinity|free|st|end|bounds?|bin|gen)$", re.I)


def with_plain_names(model: LinearModel) -> LinearModel:
    """The model with other names where a file's format would misread one."""
    taken: set[str] = set()
    objectives = _plain((one.name for one in model.objectives), taken)
    rows = _plain(model.rows, taken)
    return replace(
        model,
        columns=_plain(model.columns, set()),
        rows=rows,
        objectives=tuple(
            replace(one, name=name) for one, name in zip(model.objectives, objectives, strict=True)
        ),
        name=_NOT_PLAIN.sub("_", model.name),
    )


def _plain(names: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    out = []
    for name in names:
        plain = _NOT_PLAIN.sub("_", name)
        if _LIKE_NUMBERS.match(plain) or not plain:
            plain = f"_{plain}"
        while plain in taken:
            plain += "_"
        taken.add(plain)
        out.append(plain)
    return tuple(out)
