# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
import gc
import json
import threading

import pytest

import graphprof


def in_region(driver, name):
    def work():
        with graphprof.region(name):
            driver.work()

    return driver.captured(work)


def test_a_schedule_is_pytorchs():
    steps = graphprof.schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [steps(step).name for step in range(6)] == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE"]
    with pytest.raises(ValueError, match="active >= 1"):
        graphprof.schedule(wait=0, warmup=0, active=0)


# Each cycle gives a trace, and what is outside is not recorded.
def test_each_cycle_gives_a_trace(driver):
    run = in_region(driver, "step")
    traces, threads = [], set()

    def ready(trace):
        traces.append(trace)
        threads.add(threading.get_ident())

    with graphprof.profile(schedule=graphprof.schedule(wait=1, warmup=1, active=1, repeat=2), on_trace_ready=ready) as prof:
        for step in range(8):
            assert prof.step_num == step
            driver.replay(run)
            prof.step()
    assert [(trace.cycle, trace.first_step, trace.last_step, trace.step_num) for trace in traces] == [(1, 2, 2, 3), (2, 5, 5, 6)]
    assert all([event.name for event in trace.events() if event.kind == "region"] == ["step"] for trace in traces)
    assert threading.get_ident() not in threads
    assert traces[1].get_trace_id() != traces[0].get_trace_id() and len(traces[0].get_trace_id()) == 32


# Any function of a step is a schedule, also one that returns PyTorch's actions.
def test_any_function_is_a_schedule(driver):
    class TorchsAction:
        def __init__(self, value):
            self.value = value

    run = in_region(driver, "step")
    with graphprof.profile(schedule=lambda step: TorchsAction(3 if step == 1 else 0)) as prof:
        for _ in range(3):
            driver.replay(run)
            prof.step()
    assert prof.key_averages().row("step").count == 1


# What a callback raises is shown, and does not end the program.
def test_what_a_callback_raises_is_shown(capsys):
    def ready(_):
        raise RuntimeError("mine")

    with graphprof.profile(on_trace_ready=ready):
        with graphprof.region("a"):
            pass
    assert "RuntimeError: mine" in capsys.readouterr().err


def test_averages_are_rows_with_a_table(driver):
    run = in_region(driver, "layer")
    with graphprof.profile() as prof:
        driver.replay(run, 4)
    averages = prof.key_averages()
    row = averages.row("layer")
    assert row.count == 3 and row.device_time_total == pytest.approx(3 * row.device_time)
    assert row.min <= row.median <= row.p95 <= row.max
    assert "layer" in averages.table(sort_by="cuda_time_total") and "Self CUDA time total" in str(averages)
    assert "Median" in averages.table(statistics=True) and "Median" not in averages.table()
    with pytest.raises(ValueError, match="beauty"):
        averages.table(sort_by="beauty")
    with pytest.raises(KeyError):
        averages.row("none")
    assert "<td style=\"text-align:left\">layer</td>" in averages._repr_html_()


def test_data_frames(driver):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (python3-pandas)")
    run = in_region(driver, "layer")
    with graphprof.profile() as prof:
        driver.replay(run, 4)
    frame = prof.key_averages().to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame[frame.key == "layer"]["count"].item() == 3
    events = prof.events().to_dataframe()
    assert list(events[events.name == "layer"].replay) == [0, 1, 2, 3]
    assert set(prof.host_events().to_dataframe().kind) >= {"launch"}
    # The simulated driver's work here is no kernel, so no busy time is known.
    assert events[["busy_ns", "gap_ns", "gap_cause"]].isna().all(axis=None) and (events.busy_replays == 0).all()
    assert set(events.ends) <= {"completion", "next_begin"}
    assert not frame.device_time_is_busy.any() and (frame.busy_time < 0).all() and (frame.busy_replays == 0).all()


def test_without_pandas_a_data_frame_says_so(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with graphprof.profile() as prof:
        pass
    with pytest.raises(graphprof.GraphprofError, match="pip install pandas"):
        prof.events().to_dataframe()


def test_exports(driver, tmp_path):
    run = in_region(driver, "layer")
    with graphprof.profile(execution_trace=True) as prof:
        driver.replay(run, 2)
        prof.add_metadata("model", 'a "name"')
        prof.add_metadata_json("layers", "[1, 2]")
        with pytest.raises(ValueError, match="not JSON"):
            prof.add_metadata_json("layers", "[1")
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    trace = json.loads(path.read_text())
    assert "layer" in {event.get("name") for event in trace["traceEvents"]}
    assert trace["model"] == 'a "name"' and trace["layers"] == [1, 2]
    prof.export_stacks(tmp_path / "stacks")
    assert (tmp_path / "stacks").read_text().startswith("layer ")
    with pytest.raises(graphprof.GraphprofError, match="No such file"):
        prof.export_chrome_trace(tmp_path / "none" / "trace.json")
    with pytest.raises(graphprof.GraphprofError, match="self_cuda_time_total"):
        prof.export_stacks(tmp_path / "stacks", metric="gpu")
    with pytest.raises(graphprof.GraphprofError, match="profile_memory"):
        prof.export_memory_timeline(tmp_path / "memory.json")
    with pytest.raises(graphprof.GraphprofError, match="graphprof html"):
        prof.export_memory_timeline(tmp_path / "memory.html")
    with pytest.raises(graphprof.GraphprofError, match=".json or .dot"):
        prof.export_execution_trace(tmp_path / "graphs.png")


def test_traces_and_averages_outlive_their_profile(driver):
    run = in_region(driver, "kept")
    prof = graphprof.profile()
    prof.start()
    driver.replay(run, 2)
    prof.stop()
    trace, averages = prof.trace(), prof.key_averages()
    del prof
    gc.collect()
    assert [event.name for event in trace.events() if event.kind == "region"] == ["kept"] * 2
    assert "kept" in averages.table()


# A profile whose last reference goes while its callback runs ends.
def test_a_profile_dropped_in_its_callback_ends():
    """In a process of its own: if it did not, the test would hang."""
    from conftest import run_python

    source = """
import threading, graphprof
in_callback, dropped = threading.Event(), threading.Event()
def ready(trace):
    in_callback.set()
    dropped.wait()
prof = graphprof.profile(on_trace_ready=ready, schedule=graphprof.schedule(wait=0, warmup=1, active=1))
prof.start()
for _ in range(2): prof.step()
in_callback.wait()
del prof
dropped.set()
print("ended")
"""
    assert run_python(source, GRAPHPROF_LIBRARY=graphprof.support().library).stdout == "ended\n"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="XPU"):
        graphprof.profile(activities=["XPU"])
    with pytest.raises(ValueError, match="empty"):
        graphprof.profile(activities=[])
    with pytest.raises(TypeError, match="schedule must be"):
        graphprof.profile(schedule=3)
    with pytest.raises(TypeError, match="on_trace_ready must be"):
        graphprof.profile(on_trace_ready="trace.json")


def test_only_the_device_can_be_recorded(driver):
    run = in_region(driver, "layer")
    with graphprof.profile(activities=[graphprof.ProfilerActivity.CUDA]) as prof:
        driver.replay(run)
    assert prof.events() and not prof.host_events()


def test_outputs_by_name(driver, tmp_path):
    run = in_region(driver, "written")
    graphprof.add_output(str(tmp_path / "replays.csv"))
    assert graphprof.recording()
    graphprof.stop()
    assert not graphprof.recording()
    graphprof.start()
    driver.replay(run)
    assert graphprof.flush()
    assert "written" in (tmp_path / "replays.csv").read_text()
    with pytest.raises(ValueError, match="tables"):
        graphprof.add_output("tables")
    assert "table" in graphprof.output_items()


def test_steps_and_support(libraries):
    graphprof.step()
    first = graphprof.current_step()
    graphprof.step()
    assert graphprof.current_step() == first + 1
    graphprof.mark("a moment")
    support = graphprof.support()
    assert support.active and support.driver and support.interposed and support.library.startswith(libraries)
    assert graphprof.losses()._fields[0] == "overrun"
