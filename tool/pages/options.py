# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""What a program's --help says, as data: options and subcommands. Reads the help of LLVM's command line library, of CLI11, and of
our own programs that print theirs alike. Knows nothing of man pages and shells."""

import re
import subprocess
from dataclasses import dataclass, field

NAME = r"--?[A-Za-z][\w-]*"
HEADING = re.compile(
    rf" {{2,12}}(?P<names>{NAME}(?:\{{\w+\}})?(?:,\s*{NAME}(?:\{{\w+\}})?)*)"
    r"(?:[= ]<(?P<angled>[^>]+)>| (?P<capitals>[A-Z][A-Z_]*(?:=[A-Z][A-Z_]+)?)(?= |$))?"
    r"(?: \.\.\.)?(?: +(?:- )?(?P<help>\S.*))?"
)
ENUMERATOR = re.compile(r"    =(\S+)\s+-\s+(.*)")
CHOICES = re.compile(r"([a-z_]+(?:, [a-z_]+)* or [a-z_]+)(?= \(|$|[;.])")


@dataclass
class Option:
    names: list
    value: str = ""  # its placeholder in --help; empty: the option takes no value
    help: str = ""
    values: list = field(default_factory=list)  # the possible values, if known: (value, help)
    joined: bool = False  # --name=value

    @property
    def kind(self):
        """What a shell can offer for the value: choices, outputs, file, dir, or nothing."""
        if self.values:
            return "choices"
        return {"outputs": "outputs", "file": "file", "path": "file", "dir": "dir"}.get(self.value.lower(), "")


@dataclass
class Command:
    words: list  # for example graphprof run
    summary: str = ""
    options: list = field(default_factory=list)
    commands: list = field(default_factory=list)
    outputs: list = field(default_factory=list)  # the kinds of output that --help lists

    @property
    def name(self):
        return " ".join(self.words)


def options_in(text):
    options, current = [], None
    for line in text.splitlines():
        heading = HEADING.fullmatch(line)
        enumerator = ENUMERATOR.fullmatch(line)
        if heading:
            names = re.sub(r"\{\w+\}", "", heading["names"])
            current = Option(re.split(r",\s*", names), heading["angled"] or heading["capitals"] or "", heading["help"] or "")
            current.joined = "=<" in line
            options.append(current)
        elif current and enumerator:
            current.values.append(enumerator.groups())
        elif current and re.match(r" {10}", line):
            current.help = f"{current.help} {line.strip()}".strip()
        elif line.strip() or not current:
            current = None
    for option in options:
        choices = CHOICES.match(option.help)
        if "|" in option.value:
            option.values = [(value, "") for value in option.value.split("|")]
        elif option.value and choices and not option.values:
            option.values = [(value, "") for value in re.split(r", | or ", choices[1])]
    return options


def commands_in(text, program):
    """As (name, summary): from lines of usage, or from a list of subcommands."""
    usage = re.findall(rf"^(?:usage:)?\s+{program} ([a-z][\w-]*)\b.*\n {{10,}}(\S.*)$", text, re.MULTILINE)
    listed = re.search(r"^subcommands:\n((?:.*\n?)*)", text, re.MULTILINE | re.IGNORECASE)
    return usage + (re.findall(r"^  ([a-z][\w-]*) {2,}(\S.*)$", listed[1], re.MULTILINE) if listed else [])


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def command_of(program, words, summary=""):
    text = help_of(program, *words[1:])
    command = Command(words, summary, options_in(text))
    # Some programs mention these two in their usage line only.
    known = {name for option in command.options for name in option.names}
    for name, help_text in (("--help", "Show the options"), ("--version", "Show the version")):
        if name not in known and re.search(rf"(?<!\S){name}\b", text):
            command.options.append(Option([name], help=help_text))
    listed = re.search(r"OUTPUT is one of ([^;\n]+)", text)
    command.outputs = listed[1].split(", ") if listed else []
    if len(words) == 1:
        command.commands = [command_of(program, [*words, name], of) for name, of in commands_in(text, words[0])]
    return command


def commands_of(programs):
    """Of {name: path}. What one program says of another's option is replaced by what that one says."""
    commands = {name: command_of(path, [name]) for name, path in programs.items()}
    others = {f"as {name}'s": {option.names[0]: option for option in command.options} for name, command in commands.items()}
    for command in commands.values():
        for option in command.options:
            if meant := others.get(option.help, {}).get(option.names[0]):
                option.help = meant.help
                option.values = meant.values or option.values
                option.value = meant.value
    return commands
