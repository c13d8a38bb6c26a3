# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""pytest --graphprof[=FOLDER]: a recording of each test, as a Chrome trace and a table. An entry point of the package, in the group
pytest11: `graphprof = graphprof.pytest_plugin`. Start pytest by `python -m graphprof -m pytest --graphprof`, so that graphs are
timed."""

from __future__ import annotations

import os
import re
from typing import Any, Iterator

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("graphprof")
    group.addoption("--graphprof", nargs="?", const="graphprof", default=None, metavar="FOLDER",
                    help="write a trace and a table of each test's regions and graphs into FOLDER (default: graphprof)")


def file_name(node_id: str) -> str:
    """Of a test's id, without what a file's name cannot have; as long as it may be."""
    return re.sub(r"[^\w.\-\[\]]+", "-", node_id.replace("::", "."))[-200:].strip("-.")


def pytest_configure(config: Any) -> None:
    if config.getoption("--graphprof"):
        import graphprof

        try:
            on = graphprof.active()  # loads the library
        except graphprof.LibraryError as failure:
            raise pytest.UsageError(f"--graphprof: {failure}") from None
        if not on:
            raise pytest.UsageError("--graphprof: graphprof is off: GRAPHPROF_ENABLED=0")
        config.stash_graphprof = []


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]  # untyped in pytest before 7.4
def pytest_runtest_call(item: Any) -> Iterator[None]:
    folder = item.config.getoption("--graphprof")
    if not folder:
        yield
        return
    import graphprof

    with graphprof.profile() as prof:
        yield
    trace = prof.trace()
    if not trace.events() and not trace.host_events():
        return
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file_name(item.nodeid))
    try:
        trace.export_chrome_trace(path + ".json")
        with open(path + ".txt", "w", encoding="utf-8") as file:
            file.write(trace.key_averages().table(sort_by="cuda_time_total", row_limit=-1))
        item.config.stash_graphprof.append(path)
    except (OSError, graphprof.GraphprofError) as failure:
        item.warn(pytest.PytestWarning(f"--graphprof: {failure}"))


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    written = getattr(config, "stash_graphprof", None)
    if written is not None:
        terminalreporter.write_line(f"graphprof: recordings of {len(written)} tests in {config.getoption('--graphprof')}")
