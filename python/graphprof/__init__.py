# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""graphprof times regions of Python programs on the GPU, also inside CUDA graphs, in every replay.

    import graphprof

    graphprof.annotate(model)                    # a region around each module's forward
    with graphprof.region("decode {}", step):    # and around what you name
        model(x)

Start the program by `python -m graphprof program.py`: then the graphs that it replays are timed. docs/python.md
has the rest. Importing this imports neither torch, numpy nor pandas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._control import (Losses, Support, active, add_output, current_step, flush, losses, mark, output_items, recording,
                       set_recording_terms, start, step, stop, support)
from ._graphs import graph
from ._library import GraphprofError, LibraryError
from ._regions import region

if TYPE_CHECKING:
    __version__: str
    from . import testing
    from ._annotate import Annotation, annotate
    from ._bench import BenchResult, Comparison, Ratio, bench, bench_compare
    from ._profile import (Event, Events, FunctionEventAvg, HostEvent, KeyAverages, ProfilerAction, ProfilerActivity, Schedule, Trace,
                           profile, schedule)

# Imported when they are first used.
_LATER = {
    "_annotate": ("Annotation", "annotate"),
    "_bench": ("BenchResult", "Comparison", "Ratio", "bench", "bench_compare"),
    "_profile": ("Event", "Events", "FunctionEventAvg", "HostEvent", "KeyAverages", "ProfilerAction", "ProfilerActivity", "Schedule",
                 "Trace", "profile", "schedule"),
}


def __getattr__(name: str) -> Any:
    import importlib

    for module, names in _LATER.items():
        if name in names:
            loaded = importlib.import_module("." + module, __name__)
            for each in names:
                globals()[each] = getattr(loaded, each)
            return globals()[name]
    if name == "__version__":  # the library's, and so the package's: both are of one release
        from . import _library

        globals()[name] = _library.loaded()[1]
        return globals()[name]
    if name == "testing":
        return importlib.import_module(".testing", __name__)
    raise AttributeError(f"module 'graphprof' has no attribute '{name}'")


def load_ipython_extension(shell: Any) -> None:
    """%load_ext graphprof"""
    from .jupyter import load_ipython_extension as load

    load(shell)


__all__ = [
    "Annotation", "BenchResult", "Comparison", "Event", "Events", "FunctionEventAvg", "GraphprofError", "HostEvent", "KeyAverages",
    "LibraryError", "Losses", "ProfilerAction", "ProfilerActivity", "Ratio", "Schedule", "Support", "Trace", "__version__", "active",
    "add_output", "annotate", "bench", "bench_compare", "current_step", "flush", "graph", "losses", "mark", "output_items", "profile",
    "recording", "region", "schedule", "set_recording_terms", "start", "step", "stop", "support", "testing",
]


def __dir__() -> "list[str]":
    return sorted(set(globals()) | set(__all__))
