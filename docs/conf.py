"""Settings of the documentation, which `make docs` builds from this folder.

Sphinx rather than mkdocs: the API pages come from the same numpy-style docstrings whose examples
the tests run, references between pages are checked, and notebooks are shown as they were committed.
The theme is the one of numpy, pandas and scikit-learn, so its readers know their way. It brings all
its scripts, styles and icons along; nothing is loaded from elsewhere.
"""

import inspect
import re
from pathlib import Path

from docutils import nodes
from sphinx.search.en import SearchEnglish

import lexiprog

project = "lexiprog"
author = "The lexiprog developers"
copyright = author  # noqa: A001 - Sphinx's name for it
release = lexiprog.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]

# Notebooks are shown with the output they were committed with; the tests run them.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# The types of parameters are words; "name" is no reference to whatever has one.
suppress_warnings = ["ref.python"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say them in words
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # the class is the title of its page
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # with the "_" at the end of names
napoleon_use_rtype = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "lexiprog"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "lexiprog"},
    "header_links_before_dropdown": 5,
    "icon_links": [
        {
            "name": "Source",
            "url": "https://github.com/lexiprog/lexiprog",
            "icon": "fa-brands fa-github",
        }
    ],
    "navbar_end": ["versions", "theme-switcher", "navbar-icon-links"],
    "secondary_sidebar_items": ["page-toc"],
    "show_version_warning_banner": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
# Pages that stand alone have no list of neighbours at their side.
ALONE = ("index", "install", "gallery", "changelog", "names", "peers", "who-is-right", "series",
         "experiments", "what-we-found")  # fmt: skip
html_sidebars = {name: [] for name in ALONE}

# Members that are public inside the package only, and those that scikit-learn adds to every class.
INTERNAL = {"adopt", "from_record", "ladders", "memory", "summary", "record",
            "get_metadata_routing"}  # fmt: skip


def _left_out(app, what, name, obj, skip, options):  # noqa: ARG001 - Sphinx hands over all of these
    """Whether a member has no place in the documentation."""
    routed = name.startswith("set_") and name.endswith("_request")
    return True if skip or routed or name in INTERNAL else None


HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
TYPE = re.compile(r"^(\w+)(?:, \w+)* : (.+)$", re.MULTILINE)


def topics(page: str) -> dict[str, list[str]]:
    """The names that stand with each name under one heading of the API's page."""
    found = {}
    for part in page.split("\n## ")[1:]:
        module = re.search(r"currentmodule:: (\S+)", part)
        names = re.findall(r"^   (\w+)$", part, re.MULTILINE) if module else []
        for name in names:
            others = [f"{module[1]}.{other}" for other in names if other != name]
            found[f"{module[1]}.{name}"] = others
    return found


TOPICS = topics((Path(__file__).parent / "api.md").read_text())


def _with_defaults(section: str, obj: object) -> str:
    """A section of parameters whose types say what stands if nothing is given."""
    given = inspect.signature(obj).parameters

    def completed(found: re.Match) -> str:
        parameter = given.get(found[1])
        told = parameter is None or re.search(r"default|optional", found[2])
        if told or parameter.default in (parameter.empty, None):
            return found[0]
        return f"{found[0]}, default {getattr(parameter.default, '__name__', parameter.default)!r}"

    return TYPE.sub(completed, section)


def _arranged(app, what, name, obj, options, lines):  # noqa: ARG001 - Sphinx hands over all of these
    """The example first, then parameters with their defaults, then what is related."""
    # Of other packages' docstrings the words of a reference stay, but their pages are not here.
    first, *rest = HEADING.split(re.sub(r":ref:`([^`<]+) <[^`]+>`", r"\1", "\n".join(lines)))
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    if "Parameters" in sections and callable(obj):
        sections["Parameters"] = _with_defaults(sections["Parameters"], obj)
    if others := TOPICS.get(name):
        sections["See Also"] = "\n" + ", ".join(f":obj:`~{other}`" for other in others) + "\n"
    order = sorted(sections, key=lambda title: title != "Examples")
    text = [first, *(f"{title}\n{'-' * len(title)}{sections[title]}" for title in order)]
    lines[:] = "\n".join(part.rstrip("\n") + "\n" for part in text).split("\n")


class Search(SearchEnglish):
    """English, in which "Ctrl-C" is one word, found under its parts as well."""

    js_splitter_code = r"""
var splitQuery = (query) => query
  .split(/[^\p{Letter}\p{Number}_-]+/gu)
  .map((term) => term.replace(/^-+|-+$/g, ""))
  .filter((term) => term);
"""

    def split(self, input):  # noqa: A002 - Sphinx's name for it
        """All words of a text, and those with hyphens as wholes."""
        return [*super().split(input), *re.findall(r"\w+(?:-\w+)+", input)]


# Where one piece of a drawn table ends and the next begins; only the search sees a space there.
BORDER = re.compile(r"(?=</?(?:td|th|tr|div|p|li|dt|dd|summary|text)\b)")


def _cells_apart(app, doctree, name):  # noqa: ARG001 - Sphinx hands over all of these
    for node in doctree.findall(nodes.raw):
        if node.children and "html" in node.get("format", ""):
            text = BORDER.sub(" ", node.astext())
            node.rawsource, node[:] = text, [nodes.Text(text)]


def setup(app):
    """Tell Sphinx what to leave out, how to arrange the rest, and how to search."""
    app.connect("autodoc-skip-member", _left_out)
    app.connect("autodoc-process-docstring", _arranged, priority=400)  # before napoleon
    app.connect("doctree-resolved", _cells_apart)
    app.add_search_language(Search)
