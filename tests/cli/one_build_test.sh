#!/usr/bin/env bash
# one_build_test.sh SCRIPT: two runs of ./plusmax never build in one directory at once, even if the first script is killed
# while its build goes on; a program that runs holds nothing up. Its directory is a copy, its ninja writes down what it sees.
set -euo pipefail
command -v flock > /dev/null || { echo "no flock here: nothing is promised"; exit 77; }
root=$(mktemp -d)
trap 'touch "$root/go"; wait; rm -rf "$root"' EXIT
build=$root/build/host
mkdir -p "$build" "$root/bin"
cp "$1" "$root/plusmax"
touch "$build/build.ninja" "$build/configured"

cat > "$root/bin/ninja" << NINJA
#!/usr/bin/env bash
if [[ " \$* " == *" -n "* ]]; then
  if [[ -e $root/built ]]; then echo "ninja: no work to do."; fi
  exit
fi
sleep 3 > /dev/null 2>&1 &  # a compiler cache's server, say
if flock --nonblock $build/lock true; then echo "nobody holds the lock"; else echo "begins"; fi >> $root/seen
for _ in {1..200}; do
  if [[ -e $root/go ]]; then break; fi
  sleep 0.05
done
touch $root/built
echo "ends" >> $root/seen
NINJA
cat > "$build/plusmax" << PROGRAM
#!/usr/bin/env bash
flock --nonblock $build/lock true && echo "ran \$*, the lock is free"
PROGRAM
chmod +x "$root/bin/ninja" "$build/plusmax"

run() {  # NAME
  PATH=$root/bin:$PATH PLUSMAX_PRESET=host exec "$root/plusmax" list > "$root/$1.printed" 2> "$root/$1.said"
}
wait_for() {  # TEXT FILE
  for _ in {1..200}; do
    if grep -qs "$1" "$2"; then return; fi
    sleep 0.05
  done
  echo "\"$1\" never came to ${2##*/}"
  exit 1
}
expect() {  # WHAT GOT WANTED
  [[ $2 == "$3" ]] && return
  printf '%s: got "%s", wanted "%s"\n' "$1" "$2" "$3"
  exit 1
}

run first &
first=$!
wait_for begins "$root/seen"
kill -KILL $first
run second &
second=$!
wait_for waiting "$root/second.said"
expect "while the first build goes on" "$(cat "$root/seen")" begins
touch "$root/go"
wait $second
expect "both builds" "$(cat "$root/seen")" $'begins\nends\nbegins\nends'
expect "the second run" "$(cat "$root/second.printed")" "ran list, the lock is free"
