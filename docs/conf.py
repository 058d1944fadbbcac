"""The documentation's site: Sphinx with MyST and Furo. ``make docs`` builds it into build/site."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

# the reference is read from docstrings, for which nothing needs to be compiled
os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

project = "canasta-env"
author = "the canasta-env authors"
copyright = "the canasta-env authors, MIT licence"
release = version = version_of("canasta-env")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
root_doc = "index"
# README.md is the index of this folder where it is read as files; the site has its own
exclude_patterns = ["README.md"]
suppress_warnings = ["myst.xref_missing"]  # files beside the pages: tests/test_links.py looks after

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_mock_imports = ["torch"]  # the site is built without it
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"canasta-env {release}"
html_copy_source = False
html_show_sphinx = False
