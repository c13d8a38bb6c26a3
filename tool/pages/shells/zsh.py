# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""zsh: specifications for _arguments."""

import re

from shells import HEAD, SOURCES, output_words, words_of

ACTIONS = {"outputs": "_graphprof_outputs", "file": "_files", "dir": "_files -/"}


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def described(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text.strip().rstrip(".:"))


def value_of(option):
    if not option.value:
        return ""
    offered = f"({' '.join(value for value, _ in option.values)})" if option.values else ACTIONS.get(option.kind, " ")
    return f":{described(option.value)}:{offered}"


def following(command):
    """What stands behind the options."""
    if command.commands:
        listed = " ".join(f'{each.words[-1]}\\:"{described(each.summary)}"' for each in command.commands)
        return [f"1:command:(({listed}))", "*::argument:->command"]
    return {
        "program": ["(-)1:program:_command_names -e", "*::argument:_normal"],
        "convert": ['1:file:_files -g "*.gprof"', "*:output:_graphprof_outputs"],
        "sources": [f'*:source:_files -g "*.({"|".join(SOURCES)})"'],
        "files": ["*:file:_files"],
        "nothing": [],
    }[words_of(command)]


def arguments(command, indent):
    specs = []
    for option in command.options:
        excluded = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
        for name in option.names:
            specs.append(f"{excluded}{name}{'=' * option.joined}[{described(option.help)}]{value_of(option)}")
    specs += following(command)
    if not specs:
        return indent + "_message 'no more arguments'"
    return f" \\\n{indent}  ".join([f"{indent}_arguments{' -C' * bool(command.commands)} -S", *map(quoted, specs)])


def zsh(command, outputs):
    offered = quoted(f"outputs:output:({' '.join(each.replace(':', chr(92) * 2 + ':') for each in output_words(outputs))})")
    lines = [
        f"#compdef {command.name}",
        HEAD,
        "#",
        f"# zsh completion for {command.name}",
        "",
        "_graphprof_outputs() { _sequence -s , _graphprof_output; }",
        f"_graphprof_output() {{ _alternative {offered} 'files:file:_files'; }}",
        "",
        "local curcontext=$curcontext state line ret=1",
        "typeset -A opt_args",
        arguments(command, "") + " && ret=0",
    ]
    if command.commands:
        lines += ["if [[ $state == command ]]; then", "  case $line[1] in"]
        for each in command.commands:
            lines += [f"    {each.words[-1]})", arguments(each, "      ") + " && ret=0", "      ;;"]
        lines += ["  esac", "fi"]
    return "\n".join(lines) + "\nreturn ret\n"
