"""The documents as a site, by `make docs`. Pages are the Markdown files of the repository as they are and by the
same paths, so that one link holds in a checkout, on a code host and here."""

import re
from pathlib import Path

project = "simtrain"
html_title = "simtrain"
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = ["README.md", "CHANGELOG.md", "docs/**.md", "*/README.md", "hardware/*/README.md"]
exclude_patterns = ["build"]
myst_heading_anchors = 6
nitpicky = True
smartquotes = False  # --option stays as it is typed
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False

CONTENTS = {"docs/README", "docs/adr/README"}  # lists of links, which the sidebar repeats


def sidebar(app, name, source):
    """Pages that a list of links names, section by section, as what Sphinx calls a toctree."""
    if name not in CONTENTS:
        return
    for section in re.split(r"^##? ", source[0], flags=re.M):
        pages = re.findall(r"\]\(([^()#:]+)\.md\)", section)
        if pages:
            caption = section.split("\n", 1)[0]
            source[0] += "\n".join(["\n\n```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```\n"])


def front(app, error):
    Path(app.outdir, "index.html").write_text(
        f'<!doctype html><title>{project}</title><meta http-equiv="refresh" content="0; url={root_doc}.html">\n')


def setup(app):
    app.connect("source-read", sidebar)
    app.connect("build-finished", front)
