# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Programs that are started by `python -m graphprof`, the pytest plug-in, and notebooks."""

import json
import os
import subprocess
import sys

import pytest

import graphprof
from graphprof import _command, jupyter

needs_program = pytest.mark.skipif(not os.environ.get("GRAPHPROF_COMMAND"), reason="the program graphprof was not built")

TESTS = os.path.dirname(os.path.abspath(__file__))
PROGRAM = f"""
import sys
import graphprof
sys.path.insert(0, {TESTS!r})
from conftest import Driver
driver = Driver()
def work():
    with graphprof.region("layer {{}}", 3): driver.work()
driver.replay(driver.captured(work), 2)
print(*sys.argv[1:])
sys.exit(5)
"""


def run(*words, cwd=None, **environment):
    plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    plain["GRAPHPROF_LIBRARY"] = graphprof.support().library
    return subprocess.run([sys.executable, *words], cwd=cwd, env={**plain, **environment}, capture_output=True, text=True, timeout=60)


@needs_program
def test_a_program_runs_as_under_graphprof_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run("-m", "graphprof", "-o", "out.csv", "program.py", "--its", "own", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (5, "--its own\n"), result.stderr
    assert "\nlayer 3," in (tmp_path / "out.csv").read_text()
    by_command = subprocess.run([os.environ["GRAPHPROF_COMMAND"], "run", "-o", "again.csv", "--", sys.executable, "program.py", "--its", "own"],
                                cwd=tmp_path, env={key: value for key, value in os.environ.items() if key != "LD_PRELOAD"},
                                capture_output=True, text=True, timeout=60)
    assert (by_command.returncode, by_command.stdout) == (5, "--its own\n"), by_command.stderr
    assert "\nlayer 3," in (tmp_path / "again.csv").read_text()


@needs_program
def test_a_module_runs_likewise(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    result = run("-m", "graphprof", "--output", "out.csv", "-m", "program", "x", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (5, "x\n"), result.stderr
    assert "\nlayer 3," in (tmp_path / "out.csv").read_text()


def test_missing_program_shows_the_usage():
    """Without a program it says how it is used."""
    result = run("-m", "graphprof")
    assert result.returncode == 125 and "python -m graphprof [options of graphprof run] PROGRAM.py" in result.stderr


def test_without_the_command_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(_command, "find", lambda: None)
    assert _command.run_python(["program.py"]) == 125
    assert "reinstall the package" in capsys.readouterr().err


# The command that is found in PATH is not a script, as this package's own is.
def test_the_command_is_not_our_script(monkeypatch, tmp_path):
    for folder, text in (("first", "#!/bin/sh\n"), ("second", "\x7fELF")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "graphprof").write_text(text)
        (tmp_path / folder / "graphprof").chmod(0o755)
    monkeypatch.delenv("GRAPHPROF_COMMAND", raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / folder) for folder in ("first", "second")))
    assert _command.find() == str(tmp_path / "second" / "graphprof")


# pytest --graphprof

TEST = """
import graphprof
def test_a():
    with graphprof.region("in a"): pass
def test_b():
    pass
def test_c():
    with graphprof.region("in c"): assert False
"""


def test_pytest_writes_a_recording_of_each_test(tmp_path):
    (tmp_path / "test_it.py").write_text(TEST)
    result = run("-m", "pytest", "-p", "no:cacheprovider", "-p", "graphprof.pytest_plugin", "--graphprof=recorded", cwd=tmp_path,
                 LD_PRELOAD=os.environ["LD_PRELOAD"])
    assert "2 passed, 1 failed" in result.stdout or "1 failed, 2 passed" in result.stdout, result.stdout
    assert "graphprof: recordings of 2 tests in recorded" in result.stdout
    assert sorted(os.listdir(tmp_path / "recorded")) == [f"test_it.py.test_{name}.{end}" for name in "ac" for end in ("json", "txt")]
    assert "in a" in (tmp_path / "recorded" / "test_it.py.test_a.txt").read_text()
    trace = json.loads((tmp_path / "recorded" / "test_it.py.test_c.json").read_text())
    assert "in c" in {event.get("name") for event in trace["traceEvents"]}


def test_pytest_without_the_option_is_as_before(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_a(): pass\n")
    result = run("-m", "pytest", "-p", "no:cacheprovider", "-p", "graphprof.pytest_plugin", cwd=tmp_path)
    assert result.returncode == 0 and "graphprof" not in result.stdout
    assert set(os.listdir(tmp_path)) <= {"test_it.py", "__pycache__"}


def test_pytest_file_names_are_valid():
    """Files of tests have names that can be files."""
    from graphprof.pytest_plugin import file_name

    assert file_name("tests/a.py::T::test_b[x/y z]") == "tests-a.py.T.test_b[x-y-z]"
    assert len(file_name("a" * 1000)) == 200


# Notebooks

def test_a_kernel_is_installed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_command, "find", lambda: "/opt/graphprof/bin/graphprof")
    assert _command.main(["jupyter", "install", "--prefix", str(tmp_path)]) == 0
    path = tmp_path / "share" / "jupyter" / "kernels" / "graphprof" / "kernel.json"
    spec = json.loads(path.read_text())
    assert spec["argv"][:2] == ["/opt/graphprof/bin/graphprof", "run"] and sys.executable in spec["argv"]
    assert spec["argv"][-1] == "{connection_file}" and str(path) in capsys.readouterr().out
    monkeypatch.setenv("JUPYTER_DATA_DIR", "/data")
    assert jupyter.kernels_folder() == "/data/kernels"


def test_a_cell_shows_its_regions():
    pytest.importorskip("IPython", reason="IPython is not installed (python3-ipython)")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "graphprof")
    shown = shell.run_cell_magic("graphprof", "", "import graphprof\nwith graphprof.region('in the cell'): pass\n")
    assert isinstance(shown, graphprof.KeyAverages) and shown.row("in the cell").count == 1
    assert "in the cell" in shown._repr_html_()
    from IPython.lib.pretty import pretty

    assert pretty(shown) == shown.table() and "in the cell" in pretty(shown)  # on a terminal


@pytest.mark.parametrize("column", ["cuda_time", "self_cuda_time_total", "max"])
def test_rows_of_a_cell_are_sorted(driver, column):
    pytest.importorskip("IPython", reason="IPython is not installed (python3-ipython)")
    from IPython.core.interactiveshell import InteractiveShell

    def captured(name, count):
        def work():
            with graphprof.region(name):
                for _ in range(count):
                    driver.work()

        return driver.captured(work)

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "graphprof")
    shell.user_ns.update(driver=driver, graphs=[captured("short", 1), captured("long", 9)])
    shown = shell.run_cell_magic("graphprof", column, "for graph in graphs: driver.replay(graph, 3)")
    names = [row.key for row in shown]
    assert names.index("long") < names.index("short")
