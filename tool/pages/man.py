# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
"""Man pages: the texts of man/*.1, in mdoc, with what programs and docs say in place of lines such as

    @OPTIONS graphprof run@    the options of a command
    @VARIABLES@                the environment's, from the table of docs
    @OUTPUTS@                  the kinds of output, from the table of docs

and with @DATE@ inside a line."""

import re
import textwrap

MARK = re.compile(r"^@([A-Z]+)(?: ([\w -]+))?@$", re.MULTILINE)


def escaped(text):
    """As a line of text of mdoc: nothing in it is a request, a dash of an option is one that can be copied."""
    text = text.replace("\\", "\\e")
    return re.sub(r"(?<![\w\\-])-{1,2}(?=[\w])|(?<=\w)--(?=\w)", lambda dashes: "\\-" * len(dashes[0]), text)


def paragraph(text):
    """Each sentence on a line of its own, lines of less than 80 bytes."""
    lines = []
    for sentence in re.split(r"(?<=[a-z)`R][.?!]) (?=[A-Z])", text):
        lines += textwrap.wrap(escaped(sentence), 76, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line[0] in ".'" else line for line in lines)


def plain(markdown):
    """The text of a cell of a table: links without where they lead, code in bold."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("**", "").replace("\\|", "|")
    return re.sub(r"`([^`]+)`", r"\1", text)


def begun(text):
    """Begins as a sentence, where it does not begin with what is to be written so."""
    return text if text.startswith("`") else text[:1].upper() + text[1:]


def options(command):
    items = []
    for option in command.options:
        names = " , ".join(f"Fl {name[1:]}" for name in option.names)
        if option.value:
            value = "|".join(value for value, _ in option.values) if "|" in option.value else option.value
            names += f" Ns = Ns Ar {value}" if option.joined else f" Ar {value}"
        items.append(f".It {names}")
        text = option.help
        if any(help for _, help in option.values):
            text = text.rstrip(":") + ": " + "; ".join(f"{value}: {help}" for value, help in option.values)
        text = text if re.split(r"\W", text)[0] in dict(option.values) else begun(text)
        items.append(paragraph(text + ("" if text.endswith(".") else ".")) if text else "As above.")
    return ".Bl -tag -width Ds\n" + "\n".join(items) + "\n.El"


def tables_of(text):
    """The tables of a page, as lists of rows, which are lists of cells."""
    tables = [[]]
    for line in text.splitlines():
        if not line.startswith("|"):
            tables.append([])
        elif not re.fullmatch(r"[|\s:-]+", line):
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
    return tables


def most(groups, is_row):
    """Of the group that has most such rows: it is the one that is about them."""
    return max(([row for row in rows if is_row(row)] for rows in groups), key=len, default=[])


def listed(rows, macro, tail):
    items = []
    for row in rows:
        names = re.findall(r"`([^`]+)`", row[0]) or [plain(row[0])]
        items.append(".It " + " , ".join(f"{macro} {name}" for name in names))
        text = plain(begun(row[1])).rstrip(".") + "."
        items.append(paragraph(text))
        if last := plain(row[2]).rstrip(".") if len(row) > 2 else "":
            items.append(paragraph(f"{tail}{last}."))
    return ".Bl -tag -width Ds\n" + "\n".join(items) + "\n.El"


def variables(pages):
    """In whatever tables of one page."""
    names = re.compile(r"`GRAPHPROF_\w+`(?:, `GRAPHPROF_\w+`)*")
    groups = [[row for table in tables_of(text) for row in table] for text in pages]
    return listed(most(groups, lambda row: len(row) > 1 and names.fullmatch(row[0])), "Ev", "The default: ")


def outputs(pages):
    kinds = re.compile(r"`[^`]*\bPATH\b[^`]*`|`\w+`, `\w+:PATH`")
    groups = [table for text in pages for table in tables_of(text)]
    return listed(most(groups, lambda row: len(row) == 3 and kinds.match(row[0])), "Cm", "Written ")


def page(template, commands, pages, date):
    """The man page, of the texts of docs and what programs say."""
    every = {each.name: each for command in commands.values() for each in [command, *command.commands]}

    def filled(mark):
        if mark[1] == "OPTIONS":
            return options(every[mark[2]])
        return {"VARIABLES": variables, "OUTPUTS": outputs}[mark[1]](pages)

    return MARK.sub(filled, template).replace("@DATE@", date)
