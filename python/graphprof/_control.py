# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Turn graphprof on and off, wait for what was measured, ask what was lost and what works here."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import NamedTuple

from . import _library
from ._library import OK, TIMED_OUT, capi, check, sized, taken, text


class Losses(NamedTuple):
    """What could not be measured or shown: graphprof/control.h says what each means."""

    overrun: int
    not_queued: int
    unfinished: int
    incomplete: int
    beyond_limit: int
    not_instantiated: int
    not_mirrored: int
    not_launched: int
    invalidated: int
    regions_outside_graphs_failed: int
    dropped: int
    names_truncated: int
    host_spans: int
    evicted: int
    not_sampled: int  # on purpose: GRAPHPROF_BUDGET, GRAPHPROF_SAMPLE
    plain_kernels: int
    inside_kernels: int

    @property
    def any(self) -> bool:
        return any(self._replace(not_sampled=0))


class Support(NamedTuple):
    """What works in this process."""

    active: bool  # False with GRAPHPROF_ENABLED=0
    driver: bool  # the CUDA driver is there
    interposed: bool  # under `graphprof run`: graphs are seen
    nvtx: bool  # an NVTX tool listens
    sqlite: bool  # databases can be written
    library: str  # the path of libgraphprof.so


def start() -> None:
    """Records from the next launch on. This is the state at the program's start."""
    capi.start()


def stop() -> None:
    """Stops recording."""
    capi.stop()


def active() -> bool:
    return bool(capi.active())


def recording() -> bool:
    """Whether graphprof records: somebody listens, and it was not stopped."""
    return bool(capi.recording())


def set_recording_terms(budget: float = 0.0, sample_every: int = 0, parts: int = 0) -> None:
    """What recording may cost: `budget` 0.01 makes replays no more than 1 % longer. See docs/production.md."""
    check(capi.set_recording_terms(budget, sample_every, parts))


def flush(timeout: float = 10.0) -> bool:
    """Waits until what was launched has reached outputs and callbacks, for `timeout` seconds at most. Whether all did."""
    status = capi.flush(int(timeout * 1000))
    if status not in (OK, TIMED_OUT):
        check(status)
    return bool(status == OK)


def losses() -> Losses:
    found = sized(_library.Losses)
    check(capi.get_losses(byref(found)))
    return Losses(*(getattr(found, name) for name in Losses._fields))


def support() -> Support:
    found = sized(_library.Support)
    check(capi.get_support(byref(found)))
    return Support(bool(found.active), bool(found.driver), bool(found.interposed), bool(found.nvtx), bool(found.sqlite),
                   _library.loaded()[0])


def add_output(item: str) -> None:
    """Adds an output, as an item of GRAPHPROF_OUTPUT: "table", "trace.json", "run.db". ValueError if there is none of that name."""
    check(capi.add_output(text(item)))


def output_items() -> str:
    """The outputs that there are, as a part of a sentence."""
    found = c_void_p()
    check(capi.output_items(byref(found)))
    return taken(found)


def step() -> None:
    """Ends the current step of the process and begins the next. A profile's step() does this, too."""
    capi.step()


def current_step() -> int:
    """The number of the current step, from 0; -1 outside of steps."""
    return int(capi.current_step())


def mark(name: str) -> None:
    """A moment on the host's time line."""
    capi.mark(text(name))
