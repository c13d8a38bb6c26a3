@HEAD@

# What a command takes: its options, those that have a value, those whose value stands behind a sign, and what follows.
@F@_takes() {
  case $1 in
@TABLES@
    *) return 1 ;;
  esac
}

@F@_choices() { COMPREPLY=($(compgen -W "$1" -- "$value")); }

@F@_folders() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$value"))
}

# Files, those with these endings if some are given, and folders.
@F@_files() {
  compopt -o filenames 2>/dev/null
  local ending
  (($#)) || COMPREPLY=($(compgen -f -- "$value"))
  (($#)) && COMPREPLY=($(compgen -d -- "$value"))
  for ending; do COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$value")); done
}

# Kinds of output, and files: the last of a list with commas.
@F@_outputs() {
  local last=${value##*,} before=
  [[ $value == *,* ]] && before=${value%,*},
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W '@OUTPUTS@' -- "$last") $(compgen -P "$before" -f -- "$last"))
}

@F@_value() {
  case $1 in
@VALUES@
  esac
}

# A program, and what it takes.
@F@_program() {
  if ((at == COMP_CWORD)); then
    COMPREPLY=($(compgen -c -- "$value") $(compgen -d -- "$value"))
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$at"
  else
    @F@_files
  fi
}

@F@() {
  COMPREPLY=()
  local command= options valued joined words at=1 option ended= recording= value=${COMP_WORDS[COMP_CWORD]}
  if [[ ' @COMMANDS@ ' == *" ${COMP_WORDS[1]} "* ]] && ((COMP_CWORD > 1)); then
    command=${COMP_WORDS[1]} at=2
  fi
  @F@_takes "$command" || return

  # Our own options, up to `at`: the rest is a program's, or files. To bash a sign is a word: --name = value.
  while ((at < COMP_CWORD)); do
    option=${COMP_WORDS[at]}
    [[ $option != -* && $words == @(program|commands) ]] && break
    at=$((at + 1))
    [[ $option != -* ]] && recording=$option && continue
    [[ $option == -- ]] && ended=yes && break
    if [[ ${COMP_WORDS[at]} == = ]]; then
      if ((at + 1 >= COMP_CWORD)); then
        ((at == COMP_CWORD)) && value=
        @F@_value "$command$option"
        return
      fi
      at=$((at + 2))
    elif [[ $valued == *" $option "* && $joined != *" $option "* ]]; then
      if ((at == COMP_CWORD)); then
        @F@_value "$command$option"
        return
      fi
      at=$((at + 1))
    fi
  done

  # Only before a program's words, options are ours alone.
  if [[ $value == -* && ! $ended ]] && { [[ $words != program ]] || ((at == COMP_CWORD)); }; then
    COMPREPLY=($(compgen -W "$options" -- "$value"))
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
  fi
  case $words in
    commands) ((at == COMP_CWORD)) && @F@_choices '@COMMANDS@' ;;
    program) @F@_program ;;
    convert) if [[ $recording ]]; then @F@_outputs; else @F@_files gprof; fi ;;
    sources) if [[ $ended ]]; then @F@_files; else @F@_files @SOURCES@; fi ;;
    files) @F@_files ;;
  esac
  return 0
}

complete -F @F@ @NAME@
