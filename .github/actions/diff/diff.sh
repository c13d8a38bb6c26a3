#!/bin/bash
# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The action's only step. Takes its inputs from the environment; see action.yml.
set -u
read -ra options <<< "${OPTIONS:-}"
[ "${STRICT:-false}" = true ] && options+=(--strict)
# shellcheck disable=SC2206 # patterns
before=($BEFORE) after=($AFTER)
table=$(graphprof diff --markdown --threshold "$THRESHOLD" --floor "$FLOOR" ${options[@]+"${options[@]}"} "${before[@]}" -- "${after[@]}")
status=$?
[ -z "$table" ] || printf '%s\n' "$table" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "status=$status" >> "${GITHUB_OUTPUT:-/dev/null}"
case $status in
  0) ;;
  1 | 3) [ "${FAIL:-true}" = false ] || exit $status ;;
  *) exit $status ;;
esac
