"""The program behind `make demo`: every chapter solves something, shows it and joins the report."""

import base64
import html
from dataclasses import dataclass
from pathlib import Path

import demo_compromise
import demo_lexiboost
from matplotlib.figure import Figure

OUTPUT = Path(__file__).parent.parent / "build" / "demo"

# A chapter is a module with TITLE, INTRODUCTION and show(), which prints as it goes and returns
# the text of its findings and its figure.
CHAPTERS = [demo_compromise, demo_lexiboost]

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>lexiprog demo</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; }}
pre {{ background: #f5f5f2; padding: 1rem; overflow-x: auto; font-size: .85rem; }}
img {{ width: 100%; }}
</style></head><body><h1>lexiprog demo</h1>
{chapters}
</body></html>
"""
SECTION = """<h2>{title}</h2><p>{introduction}</p>
<img alt="{title}" src="data:image/png;base64,{picture}"><pre>{findings}</pre>"""


@dataclass(frozen=True)
class Section:
    """What one chapter adds to the report."""

    title: str
    introduction: str
    findings: str
    picture: Path

    def to_html(self) -> str:
        """Embed the picture, so that the report is one file to pass on."""
        return SECTION.format(
            title=html.escape(self.title),
            introduction=html.escape(self.introduction),
            findings=html.escape(self.findings),
            picture=base64.b64encode(self.picture.read_bytes()).decode(),
        )


def save(figure: Figure, name: str) -> Path:
    """Write a figure where the report looks for it."""
    path = OUTPUT / f"{name}.png"
    figure.savefig(path, dpi=160)
    return path


def main() -> None:
    """Show every chapter and write the report."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    sections = []
    for chapter in CHAPTERS:
        print(f"\n{chapter.TITLE}\n{'=' * len(chapter.TITLE)}\n{chapter.INTRODUCTION}\n")
        findings, figure = chapter.show()
        picture = save(figure, chapter.__name__.removeprefix("demo_"))
        sections.append(Section(chapter.TITLE, chapter.INTRODUCTION, findings, picture))
    report = OUTPUT / "report.html"
    report.write_text(PAGE.format(chapters="\n".join(part.to_html() for part in sections)))
    print("\nWritten:")
    for path in [*(part.picture for part in sections), report]:
        print(f"  {path.relative_to(OUTPUT.parent.parent)}")


if __name__ == "__main__":
    main()
