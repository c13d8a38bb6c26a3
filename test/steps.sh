# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What examples/run, examples/run_python/run, test/run and tool/release/build share: packages from apt, numbered steps with their times, and logs that
# are shown only if a step fails. Each of them sets stepCount and logDir, then sources this file.

step=0

# say TEXT: one line, as is.
say() { printf '%s\n' "$*"; }

# elapsed SECONDS: "7 s" or "2 min 07 s".
elapsed() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# progress LOG: until it is killed, how far the log's last line `[A/B] ...` says that its command is; on a terminal every second, in
# the place of what was said before, else once a minute.
progress() {
  local done all said=$SECONDS shown='' now
  while sleep 1 && kill -0 $$; do
    read -r done all < <(tail -c 4096 "$1" | sed -nE 's|^\[([0-9]+)/([1-9][0-9]*)\].*|\1 \2|p' | tail -n 1) || continue
    now=$((100 * done / all))%
    if [[ -t 1 ]]; then
      printf '%s%-4s' "$shown" "$now"
      shown=$'\b\b\b\b'
    elif ((SECONDS - said >= 60)); then
      printf '%s ' "$now"
      said=$SECONDS
    fi
  done
}

# quietly TITLE COMMAND...: a numbered step; its output goes to a log. Returns the command's status and leaves the log's
# name in stepLog.
quietly() {
  local title=$1 begin=$SECONDS status=0
  shift
  step=$((step + 1))
  stepLog=$logDir/$(printf '%02d' "$step").log
  mkdir -p "$logDir"
  printf '[%d/%d] %s ... ' "$step" "$stepCount" "$title"
  : >"$stepLog"
  progress "$stepLog" 2>/dev/null &
  "$@" >"$stepLog" 2>&1 </dev/null || status=$?
  { kill $! && wait $!; } 2>/dev/null || true
  [[ -t 1 ]] && printf '\r[%d/%d] %s ... ' "$step" "$stepCount" "$title"
  if ((status == 0)); then
    say "done, $(elapsed $((SECONDS - begin)))"
  else
    say "FAILED after $(elapsed $((SECONDS - begin))), status $status"
  fi
  return "$status"
}

# showLog [LINES]: the end of the last step's log, where the rest is, and where a disk is full, whose errors may not say so.
showLog() {
  local full
  sed 's/^/    | /' <(tail -n "${1:-40}" "$stepLog")
  full=$(df -P -BM . "${TMPDIR:-/tmp}" | awk 'NR > 1 && $4 + 0 < 1024 { print $4 " on " $6 }' | sort -u | paste -sd,) || true
  [[ -z $full ]] || say "    little is left of the disk: $full"
  say "    whole log: $stepLog"
}

# required TITLE COMMAND...: a step without which the rest makes no sense.
required() {
  quietly "$@" || {
    showLog
    exit 1
  }
}

# announce TITLE: a numbered step whose output is part of the show.
announce() {
  step=$((step + 1))
  printf '[%d/%d] %s\n' "$step" "$stepCount" "$1"
}

asRoot() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

missingPackages() {
  local package
  for package; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == 'install ok installed' ]] || printf '%s\n' "$package"
  done
}

installPackages() {
  local missing
  mapfile -t missing < <(missingPackages "$@")
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    say "These packages are missing, and neither root nor sudo is at hand: ${missing[*]}"
    return 1
  fi
  asRoot env DEBIAN_FRONTEND=noninteractive apt-get update
  asRoot env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" || {
    say "LLVM 22 for Debian 12 is in its security archive: bookworm-security main must be among apt's sources."
    return 1
  }
}

# packages NAME...: makes sure that they are installed; touches apt only where one is missing.
packages() {
  local missing
  mapfile -t missing < <(missingPackages "$@")
  if ((${#missing[@]} == 0)); then
    required "Packages: all there" true
  else
    required "Packages: installing ${#missing[@]} with apt" installPackages "$@"
  fi
}

# What graphprof is built with on Debian 12.
buildPackages=(cmake ninja-build g++ python3 clang-22 libclang-22-dev llvm-22-dev libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev
  libsqlite3-dev libncurses-dev prometheus-cpp-dev)

# buildGraphprof: three steps that install packages, configure build/release and build all of it, so that it can be installed, too.
buildGraphprof() {
  packages "${buildPackages[@]}"
  required "Configuring" cmake --preset release
  required "Building graphprof (minutes, the first time)" cmake --build build/release
}

# show COMMAND...: prints the command, runs it.
show() {
  say "    $ $*"
  "$@"
}

# nvcc on the path, or where the toolkit's installer puts it; empty where there is none.
findNvcc() {
  command -v nvcc || { [[ -x /usr/local/cuda/bin/nvcc ]] && printf '/usr/local/cuda/bin/nvcc\n'; } || true
}

# The number of GPUs that the driver shows.
countGpus() {
  { nvidia-smi --list-gpus 2>/dev/null || true; } | grep -c '^GPU ' || true
}
