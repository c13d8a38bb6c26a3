# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What is done with one unit: compiled, instrumented, and the copy compiled; each stage's answer is
kept in a file until what it depends on changes. Knows nothing of tables."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import annotate

DIAGNOSTIC = re.compile(r"error\b|fatal|undefined|Segmentation|Assertion", re.I)
SUMMARY = re.compile(r"^graphprof-instrument: .*: (\d+) regions?, (?:.*?, )?(\d+) redirected calls?"
                     r"(?:, (\d+) launch(?:es)? timed)?", re.M)
HEADER_FLAGS = re.compile(r"compile the copies with (.*) before other -I flags")
TIMED_OUT = 124


def digest(*parts):
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else str(part).encode())
        hashed.update(b"\0")
    return hashed.hexdigest()[:24]


def digest_tree(top):
    files = sorted(p for p in pathlib.Path(top).rglob("*") if p.is_file())
    return digest(*(part for p in files for part in (p.relative_to(top), p.read_bytes())))


def stamp(path):
    try:
        status = os.stat(path)
        return [status.st_mtime_ns, status.st_size]
    except OSError:
        return None


@dataclasses.dataclass
class Answer:
    """What a command said. `depends`: files that it read, with their stamps."""
    status: int
    text: str
    seconds: float
    depends: dict = dataclasses.field(default_factory=dict)
    extra: dict = dataclasses.field(default_factory=dict)

    @property
    def diagnostic(self):
        if self.status == TIMED_OUT:
            return f"stopped after {self.seconds:.0f} s"
        lines = [line for line in self.text.splitlines() if line.strip()]
        found = [line for line in lines if DIAGNOSTIC.search(line)] or lines
        return found[0].strip() if found else f"exit status {self.status}"

    @property
    def crashed(self):
        return self.status < 0 or self.status > 2


@dataclasses.dataclass
class Result:
    unit: object
    mode: str
    before: Answer
    tool: Answer | None = None
    after: Answer | None = None
    annotations: int = 0
    parse_errors: str = ""  # the first
    regions: int = 0
    launches: int = 0
    calls: int = 0

    @property
    def compiled_before(self):
        return self.before.status == 0

    @property
    def refused(self):
        return self.tool is not None and self.tool.status != 0 and not self.tool.crashed

    @property
    def broken(self):
        """A bug of the tool: it crashed, or the unit compiles no more."""
        if self.tool is not None and self.tool.crashed:
            return self.tool.diagnostic
        if self.compiled_before and self.after is not None and self.after.status != 0:
            return self.after.diagnostic
        return ""


class Checks:
    """Runs the stages for `options` (of the command line), below options.work."""

    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work).resolve()
        self.tool = str(pathlib.Path(options.tool).resolve())
        self.tool_digest = digest(pathlib.Path(self.tool).read_bytes())
        self.runtime = str(pathlib.Path(options.runtime).resolve())
        self.runtime_digest = digest_tree(self.runtime)
        (self.work / "answers").mkdir(parents=True, exist_ok=True)

    def modes(self):
        help_text = subprocess.run([self.tool, "--help"], capture_output=True, text=True).stdout
        wanted = ["plain"] + (["annotate"] if self.options.annotate else [])
        return wanted + (["auto"] if "--auto" in help_text else [])

    # One command -------------------------------------------------------------------------------

    def run(self, command, directory, limit=None):
        limit = limit or self.options.timeout
        begin = time.monotonic()
        with subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as child:
            try:
                text, _ = child.communicate(timeout=limit)
                status = child.returncode
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)  # nvcc's children too
                text, _ = child.communicate()
                status = TIMED_OUT
        return Answer(status, text.decode(errors="replace")[:20000], time.monotonic() - begin)

    def kept(self, key, make, still_good=lambda answer: True):
        file = self.work / "answers" / f"{key}.json"
        if file.exists():
            answer = Answer(**json.loads(file.read_text()))
            if all(stamp(path) == seen for path, seen in answer.depends.items()) and still_good(answer):
                return answer
        answer = make()
        if answer.status != TIMED_OUT:
            part = file.with_suffix(f".{os.getpid()}.{key[:4]}.part")
            part.write_text(json.dumps(dataclasses.asdict(answer)))
            part.replace(file)
        return answer

    # Stages ------------------------------------------------------------------------------------

    def compile(self, unit, source, extra, key):
        """Compiles `source` as the unit is compiled, `extra` before its flags."""
        fast = self.options.nvcc_flags if unit.for_nvcc else ["-O0"]
        (self.work / "objects").mkdir(exist_ok=True)
        place = pathlib.Path(tempfile.mkdtemp(prefix=f"{key}-", dir=self.work / "objects"))
        answer = self.run([unit.compiler, *extra, *unit.flags, *fast, "-c", "-MD", "-MF",
                           str(place / "deps"), "-o", str(place / "object.o"), str(source)], unit.directory)
        if answer.status == 0:
            names = (place / "deps").read_text().split(":", 1)[-1].replace("\\\n", " ").split()
            # What lies below the work directory is copies: their contents are in the key, and they go.
            files = [unit.directory / name for name in names]
            answer.depends = {str(file): stamp(file) for file in files if self.work not in file.parents}
        if not self.options.keep:
            shutil.rmtree(place, ignore_errors=True)
        return answer

    def before(self, unit):
        key = self.before_key(unit)
        return self.kept(key, lambda: self.compile(unit, unit.source, [], key))

    def before_key(self, unit):
        return digest("before", unit, self.options.nvcc_flags, unit.source.read_bytes())

    def presumes(self, unit):
        """Whether the unit is taken to compile until its copy does not: half of the compilations."""
        return self.options.copies_first and not (self.work / "answers" / f"{self.before_key(unit)}.json").exists()

    def instrument(self, unit, source, root, mode, out, strict):
        command = [self.tool, "--out-dir", str(out), "--root", str(root)]
        if strict:
            command.append("--strict")
        if mode == "auto":
            command += ["--auto", "launches"]
        if self.options.header_filter:
            command += ["--header-filter", self.options.header_filter]
        else:
            command += ["--project", str(unit.root)]
        flags = list(unit.flags)
        if source != unit.source:
            flags.insert(0, f"-I{unit.source.parent}")
        if not unit.for_nvcc and self.options.cuda_include:
            flags.append(f"-I{self.options.cuda_include}")
        command += [str(source), "--", *flags]
        shutil.rmtree(out, ignore_errors=True)
        return self.run(command, unit.directory)

    def tool_stage(self, unit, source, root, mode, out, depends):
        """The tool's answer; strict first: what it then refuses and otherwise does not, clang cannot parse."""
        def make():
            answer = self.instrument(unit, source, root, mode, out, strict=True)
            strict = answer
            if answer.status == 1:
                answer = self.instrument(unit, source, root, mode, out, strict=False)
            if answer.status == 0:
                answer.extra["parse_errors"] = strict.diagnostic if strict.status == 1 else ""
                answer.extra["copy"] = str(self.copy_of(source, root, out))
                answer.extra["copies"] = digest_tree(out)
                answer.extra["changed"] = (pathlib.Path(answer.extra["copy"]).read_bytes() != unit.source.read_bytes()
                                           or bool(HEADER_FLAGS.search(answer.text)))
            answer.depends = dict(depends)
            return answer
        key = digest("tool", self.tool_digest, unit, mode, self.options.header_filter, source.read_bytes())
        return self.kept(key, make, lambda answer: answer.status != 0 or not answer.extra["changed"]
                         or out.exists() or self.after_file(unit, answer).exists())

    def copy_of(self, source, root, out):
        try:
            return out / source.relative_to(root)
        except ValueError:
            return out / "outside" / str(source).lstrip("/")

    def after_key(self, unit, tool):
        return digest("after", self.runtime_digest, unit, self.options.nvcc_flags, tool.extra["copies"])

    def after_file(self, unit, tool):
        return self.work / "answers" / f"{self.after_key(unit, tool)}.json"

    def after(self, unit, tool):
        extra = []
        for flags in HEADER_FLAGS.findall(tool.text):
            # Relative to where the tool ran.
            extra += ["-I" + str((unit.directory / flag[2:]).resolve()) for flag in flags.split()]
        extra += [f"-I{unit.source.parent}", f"-I{self.runtime}"]
        key = self.after_key(unit, tool)
        return self.kept(key, lambda: self.compile(unit, tool.extra["copy"], extra, key))

    # A unit ------------------------------------------------------------------------------------

    def check(self, unit, mode):
        if not self.presumes(unit):
            return self.check_given(unit, mode, self.before(unit))
        result = self.check_given(unit, mode, Answer(0, "", 0))
        if result.tool and not (result.after and result.after.status == 0):
            result.before = self.before(unit)
        return result

    def check_given(self, unit, mode, before):
        result = Result(unit, mode, before)
        source, root = unit.source, unit.root
        place = digest(unit, mode)
        if mode == "annotate":
            text, result.annotations = annotate.annotated(source.read_bytes().decode("latin-1"))
            if not result.annotations:
                return result
            root = self.work / "annotated" / place
            source = root / unit.source.name
            root.mkdir(parents=True, exist_ok=True)
            if not source.exists() or source.read_bytes() != text.encode("latin-1"):
                source.write_bytes(text.encode("latin-1"))
        depends = {path: seen for path, seen in result.before.depends.items() if path != str(unit.source)}
        out = self.work / "copies" / place
        tool = result.tool = self.tool_stage(unit, source, root, mode, out, depends)
        if tool.status != 0:
            return result
        result.parse_errors = tool.extra["parse_errors"]
        for regions, calls, launches in SUMMARY.findall(tool.text):
            result.regions += int(regions)
            result.launches += int(launches or 0)
            result.calls += int(calls)
        if result.compiled_before:
            # A copy that is the original needs no second compilation.
            result.after = self.after(unit, tool) if tool.extra["changed"] else self.before(unit)
            if result.after.status == 0 and not self.options.keep:
                shutil.rmtree(out, ignore_errors=True)
        return result
