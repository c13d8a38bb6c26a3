#!/usr/bin/env python3
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""The files that say what the project is: project_files_test.py [BUILD_TREE]."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def text(name):
    return (PROJECT / name).read_text()


def version():
    return ".".join(re.findall(r"#define GRAPHPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text("include/graphprof/version.h")))


class ProjectFiles(unittest.TestCase):
    def test_the_version_is_in_one_place(self):
        self.assertRegex(version(), r"^\d+\.\d+\.\d+$")
        for name in ("python/pyproject.toml", "CITATION.cff", "tool/release/conda/meta.yaml", "Containerfile", "mkdocs.yml",
                     *(str(path.relative_to(PROJECT)) for path in PROJECT.glob(".github/**/*.yml"))):
            self.assertNotIn(version(), text(name), name)
        self.assertTrue(version() in text("CHANGELOG.md"), "CHANGELOG.md says nothing of this version")

    def test_no_address_that_is_none(self):
        for path in subprocess.run(["git", "-C", PROJECT, "ls-files", "--cached", "--others", "--exclude-standard"], stdout=subprocess.PIPE,
                                   text=True).stdout.splitlines():
            if path.endswith((".md", ".cff", ".toml", ".yml", ".yaml", ".cmake")):
                self.assertNotRegex(text(path), r"@[\w.-]+\.(invalid|example)\b", path)

    def test_workflows_call_scripts_that_are_there(self):
        called = set()
        for path in sorted(PROJECT.glob(".github/workflows/*.yml")):
            for script in re.findall(r"(?<![\w/])(?:/graphprof/)?((?:\.ci|tool/release|test/release)/\w+\b)(?!/)", path.read_text()):
                self.assertTrue((PROJECT / script).stat().st_mode & 0o100, f"{path.name}: {script}")
                called.add(script)
        self.assertEqual(called, {".ci/run", "tool/release/build", "tool/release/site", "test/release/bare"})

    def test_actions_are_pinned(self):
        """By the hash of a commit, which nobody can move, with its version for people and for dependabot; the same everywhere."""
        hashes = {}
        for path in sorted(PROJECT.glob(".github/**/*.yml")):
            for used in re.findall(r"^\s*(?:- )?uses: (.*)$", path.read_text(), re.MULTILINE):
                pinned = re.fullmatch(r"([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", used)
                self.assertTrue(pinned, f"{path.name}: {used}")
                self.assertEqual(hashes.setdefault(pinned[1], pinned[0]), pinned[0], path.name)
        self.assertIn("pypa/gh-action-pypi-publish", hashes)

    def test_what_dependabot_looks_at_is_there(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        files = {"github-actions": ".github/workflows/release.yml", "docker": "Containerfile", "npm": "package-lock.json"}
        looked_at = yaml.safe_load(text(".github/dependabot.yml"))["updates"]
        self.assertEqual({each["package-ecosystem"] for each in looked_at}, set(files))
        for each in looked_at:
            for folder in each.get("directories", [each.get("directory")]):
                self.assertTrue((PROJECT / folder.lstrip("/") / files[each["package-ecosystem"]]).is_file(), each)

    def test_who_may_publish_says_where(self):
        """A job that can ask for an index's trust has an environment, where a person can be asked; and it runs no script of the project."""
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        publishing = {}
        for path in PROJECT.glob(".github/workflows/*.yml"):
            workflow = yaml.safe_load(path.read_text())
            self.assertNotIn("id-token", workflow["permissions"], path.name)
            for name, job in workflow["jobs"].items():
                if job.get("permissions", {}).get("id-token") == "write":
                    publishing[path.name, name] = job["environment"]
                    self.assertFalse([step for step in job["steps"] if "actions/checkout@" in step.get("uses", "")], name)
        self.assertEqual(publishing, {("docs.yml", "publish"): "github-pages", ("publish.yml", "pypi"): "pypi",
                                      ("release.yml", "trial"): "testpypi"})

    def test_scripts_in_workflows_can_be_parsed(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        for path in PROJECT.glob(".github/workflows/*.yml"):
            for name, job in yaml.safe_load(path.read_text())["jobs"].items():
                for step in job["steps"]:
                    script = step.get("run", "")
                    self.assertNotIn("${{", script, f"{path.name}, {name}: pass it in the environment, where it cannot be a command")
                    parsed = subprocess.run(["bash", "-n"], input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    self.assertEqual((parsed.returncode, parsed.stdout), (0, ""), f"{path.name}, {name}")

    def test_the_container_has_what_the_tests_install(self):
        installed = set(text("Containerfile").replace("\\\n", " ").split())
        needed = re.findall(r"needed(?:\+)?=\(((?:[^()]|\n)*)\)", text("test/run"))
        for package in " ".join(needed).replace("\\\n", " ").split():
            self.assertIn(package, installed)

    def test_yaml_can_be_read(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        for path in [*PROJECT.glob(".github/**/*.yml"), PROJECT / "CITATION.cff"]:
            self.assertTrue(yaml.safe_load(path.read_text()), path)
        for path in PROJECT.glob(".github/workflows/*.yml"):
            workflow = yaml.safe_load(path.read_text())
            self.assertLessEqual({"name", "permissions", "jobs"}, set(workflow), path)
            for name, job in workflow["jobs"].items():
                self.assertIn("runs-on", job, f"{path.name}: {name}")
                self.assertLessEqual(set([job["needs"]] if "needs" in job else []), set(workflow["jobs"]), path)
        for path in PROJECT.glob(".github/ISSUE_TEMPLATE/[!c]*.yml"):
            form = yaml.safe_load(path.read_text())
            self.assertLessEqual({"name", "description", "body"}, set(form), path)
            ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
            self.assertEqual(len(ids), len(set(ids)), path)

    def test_the_conda_recipe(self):
        try:
            import jinja2
            import yaml
        except ImportError:
            self.skipTest("python3-jinja2 or python3-yaml is missing")
        recipe = PROJECT / "tool/release/conda/meta.yaml"

        def load_file_regex(load_file, regex_pattern, from_recipe_dir):  # as conda-build's
            self.assertTrue(from_recipe_dir)
            return re.search(regex_pattern, (recipe.parent / load_file).read_text())

        read = yaml.safe_load(jinja2.Template(recipe.read_text()).render(load_file_regex=load_file_regex, PYTHON="python"))
        self.assertEqual(read["package"], {"name": "graphprof", "version": version()})
        for path in [read["source"]["path"], *read["about"]["license_file"]]:
            self.assertTrue((recipe.parent / path).resolve().is_relative_to(PROJECT))
        for path in read["about"]["license_file"]:
            self.assertTrue((recipe.parent / path).is_file(), path)
        # Otherwise conda-build pins the Python that it was made with, and no other has the package.
        self.assertIs(read["build"]["python_version_independent"], True)
        # What the wheel needs, and nothing else.
        self.assertEqual(f"python {re.search('requires-python = .(.*?).$', text('python/pyproject.toml'), re.MULTILINE).group(1)}",
                         read["requirements"]["run"][0])
        glibc = re.search(r"^GLIBC = \((\d+), (\d+)\)", text("python/wheel.py"), re.MULTILINE)
        self.assertEqual(f"__glibc >={glibc.group(1)}.{glibc.group(2)}", read["requirements"]["run"][1])

    def test_the_site_has_every_page(self):
        nav = text("mkdocs.yml").partition("\nnav:")[2]
        for path in [*PROJECT.glob("docs/*.md"), *PROJECT.glob("examples/*/README.md")]:
            self.assertIn(f" {path.relative_to(PROJECT)}\n", nav)

    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is missing")
    def test_the_site_can_be_built(self):
        with tempfile.TemporaryDirectory() as folder:
            for repository in ("", "https://host.test/owner/graphprof"):
                built = subprocess.run([PROJECT / "tool/release/site", "--out", folder], env={**os.environ, "GRAPHPROF_REPOSITORY": repository},
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual((built.returncode, built.stdout), (0, ""))
            page = (Path(folder) / "docs/internals/index.html").read_text()
            self.assertIn('href="https://host.test/owner/graphprof/blob/main/', page)
            self.assertRegex(page, r"<title>.* - graphprof \d+\.\d+\.\d+</title>")
            self.assertRegex(page, r'(?s)class="md-source__repository">\s*owner/graphprof\s*<')
            # Blocks of commands with a comment for the tests between them stay blocks of their own.
            home = (Path(folder) / "index.html").read_text()
            self.assertGreaterEqual(home.count("<pre"), text("README.md").count("\n<!-- "))


if __name__ == "__main__":
    unittest.main()
