"""The command ``lexiprog``: solve the hierarchy in a file, level by level.

    python -m lexiprog model.lp [--solver HIGHS] [--time-limit 60] [--tolerance profit=0.01]
                                [--out result.json] [--html report.html]

Exit codes: 0 all levels are optimal, 1 some level has no certified optimum, 2 the command or the
file is not understood, 3 a limit left a level without a proof, 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path

from lexiprog.errors import Interrupted, LexiprogError, LexiprogWarning, StageError
from lexiprog.files import read
from lexiprog.program import Program
from lexiprog.results.files import replace_file
from lexiprog.results.result import Result
from lexiprog.status import Status

SOLVED, FAILED, MISUSED, UNPROVED, STOPPED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    r"""Run the command and return its exit code.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from lexiprog.__main__ import main
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "least.lp"
    >>> _ = path.write_text("min\n low: x\nst\n least: x >= 2\nend\n")
    >>> main([str(path), "--quiet", "--values"])
    x = 2
    0
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", LexiprogWarning)
        warnings.showwarning = _told  # type: ignore[assignment]
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        atol, rtol = _tolerances(options)
        program = read(options.file, atol=atol or None, rtol=rtol or None)
        _check_places(options)
    except (OSError, LexiprogError, ValueError) as error:
        return _say(f"lexiprog: {error}", MISUSED)
    if not options.quiet:
        _say(program.describe(), 0, error=True)
    shown = options.progress
    if shown is None:
        shown = not options.quiet and sys.stderr.isatty() and find_spec("tqdm") is not None
    try:
        result = program.solve(
            [name.strip() for name in options.solver.split(",")] if options.solver else None,
            time_limit=options.time_limit,
            progress=shown,
            verbose=options.verbose,
        )
    except StageError as error:
        return _finish(error.partial, options, FAILED, str(error))
    except Interrupted as error:
        return _finish(error.partial, options, STOPPED, str(error))
    except (LexiprogError, ValueError, ImportError) as error:
        return _say(f"lexiprog: {error}", MISUSED)
    proved = all(solution.status is Status.OPTIMAL for solution in result.values())
    return _finish(result, options, SOLVED if proved else UNPROVED, "", program)


def _check_places(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written before hours are spent."""
    for path in filter(None, (options.out, options.html)):
        if path.is_dir() or not path.parent.is_dir():
            raise ValueError(f"{path} cannot be written: it is a folder, or its own is missing.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "lexiprog",
        description="Solve the hierarchy of objectives in an LP, MPS or MathOptFormat file, level "
        "by level, with a certificate for each.",
        epilog="exit codes: 0 optimal, 1 no certified optimum, 2 file or command not understood, "
        "3 stopped before a proof, 130 interrupted",
    )
    add = parser.add_argument
    add("file", type=Path, help=".lp, .mps or .mof.json, perhaps with .gz behind it")
    add("--solver", metavar="NAMES", help="one, or several to be tried in order: HIGHS,CLARABEL")
    add("--time-limit", type=float, metavar="SECONDS", help="for all levels together")
    add(
        "--tolerance", action="append", default=[], metavar="LEVEL=SHARE",
        help="what later levels may give up of a level: a share of it, as 0.01 or 1%%",
    )  # fmt: skip
    add(
        "--allow", action="append", default=[], metavar="LEVEL=AMOUNT",
        help="the same as an amount in the level's own units",
    )  # fmt: skip
    add("--out", type=Path, metavar="JSON", help="write all levels: values, variables, duals")
    add("--html", type=Path, metavar="HTML", help="write a report to look at")
    add("--values", action="store_true", help="print the columns of the last level, not zero ones")
    add(
        "--progress", action=argparse.BooleanOptionalAction,
        help="show a bar (needs tqdm); by default in a terminal",
    )  # fmt: skip
    add("--quiet", action="store_true", help="print results alone")
    add("--verbose", action="store_true", help="let solvers print their logs")
    add("--version", action="version", version=f"lexiprog {import_module('lexiprog').__version__}")
    return parser


def _tolerances(options: argparse.Namespace) -> tuple[dict[str, float], dict[str, float]]:
    """What is given by level, absolute and relative."""
    both: list[dict[str, float]] = []
    for flag, given in (("--allow", options.allow), ("--tolerance", options.tolerance)):
        found = {}
        for text in given:
            name, sign, value = text.rpartition("=")
            factor = 0.01 if value.endswith("%") else 1.0
            try:
                found[name] = factor * float(value.rstrip("%"))
            except ValueError:
                sign = ""
            if not sign or not name or not 0.0 <= found[name] < inf:
                raise ValueError(f"{flag} takes LEVEL=NUMBER, at least 0, not {text!r}.")
        both.append(found)
    return both[0], both[1]


def _finish(
    result: Result,
    options: argparse.Namespace,
    code: int,
    said: str,
    program: Program | None = None,
) -> int:
    """Print and write what was found, and say why it is not all."""
    if len(result) and not options.quiet:
        _say(str(result), 0)
    if options.values and program is not None:
        for name, value in _values(result).items():
            _say(f"{name} = {value:.10g}", 0)
    try:
        if options.out is not None:
            result.save(options.out)
        if options.html is not None:
            replace_file(options.html, report(options.file.name, result, said))
    except OSError as error:
        return _say(f"lexiprog: {error}", MISUSED)
    return _say(f"lexiprog: {said}", code) if said else code


def _values(result: Result) -> dict[str, float]:
    """The columns of the last level that are not zero."""
    last = [*result.values()][-1]
    names = [name for names in last.entry_names.values() for name in names]
    return {name: value for name in names if (value := float(last[name])) != 0.0}


def report(title: str, result: Result, said: str = "") -> str:
    """A page with the diagram of all levels, a table of them and the columns of the last one.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> result = lx.preemptive({"low": cp.Minimize(x)}, [x >= 1]).solve()
    >>> "<title>plan</title>" in report("plan", result)
    True
    """
    parts = [f"<h1>{escape(title)}</h1>"]
    if said:
        parts.append(f"<p><strong>Not solved to the end.</strong> {escape(said)}</p>")
    if len(result):
        parts += [
            result._repr_html_() or "",
            "<h2>Levels</h2>",
            f"<pre>{escape(str(result))}</pre>",
        ]
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{value:.10g}</td></tr>"
            for name, value in _values(result).items()
        )
        if rows:
            parts.append(f"<h2>Columns that are not zero</h2><table>{rows}</table>")
    style = (
        "body{font-family:system-ui,sans-serif;max-width:60rem;padding:1rem 2rem}"
        "pre{overflow-x:auto}td{padding:.1rem 1rem .1rem 0}td+td{text-align:right;"
        "font-variant-numeric:tabular-nums}"
    )
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _told(message: Warning | str, *_: object) -> None:
    _say(f"lexiprog: {message}", 0, error=True)


def _say(text: str, code: int, *, error: bool = False) -> int:
    stream = sys.stderr if error or code else sys.stdout
    stream.write(f"{text}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
