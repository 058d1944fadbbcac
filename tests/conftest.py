"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.readings import Reading

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


@pytest.fixture(params=["engine", "reference"])
def reading(request: pytest.FixtureRequest) -> Reading:
    """Each of the two readings of rules.md; a test of a rule must hold in both."""
    return Reading(request.param)
