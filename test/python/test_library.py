# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""How the package finds its library, and what a process does at its begin and end."""

import os
import shutil
import subprocess

import pytest

# Captures a region in a graph and replays it, over ctypes.
REPLAY = """
import ctypes, sys
sys.path.insert(0, {tests!r})
from conftest import Driver
driver = Driver()
def work():
    with graphprof.region("layer", stream=driver.stream.value): driver.work()
driver.replay(driver.captured(work), 2)
""".format(tests=os.path.dirname(os.path.abspath(__file__)))


@pytest.fixture
def library(libraries):
    return os.path.realpath(os.path.join(libraries, "libgraphprof.so.0"))


def test_nothing_of_others_is_imported(python, library):
    source = "import sys, graphprof; print(*(m for m in ('torch', 'numpy', 'pandas', 'asyncio', 'inspect') if m in sys.modules))"
    assert python(source, GRAPHPROF_LIBRARY=library).stdout == "\n"


def test_the_environment_names_it(python, library):
    source = "import graphprof; print(graphprof.support().library)"
    assert python(source, GRAPHPROF_LIBRARY=library).stdout.strip() == library


# The preload library's own is taken, though it is not loaded yet.
def test_the_preload_librarys_own_is_taken(python, library, libraries):
    source = "import graphprof; print(graphprof.support().library)"
    preload = os.path.join(libraries, "libgraphprof_preload.so")
    assert python(source, LD_PRELOAD=preload).stdout.strip() == library


def test_own_library_precedes_the_systems(python, library, tmp_path):
    """The package's own is taken before the system's."""
    shutil.copytree(os.path.join(os.path.dirname(__file__), "..", "..", "python", "graphprof"), tmp_path / "graphprof")
    (tmp_path / "graphprof" / "lib").mkdir()
    own = str(shutil.copy(library, tmp_path / "graphprof" / "lib" / "libgraphprof.so.0"))
    source = "import graphprof; print(graphprof.support().library)"
    assert python(source, PYTHONPATH=str(tmp_path)).stdout.strip() == own
    # What the process has loaded comes first.
    loading = f"import ctypes; ctypes.CDLL({library!r})\n" + source
    assert python(loading, PYTHONPATH=str(tmp_path)).stdout.strip() == library


# Without a library the first use says what to do.
@pytest.mark.parametrize("use", ["with graphprof.region('a'): pass", "graphprof.losses()", "graphprof.profile()", "graphprof.__version__"])
def test_first_use_without_library_says_why(python, tmp_path, use):
    none = str(tmp_path / "none.so")
    result = python(f"import graphprof; {use}" if "with" not in use else f"import graphprof\n{use}", check=False, GRAPHPROF_LIBRARY=none)
    assert result.returncode == 1
    assert "LibraryError: libgraphprof.so cannot be loaded" in result.stderr and "pip install --force-reinstall" in result.stderr
    caught = "import graphprof\ntry:\n graphprof.losses()\nexcept ImportError as e: print('caught')"
    assert python(caught, GRAPHPROF_LIBRARY=none).stdout == "caught\n"


# Names of graphs are for recordings only.
def test_without_library_graphs_get_no_names(python, tmp_path):
    source = "import graphprof\nwith graphprof.graph('decode', batch=8): print('goes on')\ngraphprof.graph('again')(print)('too')"
    result = python(source, GRAPHPROF_LIBRARY=str(tmp_path / "none.so"))
    assert result.stdout == "goes on\ntoo\n"
    assert "UserWarning: graphs get no names: libgraphprof.so cannot be loaded" in result.stderr


# Without a library the import works, a plug-in that nobody asks for, and the version.
def test_what_works_without_a_library(python, tmp_path):
    none = str(tmp_path / "none.so")
    assert python("import graphprof, graphprof.pytest_plugin, graphprof.testing; print('there')", GRAPHPROF_LIBRARY=none).stdout == "there\n"
    program = tmp_path / "graphprof"
    program.write_text("#!/bin/sh\necho \"graphprof 1.2.3, given $*\"\n")
    program.chmod(0o755)
    source = "import runpy, sys; sys.argv = ['graphprof', '--version']; runpy.run_module('graphprof', run_name='__main__')"
    said = python(source, GRAPHPROF_LIBRARY=none, GRAPHPROF_COMMAND=str(program)).stdout
    assert said == "graphprof 1.2.3, given --version\n"


def test_messages_go_to_pythons_stderr(python, library):
    """As in notebooks and under pytest: from any thread, soon, once."""
    source = ("import io, sys, threading, time, graphprof\n"
              "from graphprof._library import say\n"
              "real, sys.stderr = sys.stderr, io.StringIO()\n"
              "say('first'); say('first')\n"
              "thread = threading.Thread(target=say, args=['second']); thread.start(); thread.join()\n"
              "while sys.stderr.getvalue().count('\\n') < 2: pass\n"
              "kept, sys.stderr = sys.stderr.getvalue(), real\n"
              "print(kept, end='')\n")
    result = python(source, GRAPHPROF_LIBRARY=library)
    assert (result.stdout, result.stderr) == ("graphprof: first\ngraphprof: second\n", "")


# Messages at the end and without a stderr are seen, and those of a child.
def test_messages_without_pythons_stderr_are_seen(python, library):
    source = "import sys, graphprof\nfrom graphprof._library import say\nsys.stderr = None\nsay('late')"
    assert python(source, GRAPHPROF_LIBRARY=library).stderr == "graphprof: late\n"
    child = ("import os, graphprof\nfrom graphprof._library import say\ngraphprof.losses()\n"
             "if os.fork() == 0: say('of the child'); os._exit(0)\nos.wait()")
    assert python(child, GRAPHPROF_LIBRARY=library).stderr == "graphprof: of the child\n"


def stub(tmp_path, source):
    if not shutil.which("cc"):
        pytest.skip("no C compiler here makes an older library")
    path = tmp_path / "libgraphprof.so.0"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=source, text=True, check=True)
    return str(path)


@pytest.mark.parametrize("source, said", [
    ("int graphprof_version(void) { return 100; }", "is version 0.1.0, and older than this package: it lacks graphprof_capi_version"),
    ("int graphprof_capi_version(void) { return 0; }", "is version unknown, and older than this package"),
    ("int graphprof_capi_version(void) { return 2; }", "it lacks graphprof_capi_error"),
])
def test_an_older_library_is_refused(python, tmp_path, source, said):
    result = python("import graphprof; graphprof.losses()", check=False, GRAPHPROF_LIBRARY=stub(tmp_path, source))
    assert said in result.stderr and "pip install --upgrade graphprof" in result.stderr


def test_two_copies_are_refused(python, library, tmp_path):
    other = shutil.copy(library, tmp_path / "libgraphprof.so.0")
    result = python(f"import ctypes; ctypes.CDLL({library!r}); import graphprof; graphprof.losses()", check=False, GRAPHPROF_LIBRARY=str(other))
    assert "two copies of libgraphprof.so" in result.stderr and str(other) in result.stderr and library in result.stderr


# Without interposition, the first region in a graph says what to do.
def test_without_interposition_it_says_what_to_do(python, library):
    source = ("import graphprof\n" + REPLAY + "driver.replay(driver.captured(work), 2)\n"
              "with graphprof.profile() as prof:\n"
              "    with graphprof.region('outside', stream=driver.stream.value): driver.work()\n"
              "    driver.synchronize()\n"
              "print([(e.name, e.clock) for e in prof.events()])\n")
    result = python(source, GRAPHPROF_LIBRARY=library)
    assert result.stdout == "[('outside', 'event')]\n"
    assert result.stderr.count("python3 -m graphprof PROGRAM") == 1


def test_nothing_is_lost_at_exit(python, libraries, tmp_path):
    source = ("import graphprof\n"
              "prof = graphprof.profile(on_trace_ready=lambda t: print([e.name for e in t.events() if e.kind == 'region'], flush=True))\n"
              "prof.start()\n" + REPLAY + "left = graphprof.region('open'); left.__enter__()\n")
    result = python(source, LD_PRELOAD=os.path.join(libraries, "libgraphprof_preload.so"), GRAPHPROF_OUTPUT="out.csv", cwd=tmp_path)
    assert result.stdout == "['layer', 'layer']\n", result.stderr
    assert (tmp_path / "out.csv").read_text().count("\nlayer,") == 2


# A profile that is running does not hold up the exit after an exception.
def test_a_running_profile_does_not_delay_exit(python, library):
    source = "import graphprof\nprof = graphprof.profile(); prof.start()\nraise SystemExit(3)"
    assert python(source, check=False, GRAPHPROF_LIBRARY=library).returncode == 3


def test_forked_child_has_own_regions(python, library):
    """A forked child has regions of its own."""
    source = """
import os, graphprof
child = os.fork()
with graphprof.profile() as prof:
    with graphprof.region("child" if child == 0 else "parent"): pass
assert [e.name for e in prof.events()] == ["child" if child == 0 else "parent"]
if child == 0: os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    python(source, GRAPHPROF_LIBRARY=library)


# A child that is forked while regions are open goes on.
def test_a_child_forked_with_open_regions(python, library):
    source = """
import os, graphprof
with graphprof.profile() as prof:
    with graphprof.region("open"):
        child = os.fork()
    if child == 0:
        with graphprof.region("in the child"): pass
        os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert [e.name for e in prof.events()] == ["open"]
"""
    python(source, GRAPHPROF_LIBRARY=library)


def test_a_child_forked_while_profiling_exits(python, library):
    source = """
import os, sys, graphprof
prof = graphprof.profile(); prof.start()
child = os.fork()
if child == 0: sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
with graphprof.region("parent"): pass
prof.stop()
assert [e.name for e in prof.events()] == ["parent"]
"""
    python(source, GRAPHPROF_LIBRARY=library)


def test_switched_off_it_does_nothing(python, library):
    source = """
import graphprof
with graphprof.profile() as prof:
    with graphprof.region("a"): pass
print(graphprof.active(), prof.events(), graphprof.flush())
try: graphprof.add_output("table")
except graphprof.GraphprofError as failure: print(failure)
"""
    result = python(source, GRAPHPROF_LIBRARY=library, GRAPHPROF_ENABLED="0")
    assert result.stdout == "False [] True\ngraphprof is off in this process\n"
