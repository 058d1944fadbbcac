"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# a shared or busy machine makes any deadline for one example a flaky test; CI repeats the same
# examples every time
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests that take minutes too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    skip = pytest.mark.skip(reason="takes minutes; run with --long")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(skip)
