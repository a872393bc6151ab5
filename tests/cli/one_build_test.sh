#!/usr/bin/env bash
# one_build_test.sh SCRIPT: while another run of ./plusmax builds, the script says so, waits, and then runs. Its directory is a
# copy in which there is nothing to build.
set -euo pipefail
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
build=$root/build/host
mkdir -p "$build" "$root/bin"
cp "$1" "$root/plusmax"
touch "$build/build.ninja" "$build/configured"
printf '#!/bin/sh\necho "ninja: no work to do."\n' > "$root/bin/ninja"
printf '#!/bin/sh\necho "ran $*"\n' > "$build/plusmax"
chmod +x "$root/bin/ninja" "$build/plusmax"

expect() {  # WHAT GOT WANTED
  [[ $2 == "$3" ]] && return
  printf '%s: got "%s", wanted "%s"\n' "$1" "$2" "$3"
  exit 1
}

run() { PATH=$root/bin:$PATH PLUSMAX_PRESET=host "$root/plusmax" list > "$root/printed" 2> "$root/said"; }

run
expect "alone" "$(cat "$root/printed" "$root/said")" "ran list"

exec 8> "$build.lock"
flock 8
run 8>&- &
waiting="plusmax: another run is at work in $build: waiting for it"
for _ in {1..100}; do
  [[ -s $root/said ]] && break
  sleep 0.1
done
expect "beside another" "$(cat "$root/printed" "$root/said")" "$waiting"
exec 8>&-
wait $!
expect "after the other" "$(cat "$root/printed" "$root/said")" "ran list"$'\n'"$waiting"
