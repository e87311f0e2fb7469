"""Settings of the documentation, which `make docs` builds from this folder.

Sphinx rather than mkdocs: the API pages come from the same numpy-style docstrings whose examples
the tests run, references between pages are checked, and notebooks are shown as they were committed.
The theme is the one of numpy, pandas and scikit-learn, so its readers know their way. It brings all
its scripts, styles and icons along; nothing is loaded from elsewhere.
"""

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
napoleon_google_docstring = False
napoleon_use_ivar = True
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
    "header_links_before_dropdown": 6,
    "icon_links": [
        {
            "name": "Source",
            "url": "https://github.com/lexiprog/lexiprog",
            "icon": "fa-brands fa-github",
        }
    ],
    "secondary_sidebar_items": ["page-toc"],
    "show_version_warning_banner": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
html_sidebars = {"index": [], "install": [], "gallery": [], "changelog": [], "what-we-found": []}

# Members that are public inside the package only, and those that scikit-learn adds to every class.
INTERNAL = {"adopt", "from_record", "ladders", "memory", "summary", "record"}


def _left_out(app, what, name, obj, skip, options):  # noqa: ARG001 - Sphinx hands over all of these
    """Whether a member has no place in the documentation."""
    routed = name.startswith("set_") and name.endswith("_request")
    return True if skip or routed or name in INTERNAL else None


def setup(app):
    """Tell Sphinx what to leave out."""
    app.connect("autodoc-skip-member", _left_out)
