@HEAD@

# Prints the words behind graphprof's own options, `--` included, if the subcommand is $argv[1] or that is empty. The other
# arguments are the options whose value is the next word.
function @F@_rest
    set -l words (commandline -opc)
    set -e words[1]
    if test -n "$argv[1]"
        test "$words[1]" = "$argv[1]"; or return 1
        set -e words[1]
    end
    set -e argv[1]
    while test (count $words) -gt 0; and string match -q -- '-*' $words[1]; and test "$words[1]" != --
        if contains -- $words[1] $argv
            set -e words[1]
        end
        set -e words[1]
    end
    for word in $words
        printf '%s\n' $word
    end
    return 0
end

# Completes the last item of a comma-separated list: kinds of output, and files.
function @F@_outputs
    set -l token (commandline -ct | string replace -r -- '^-[^=]*=' '')
    set -l before (string match -r -- '^.*,' $token)
    for kind in @OUTPUTS@
        printf '%s\n' "$before$kind"
    end
    for file in (__fish_complete_path (string replace -r -- '^.*,' '' $token))
        printf '%s\n' "$before$file"
    end
end

# Completes a program, and then its own words.
function @F@_program
    if test "$argv[1]" = --
        set -e argv[1]
    end
    if test (count $argv) -gt 0
        complete -C (string join ' ' -- (string escape -- $argv) (commandline -ct))
    else if not string match -q -- '-*' (commandline -ct)
        __fish_complete_command
    end
end

@COMPLETIONS@
