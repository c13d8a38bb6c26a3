# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""fish: completion.fish, and a line an option."""

from pathlib import Path

from shells import HEAD, SOURCES, every, identifier, output_words, words_of

ACTIONS = {"outputs": " -x -a '(@F@_outputs)'", "file": " -r -F", "dir": " -x -a '(__fish_complete_directories)'"}


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def option_lines(option):
    """What stands behind `complete -c NAME -n CONDITION`."""
    value = ACTIONS.get(option.kind, " -x") if option.value else ""
    if option.values:
        pairs = " ".join(f"{quoted(value)} {quoted(help)}" for value, help in option.values)
        value = " -x -a " + quoted(f"(printf '%s\\t%s\\n' {pairs})")
    for name in option.names:
        kind = "l" if name.startswith("--") else "s" if len(name) == 2 else "o"
        yield f"-{kind} {name.lstrip('-')} -d {quoted(option.help.strip().rstrip('.:'))}{value}"


def following(command):
    """(condition, what is offered) behind the options; `rest` are the words there so far."""
    return {
        "program": [("true", "(@F@_program $rest)")],
        "convert": [("test (count $rest) = 0", "(__fish_complete_suffix .gprof)"), ("test (count $rest) -gt 0", "(@F@_outputs)")],
        "sources": [("true", " ".join(f"(__fish_complete_suffix .{ending})" for ending in SOURCES))],
        "files": [("true", "(__fish_complete_path (commandline -ct))")],
        "nothing": [],
    }[words_of(command)]


def fish(command, outputs):
    start = f"complete -c {command.name}"
    lines = [f"{start} -f"]
    for name, each in every(command):
        valued = " ".join(option for one in each.options if one.value and not one.joined for option in one.names)
        rest = f"set -l rest (@F@_rest {quoted(name)} {valued}); and "
        if each.commands:
            lines += [f"{start} -n __fish_use_subcommand -a {sub.words[-1]} -d {quoted(sub.summary)}" for sub in each.commands]
            condition = "__fish_use_subcommand"
        else:
            condition = rest + ("test (count $rest) = 0" if words_of(each) == "program" else "not contains -- -- $rest")
            for when, offered in following(each):
                offered = offered.replace("$rest", f"(@F@_rest {quoted(name)} {valued})")
                lines.append(f"{start} -n {quoted(rest + when)} -k -a {quoted(offered)}")
        lines += [f"{start} -n {quoted(condition)} {line}" for one in each.options for line in option_lines(one)]
    text = (Path(__file__).parent / "completion.fish").read_text().replace("@COMPLETIONS@", "\n".join(lines))
    kinds = " ".join(output_words(outputs))
    text = text.replace("@HEAD@", f"{HEAD}\n#\n# fish completion for {command.name}").replace("@OUTPUTS@", kinds)
    return text.replace("@F@", identifier(f"__{command.name}"))
