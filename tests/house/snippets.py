"""Run the code that a Markdown page shows, and compare what it prints with what the page says."""

import contextlib
import io
import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Durations and rounding errors differ from machine to machine.
UNSTEADY = re.compile(r"\d+(\.\d+)? ?(ms|s)\b|\d(\.\d+)?e-\d\d|0\.0e\+00")


def snippets(text: str) -> list[tuple[str, str | None]]:
    """Pair every python block with the text block that follows it directly, if one does."""
    blocks = list(FENCE.finditer(text))
    pairs = []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] == "python":
            follows = after and after[1] == "text" and not text[block.end() : after.start()].strip()
            pairs.append((block[2], after[2] if follows else None))
    return pairs


def steady(output: str) -> str:
    """Replace what no two machines agree on, and the padding around it."""
    return re.sub(r" +", " ", UNSTEADY.sub("~", output)).strip()


def run(text: str, *, name: str = "page", namespace: dict[str, object] | None = None) -> int:
    """Run the snippets in one namespace, compare what they print, and say how many ran."""
    namespace = {} if namespace is None else namespace
    pairs = snippets(text)
    for number, (code, expected) in enumerate(pairs, start=1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{name}, snippet {number}", "exec"), namespace)
        if expected is not None:
            assert steady(printed.getvalue()) == steady(expected)
    return len(pairs)
