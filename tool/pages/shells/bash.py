# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""bash: completion.bash with the tables of a program's commands in it."""

from pathlib import Path

from shells import HEAD, SOURCES, every, identifier, output_words, words_of

ACTIONS = {"outputs": "outputs", "file": "files", "dir": "folders"}


def tables(commands):
    for name, command in commands:
        options = [option + ("=" if each.joined else "") for each in command.options for option in each.names]
        valued = [option for each in command.options if each.value for option in each.names]
        joined = [option for each in command.options if each.joined for option in each.names]
        lists = f"options='{' '.join(options)}' valued=' {' '.join(valued)} ' joined=' {' '.join(joined)} '"
        yield f"    '{name}') {lists} words={words_of(command)} ;;"


def values(function, commands):
    for name, command in commands:
        for option in command.options:
            action = ACTIONS.get(option.kind)
            if option.kind == "choices":
                action = f"choices '{' '.join(value for value, _ in option.values)}'"
            if action:
                yield f"    {'|'.join(f'{name}{each}' for each in option.names)}) {function}_{action} ;;"


def bash(command, outputs):
    function = identifier(f"_{command.name}")
    commands = every(command)
    text = (Path(__file__).parent / "completion.bash").read_text()
    for mark, filling in {
        "@HEAD@": f"{HEAD}\n#\n# bash completion for {command.name}",
        "@NAME@": command.name,
        "@F@": function,
        "@COMMANDS@": " ".join(name for name, _ in commands[1:]),
        "@OUTPUTS@": " ".join(output_words(outputs)),
        "@SOURCES@": " ".join(SOURCES),
        "@TABLES@": "\n".join(tables(commands)),
        "@VALUES@": "\n".join(values(function, commands)) or "    *) ;;",
    }.items():
        text = text.replace(mark, filling)
    return text
