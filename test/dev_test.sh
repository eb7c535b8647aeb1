#!/usr/bin/env bash
# ctest: what ./dev installs, and what it asks before. apt-get, pip, cmake and the like are stubs that write down what they
# are told.
#   dev_test.sh ROOT WORK
set -euo pipefail
root=$1 work=$2 stubs=$2/stubs log=$2/log
command -v script >/dev/null || { echo "not run: no script(1)"; exit 0; }
rm -rf -- "$work"
mkdir -p -- "$stubs"

# stub NAME [COMMANDS]
stub() {
  printf '#!/bin/sh\n%s\n' "${2-}" >"$stubs/$1"
  chmod +x "$stubs/$1"
}
stub dpkg-query 'exit 1'
stub pkg-config 'exit 1'
stub no-compiler 'exit 1' # so that no header is found
# shellcheck disable=SC2016  # the stub expands it
stub sudo 'while [ "${1#-}" != "$1" ]; do shift; done; exec "$@"'
for name in apt-get cmake ctest; do stub $name "echo $name \"\$@\" >>'$log'"; done
# An interpreter whose environments hold itself.
stub python3.14 "echo python \"\$@\" >>'$log'
if [ \"\$2\" = venv ]; then mkdir -p \"\$4/bin\" && cp '$stubs/python3.14' \"\$4/bin/python\"; fi"

# dev HOW WORDS...: runs ./dev on a terminal on which HOW is typed, or on none; what it said is in `said`, what was done in `did`.
dev() {
  local how=$1 words
  shift
  rm -rf -- "$log" "$work/build"
  touch "$log"
  printf -v words '%q ' env "PATH=$stubs:/usr/bin:/bin" "CXX=$stubs/no-compiler" CMAKE_PREFIX_PATH= "$root/dev" \
    --build "$work/build" "$@"
  if [[ $how == none ]]; then
    said=$(bash -c "$words" 2>&1 </dev/null) || fail "$* ended with $?"
  else
    said=$(printf %s "$how" | timeout 120 script -qec "$words" /dev/null 2>&1) || fail "$* ended with $?"
  fi
  did=$(<"$log")
}

fail() {
  printf 'FAILED: %s\n--- said:\n%s\n--- did:\n%s\n' "$*" "$said" "$(<"$log")"
  exit 1
}
says() { [[ $said == *"$1"* ]] || fail "\"$1\" was not said"; }
does() { [[ $did == *"$1"* ]] || fail "\"$1\" was not done"; }
does_not() { [[ $did != *"$1"* ]] || fail "\"$1\" was done"; }
asks() {
  local questions
  questions=$(grep -o 'Y/n' <<<"$said" | wc -l || true)
  ((questions == $1)) || fail "$questions questions, not $1"
}

dev none packages
asks 0
does 'apt-get -qq'
does ' libfmt-dev'

dev none --no-install packages
asks 0
does_not apt-get
says 'not found, and needed: libfmt-dev'

dev $'\n' packages
asks 1
does ' libfmt-dev'

dev $'n\n' packages
asks 1
does_not apt-get
says 'not found, and needed: libfmt-dev'

# One question for everything that the tests need, pip's packages too.
dev $'\n' test
asks 1
says nanobind
does ' libfmt-dev'
does ' slepc-dev'
does 'python -m pip install'
does 'ctest --test-dir'

dev $'n\n' test
asks 1
does_not apt-get
does_not pip
does 'ctest --test-dir'

dev none test
asks 0
does ' libfmt-dev'
does 'python -m pip install'

dev $'\n' --no-install test
asks 0
does_not apt-get
does_not pip
echo passed
