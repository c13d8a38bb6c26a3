# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What bash offers for the last word of each line, with the words as bash has them: complete.bash SHARE

share=$1
offers() {
  source "$share/bash-completion/completions/$1"
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  "_${1//-/_}"
  printf '%s:' "$*"
  ((${#COMPREPLY[@]})) && printf ' %s' "${COMPREPLY[@]}"
  printf '\n'
}

offers graphprof r
offers graphprof run --no-h
offers graphprof run --clock s
offers graphprof run --clock = e
offers graphprof run -o tr
offers graphprof run -o table,rep
offers graphprof run --nodes -- cat b
offers graphprof run cat --cl
offers graphprof run -- --cl
offers graphprof sim ''
offers graphprof sim a.cu -- b
offers graphprof convert ''
offers graphprof-convert run.gprof key
offers graphprof-instrument --au
offers graphprof-instrument --auto =
offers graphprof-instrument --auto = f
offers graphprof-instrument ''
offers graphprof-instrument a.cu -- b
offers graphprof-instrument a.cu --str
offers graphprof-instrument --out-dir = f
offers graphprof-cc --strict --like = c
offers graphprof-cc --no-m
