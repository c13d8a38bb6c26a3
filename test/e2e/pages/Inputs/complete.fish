# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What fish offers for each line: complete.fish SHARE

set fish_complete_path $argv[1]/fish/vendor_completions.d $fish_complete_path
for line in "graphprof ru" "graphprof run --clock s" "graphprof run --clock=e" "graphprof run -o table,rep" "graphprof run -o tr" \
        "graphprof run --nodes -- cat b" "graphprof run cat --cl" "graphprof info --x" "graphprof convert ru" "graphprof-convert run.gprof key" \
        "graphprof-instrument --auto=f" "graphprof-instrument a" "graphprof-cc --like=c"
    set -l offered (complete -C $line | string replace -r '\t.*' '')
    echo "$line:$(printf ' %s' $offered)"
end
