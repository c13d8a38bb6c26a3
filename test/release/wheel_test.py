#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The wheel, made of a build tree: wheel_test.py BUILD_TREE. It is unpacked and used as pip would."""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 else PROJECT / "build/dev").resolve()
VERSION = ".".join(re.findall(r"#define GRAPHPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (PROJECT / "include/graphprof/version.h").read_text()))
CHECK = ["--unoptimized"] if "CMAKE_BUILD_TYPE:STRING=Debug" in (BUILD / "CMakeCache.txt").read_text() else []
INFO = f"graphprof-{VERSION}.dist-info/"


def run(*command, **environment):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("GRAPHPROF_", "LD_", "PYTHON"))}
    return subprocess.run([str(word) for word in command], env={**plain, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="graphprof-wheel-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        installed = run("cmake", "--install", BUILD, "--component", "libgraphprof", "--prefix", cls.folder / "tree", "--strip")
        assert installed.returncode == 0, installed.stdout
        cls.path = cls.made("first")
        cls.site = cls.folder / "site-packages"
        with zipfile.ZipFile(cls.path) as wheel:
            for entry in wheel.infolist():
                wheel.extract(entry, cls.site)
                (cls.site / entry.filename).chmod(entry.external_attr >> 16 & 0o777)
        cls.command = cls.site / "graphprof/bin/graphprof"

    @classmethod
    def made(cls, name, tree=None, **environment):
        built = run(sys.executable, PROJECT / "python/wheel.py", "--tree", tree or cls.folder / "tree", "--out", cls.folder / name, **environment)
        assert built.returncode == 0, built.stdout
        return Path(built.stdout.strip())

    def test_its_name_says_where_it_runs(self):
        self.assertEqual(self.path.name, f"graphprof-{VERSION}-py3-none-manylinux_2_28_{os.uname().machine}.whl")
        wheel = (self.site / INFO / "WHEEL").read_text()
        self.assertIn(f"Tag: {self.path.stem.split('-', 2)[2]}\n", wheel)
        self.assertIn("Root-Is-Purelib: false\n", wheel)

    @unittest.skipUnless(shutil.which("cc"), "cc is missing")
    def test_its_name_says_no_more_than_it_needs(self):
        """Built for an older system, it says so; what needs a newer one than wheels may is refused."""
        sys.path.insert(0, str(PROJECT / "python"))
        import wheel
        library = self.folder / "needs-little.so"

        def made(source, *options):
            (self.folder / "little.c").write_text(source)
            built = run("cc", "-shared", "-fPIC", "-nostdlib", "-o", library, self.folder / "little.c", *options)
            self.assertEqual(built.returncode, 0, built.stdout)
            return wheel.tag([library])

        self.assertEqual(made("int f(void) { return 1; }"), f"manylinux_2_17_{os.uname().machine}")
        self.assertEqual(made("int getentropy(void *, unsigned long); int f(void *p) { return getentropy(p, 1); }", "-lc"),
                         f"manylinux_2_25_{os.uname().machine}")
        if tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))) >= (2, 30):
            with self.assertRaisesRegex(SystemExit, "needs glibc 2.30, and a wheel 2.28 at most"):
                made("int gettid(void); int f(void) { return gettid(); }", "-lc")

    def test_the_same_files_make_the_same_bytes(self):
        again = self.folder / "moved/tree"
        shutil.copytree(self.folder / "tree", again, symlinks=True, copy_function=shutil.copyfile)  # with other times
        (again / "bin/graphprof").chmod(0o755)
        self.assertEqual(self.made("again", again).read_bytes(), self.path.read_bytes())
        self.assertNotEqual(self.made("later", SOURCE_DATE_EPOCH="1700000000").read_bytes(), self.path.read_bytes())

    def test_record_lists_files_and_hashes(self):
        """The record lists every file with its hash."""
        with zipfile.ZipFile(self.path) as wheel:
            names = wheel.namelist()
            rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(wheel.read(INFO + "RECORD").decode()))}
            self.assertEqual(sorted(names), sorted(rows))
            self.assertEqual(len(names), len(set(names)))
            for name in names:
                data = wheel.read(name)
                expected = ("", "") if name.endswith("/RECORD") else (
                    "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="), str(len(data)))
                self.assertEqual(rows[name], expected, name)

    def test_metadata(self):
        metadata = email.message_from_string((self.site / INFO / "METADATA").read_text())
        self.assertEqual((metadata["Name"], metadata["Version"], metadata["Requires-Python"]), ("graphprof", VERSION, ">=3.9"))
        self.assertIsNone(metadata["Requires-Dist"])
        for file in metadata.get_all("License-File"):
            self.assertTrue((self.site / INFO / "licenses" / file).read_text())
        self.assertIn("graphprof run", metadata.get_payload())

    def test_a_package_index_takes_the_metadata(self):
        """What indexes refuse (twine check, and the Core metadata specification). Where its parser can be had, it is asked, too."""
        with zipfile.ZipFile(self.made("hosted", GRAPHPROF_REPOSITORY="https://host.test/owner/graphprof/")) as wheel:
            text = wheel.read(INFO + "METADATA")
        metadata = email.message_from_bytes(text)
        once = ["Metadata-Version", "Name", "Version", "Summary", "Author", "License-Expression", "Keywords", "Requires-Python",
                "Description-Content-Type"]
        self.assertEqual([name for name in once if len(metadata.get_all(name, [])) != 1], [])
        self.assertLessEqual(set(metadata.keys()), {*once, "Classifier", "License-File", "Project-URL"})
        self.assertEqual(metadata["Metadata-Version"], "2.4")  # the first with License-Expression
        self.assertLessEqual(len(metadata["Summary"]), 512)
        self.assertEqual(metadata["Description-Content-Type"], "text/markdown")
        self.assertTrue(metadata.get_payload().strip())
        classifiers = metadata.get_all("Classifier")
        self.assertEqual(len(classifiers), len(set(classifiers)))
        self.assertEqual([each for each in classifiers if each.startswith("License ::")], [])  # beside License-Expression, none
        urls = dict(each.split(", ") for each in metadata.get_all("Project-URL"))
        self.assertLessEqual({"Changelog", "Documentation", "Homepage", "Issues", "Source"}, set(urls))
        self.assertEqual(urls["Homepage"], "https://host.test/owner/graphprof")
        for label, url in urls.items():
            self.assertLessEqual(len(label), 32)
            path = re.fullmatch(r"https://host\.test/owner/graphprof(?:/blob/main/(\S+)|/issues|/releases)?", url)
            self.assertTrue(path, url)
            self.assertTrue(path[1] is None or (PROJECT / path[1]).is_file(), url)
        if importlib.util.find_spec("trove_classifiers"):
            import trove_classifiers
            self.assertLessEqual(set(classifiers), set(trove_classifiers.classifiers))
        if importlib.util.find_spec("packaging") and importlib.util.find_spec("packaging.licenses"):  # of packaging 24.2, which knows 2.4
            import packaging.metadata
            packaging.metadata.Metadata.from_email(text, validate=True)

    def test_an_address_that_is_none_is_refused(self):
        built = run(sys.executable, PROJECT / "python/wheel.py", "--tree", self.folder / "tree", "--out", self.folder / "none",
                    GRAPHPROF_REPOSITORY="owner/graphprof")
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("GRAPHPROF_REPOSITORY=owner/graphprof is no address like https://host/owner/name", built.stdout)

    def test_what_is_bundled_is_listed(self):
        """The bill of what is inside (PEP 770) has each file that is run, and what this build puts into it."""
        bill = json.loads((self.site / INFO / "sboms/graphprof.cdx.json").read_text())
        edges = {edge["ref"]: edge.get("dependsOn", []) for edge in bill["dependencies"]}
        components = {component["bom-ref"]: component for component in bill["components"]}
        self.assertEqual(bill["metadata"]["component"]["version"], VERSION)
        for path in (self.site / "graphprof").rglob("*"):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
                name = str(path.relative_to(self.site))
                self.assertEqual(components[name]["hashes"][0]["content"], hashlib.sha256(path.read_bytes()).hexdigest())
        cache = (BUILD / "CMakeCache.txt").read_text()
        has = {part for variable, part in [("GRAPHPROF_SQLITE_ARCHIVE", "SQLite"), ("GRAPHPROF_ZLIB_ARCHIVE", "zlib")]
               if re.search(rf"^{variable}:\w+=/", cache, re.MULTILINE)}
        if re.search(r"^GRAPHPROF_NVTX_INCLUDE:\w+=/", cache, re.MULTILINE) and "GRAPHPROF_NVTX:BOOL=ON" in cache:
            has.add("NVTX")
        in_library = {components[ref]["name"] for ref in edges["graphprof/lib/libgraphprof.so.0"]} - {"GNU C++ standard library"}
        self.assertEqual(in_library, {"fmt", "nlohmann-json", *has})
        in_command = {components[ref]["name"] for ref in edges["graphprof/bin/graphprof"]}
        self.assertLessEqual({"fmt", "nlohmann-json", "CLI11", "ECharts", "zrender", "tslib"}, in_command)
        self.assertEqual(edges["graphprof/lib/libgraphprof_preload.so"], [])

    def test_entry_points_exist(self):
        path = self.site / INFO / "entry_points.txt"
        for module, function in re.findall(r"^[\w.]+ = ([\w.]+)(?::(\w+))?$", path.read_text() if path.exists() else "", re.MULTILINE):
            source = (self.site / (module.replace(".", "/") + ".py")).read_text()
            if function:
                self.assertRegex(source, rf"(?m)^def {function}\(")

    def test_wheel_needs_what_it_says(self):
        """The wheel needs no more of a system than it says."""
        checked = run(sys.executable, PROJECT / "tool/release/check", *CHECK, self.site / "graphprof")
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))

    def test_what_needs_more_is_refused(self):
        other = self.folder / "needs-more"
        shutil.copytree(self.site / "graphprof", other)
        shutil.copyfile(self.command, other / "lib/libgraphprof_preload.so")  # needs more than libc
        shutil.copyfile(shutil.which("cmake"), other / "bin/graphprof")  # and its standard library is shared
        checked = run(sys.executable, PROJECT / "tool/release/check", *CHECK, other)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("libgraphprof_preload.so needs libm.so.6", checked.stdout)
        self.assertIn("bin/graphprof needs libstdc++.so.6", checked.stdout)

    def test_exports_what_the_list_says(self):
        compared = run(PROJECT / "test/runtime/exports/compare", BUILD, self.site / "graphprof/lib/libgraphprof.so.0")
        self.assertEqual((compared.returncode, compared.stdout), (0, ""))

    def test_the_command_says_its_version(self):
        said = run(self.command, "--version")
        self.assertEqual((said.returncode, said.stdout), (0, f"graphprof {VERSION}\n"))

    def test_programs_run_on_the_simulated_driver(self):
        said = run(self.command, "sim", "run", "--", sys.executable, PROJECT / "examples/run_python/replays.py", CUDASIM_REAL_TIME="0")
        self.assertEqual(said.returncode, 0, said.stdout)
        self.assertIn("graphprof sim: kernels take made-up times and compute nothing\n", said.stdout)
        self.assertRegex(said.stdout, r"(?m)^Memcpy HtoD ")

    def test_the_command_says_where_the_compiler_is(self):
        for words in (["path"], ["main.cu"], ["cc", "main.cu"]):
            said = run(self.command, "sim", *words)
            self.assertEqual(said.returncode, 125)
            self.assertRegex(said.stdout, r"does not exist; install the package graphprof-dev \(the wheel has only the simulated driver, for sim run\)")

    def test_python_loads_the_library(self):
        major, minor, patch = map(int, VERSION.split("."))
        said = run(sys.executable, "-c", "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).graphprof_version())",
                   self.site / "graphprof/lib/libgraphprof.so.0", GRAPHPROF_ENABLED="0")
        self.assertEqual((said.returncode, said.stdout), (0, f"{10000 * major + 100 * minor + patch}\n"))

    @unittest.skipUnless((PROJECT / "python/graphprof/__init__.py").exists(), "there is no Python package")
    def test_python_imports_the_package(self):
        said = run(sys.executable, "-c", "import graphprof; print(graphprof.__version__, graphprof.__file__)", PYTHONPATH=str(self.site),
                   GRAPHPROF_OUTPUT="")
        self.assertIn(f"{VERSION} {self.site}/graphprof/__init__.py\n", said.stdout)
        self.assertEqual(said.returncode, 0)

    def test_run_times_the_graphs_of_a_program(self):
        said = run(self.command, "run", "--", sys.executable, PROJECT / "examples/run_python/replays.py",
                   LD_LIBRARY_PATH=str(BUILD / "test/cudasim/driver"), CUDASIM_REAL_TIME="0")
        self.assertEqual(said.returncode, 0, said.stdout)
        self.assertIn("graphprof: time of each region", said.stdout)
        self.assertRegex(said.stdout, r"(?m)^Memcpy HtoD ")

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is missing")
    def test_pip_installs_it(self):
        target = self.folder / "by pip"
        installed = run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target, self.path)
        self.assertEqual(installed.returncode, 0, installed.stdout)
        said = run(target / "graphprof/bin/graphprof", "--version")
        self.assertEqual(said.stdout, f"graphprof {VERSION}\n")
        self.assertTrue(os.access(target / "share/graphprof/actions/diff/diff.sh", os.X_OK))
        script = target / "bin/graphprof"
        self.assertEqual(script.exists(), (self.site / INFO / "entry_points.txt").exists())
        if script.exists():
            said = run(script, "--version", PYTHONPATH=str(target))
            self.assertEqual((said.returncode, said.stdout), (0, f"graphprof {VERSION}\n"))
        # The loader cannot preload from such a path.
        said = run(target / "graphprof/bin/graphprof", "run", "--", "true")
        self.assertEqual(said.returncode, 125)
        self.assertIn("no path with spaces", said.stdout)

    @unittest.skipUnless(all(map(importlib.util.find_spec, ("ensurepip", "venv"))), "ensurepip or venv is missing")
    def test_the_first_minute(self):
        """From nothing to a page: an environment of its own, the wheel, the demo. Ten seconds, and more beside other tests."""
        environment, here = self.folder / "environment", self.folder / "shown"
        made = run(sys.executable, "-m", "venv", environment)
        self.assertEqual(made.returncode, 0, made.stdout)
        began = time.monotonic()
        installed = run(environment / "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", self.path)
        self.assertEqual((installed.returncode, installed.stdout), (0, ""))
        said = run(environment / "bin/graphprof", "demo", "--simulated", "-o", here)
        self.assertLess(time.monotonic() - began, 40)
        self.assertEqual(said.returncode, 0, said.stdout)
        self.assertIn("graphprof: time of each region", said.stdout)
        self.assertIn("All times of this demo are made up", said.stdout)
        self.assertEqual(sorted(path.name for path in here.iterdir()), [f"graphprof-demo.{kind}" for kind in ("gprof", "html", "json")])
        self.assertRegex(said.stdout, r"(?m)^    graphprof run -o before\.gprof -- python3 program\.py$")
        jupyter = run(environment / "bin/graphprof", "jupyter", "install", "--prefix", self.folder / "prefix")
        self.assertEqual(jupyter.returncode, 0, jupyter.stdout)
        kernel = json.loads((self.folder / "prefix/share/jupyter/kernels/graphprof/kernel.json").read_text())
        self.assertEqual(kernel["argv"][:2], [str(next(environment.glob("lib/*/site-packages/graphprof/bin/graphprof"))), "run"])
        self.assertEqual(run(kernel["argv"][0], "--version").stdout, f"graphprof {VERSION}\n")

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is missing")
    def test_what_the_image_does_works(self):
        """Its steps, in folders of the test: the wheel is installed as it says, and the command is where PATH leads."""
        steps = (PROJECT / "tool/release/image/Containerfile").read_text()
        self.assertIn("\nCOPY graphprof-*.whl /wheels/\n", steps)
        self.assertIn("\nCOPY --from=wheel /opt/graphprof /opt/graphprof\n", steps)
        installing = re.search(r"^RUN pip (install .*)$", steps, re.MULTILINE)[1]
        installed = run(sys.executable, "-m", "pip", *installing.replace("/opt/", f"{self.folder}/image/").replace("/wheels", str(self.path.parent)).split())
        self.assertEqual(installed.returncode, 0, installed.stdout)
        path = re.search(r"^ENV PATH=(.*):\$PATH$", steps, re.MULTILINE)[1].replace("/opt/", f"{self.folder}/image/")
        said = run(*json.loads(re.search(r"^ENTRYPOINT (.*)$", steps, re.MULTILINE)[1]), "--version", PATH=path)
        self.assertEqual((said.returncode, said.stdout), (0, f"graphprof {VERSION}\n"))

    @unittest.skipUnless(all(map(importlib.util.find_spec, ("jinja2", "pip", "venv", "yaml"))), "jinja2, pip, venv or yaml is missing")
    def test_what_the_conda_recipe_says_works(self):
        """As conda-build: the script in a Python of its own, in the folder with the wheel; then the tests."""
        import jinja2
        import yaml
        prefix = self.folder / "conda"
        made = run(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", prefix)
        self.assertEqual(made.returncode, 0, made.stdout)
        path = f"{prefix}/bin:{os.environ['PATH']}"
        version = re.match(r"(\d+)\.(\d+)\.(\d+)", VERSION)
        recipe = yaml.safe_load(jinja2.Template((PROJECT / "tool/release/conda/meta.yaml").read_text()).render(
            load_file_regex=lambda **_: version, PYTHON=prefix / "bin/python"))
        installed = run("sh", "-c", f"cd {self.path.parent} && {recipe['build']['script']}", PATH=path)
        self.assertEqual(installed.returncode, 0, installed.stdout)
        for command in [*recipe["test"]["commands"], *(f"python -c 'import {module}'" for module in recipe["test"]["imports"])]:
            said = run("sh", "-c", command, PATH=path)
            self.assertEqual(said.returncode, 0, f"{command}: {said.stdout}")
        self.assertTrue((prefix / "bin/graphprof").is_file())

    def test_a_folder_without_graphprof_is_refused(self):
        built = run(sys.executable, PROJECT / "python/wheel.py", "--tree", self.folder, "--out", self.folder)
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("is no installation of graphprof", built.stdout)


if __name__ == "__main__":
    unittest.main()
