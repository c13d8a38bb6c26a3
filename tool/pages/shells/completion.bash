@HEAD@

# Sets what a command accepts: its options, those with a value, those with a value behind `=`, and what follows the options.
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

# Completes folders and files, only those with the given endings if any are given.
@F@_files() {
  compopt -o filenames 2>/dev/null
  local ending
  (($#)) || COMPREPLY=($(compgen -f -- "$value"))
  (($#)) && COMPREPLY=($(compgen -d -- "$value"))
  for ending; do COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$value")); done
}

# Completes the last item of a comma-separated list: kinds of output, and files.
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

# Completes a program, and then its own words.
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

  # Skips graphprof's own options, up to `at`. The rest are a program's words, or files. For bash, `=` is a word of its own.
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

  # Behind a program's name, options are the program's.
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
