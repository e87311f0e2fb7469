"""The program behind `make demo`: every chapter solves something, shows it and joins the report."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small data: threads would only wait for each other

import base64
import html
import platform
import time
from dataclasses import dataclass
from pathlib import Path

import cvxpy
import demo_compromise
import demo_lexiboost
import demo_polder
from matplotlib.figure import Figure

import lexiprog

OUTPUT = Path(__file__).parent.parent / "build" / "demo"

# A chapter is a module with TITLE, INTRODUCTION and show(), which prints as it goes and returns
# its outcome in a sentence, the text of its findings and its figure. The last one is what we
# recommend to those who want to predict.
CHAPTERS = [demo_compromise, demo_polder, demo_lexiboost]

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>lexiprog: what it does, in three examples</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root {{ color-scheme: light dark; --ink: #222; --page: #fff; --soft: #f5f5f2; --line: #d9d9d2; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e6e4de; --page: #1b1c1e; --soft: #26282b; --line: #44474c; }} }}
body {{ font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page);
       max-width: 62rem; margin: 2.5rem auto; padding: 0 1rem; }}
h2 {{ margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }}
pre {{ background: var(--soft); padding: 1rem; overflow-x: auto; font-size: .75rem; }}
img {{ width: 100%; background: #fff; border-radius: 4px; }}
figure {{ margin: 1rem auto; max-width: 22rem; }}
.outcome {{ font-weight: 600; }}
footer {{ margin-top: 3rem; font-size: .85rem; opacity: .75; }}
@media (prefers-color-scheme: dark) {{
  img {{ background: none; filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; }} }}
@media print {{ section {{ break-inside: avoid-page; }}
  pre {{ white-space: pre-wrap; overflow: visible; }} }}
</style></head><body><h1>lexiprog: what it does, in three examples</h1>
<figure><img alt="{seen}" src="data:image/svg+xml;base64,{lead}"></figure>
<p>Two plants deliver eight tonnes: the cheapest plans are a line, and the cleanest of them is one
point. That is what lexiprog does: it solves problems in order of importance, and none gives up
anything of those before it. Every optimum is checked against the problem's own data.</p>
<ol>{outcomes}</ol>
{chapters}
<footer>{made}</footer>
</body></html>
"""
LEAD = Path(__file__).parent.parent / "docs/pictures/first_then.svg"
SEEN = "All plans with at least eight tonnes; on them a line of cheapest plans, and its cleanest."
SECTION = """<section><h2 id="{name}">{title}</h2><p>{introduction}</p>
<p class="outcome">{outcome}</p>
<img alt="{title}" src="data:image/png;base64,{picture}">
<pre>{findings}</pre></section>"""


@dataclass(frozen=True)
class Section:
    """What one chapter adds to the report."""

    title: str
    introduction: str
    outcome: str
    findings: str
    picture: Path

    def to_html(self) -> str:
        """Embed the picture, so that the report is one file to pass on."""
        words = {
            "title": self.title, "introduction": self.introduction,
            "outcome": self.outcome[0].upper() + self.outcome[1:],
            "findings": self.findings, "name": self.picture.stem,
        }  # fmt: skip
        return SECTION.format(
            **{key: html.escape(text) for key, text in words.items()},
            picture=base64.b64encode(self.picture.read_bytes()).decode(),
        )


def page(sections: list[Section], seconds: float) -> str:
    """The report: a picture, what came out, then each chapter, then how it was made."""
    outcomes = "".join(
        f'<li><a href="#{part.picture.stem}">{html.escape(part.title)}</a>: '
        f"{html.escape(part.outcome)}</li>"
        for part in sections
    )
    made = (
        f"Made by <code>make demo</code> on {time.strftime('%Y-%m-%d')} in {seconds:.0f} s: "
        f"lexiprog {lexiprog.__version__}, CVXPY {cvxpy.__version__}, "
        f"Python {platform.python_version()}, {platform.system()}."
    )
    chapters = "\n".join(part.to_html() for part in sections)
    lead = base64.b64encode(LEAD.read_bytes()).decode()
    return PAGE.format(outcomes=outcomes, chapters=chapters, made=made, lead=lead, seen=SEEN)


def save(figure: Figure, name: str) -> Path:
    """Write a figure where the report looks for it."""
    path = OUTPUT / f"{name}.png"
    figure.savefig(path, dpi=160)
    return path


def main() -> None:
    """Show every chapter and write the report."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    sections, start = [], time.perf_counter()
    for chapter in CHAPTERS:
        print(f"\n{chapter.TITLE}\n{'=' * len(chapter.TITLE)}\n{chapter.INTRODUCTION}\n")
        outcome, findings, figure = chapter.show()
        print(f"\n{outcome}")
        picture = save(figure, chapter.__name__.removeprefix("demo_"))
        sections.append(Section(chapter.TITLE, chapter.INTRODUCTION, outcome, findings, picture))
    report = OUTPUT / "report.html"
    report.write_text(page(sections, time.perf_counter() - start))
    print("\nWritten:")
    for path in [*(part.picture for part in sections), report]:
        print(f"  {path.relative_to(OUTPUT.parent.parent)}")


if __name__ == "__main__":
    main()
