#!/usr/bin/env bash
# check_readme.sh README PLUSMAX: where the README shows one command and its output right below, the command must print that.
set -euo pipefail
readme=$1 plusmax=$2
command="" shown="" block="" checked=0 failed=0

compare() {
  local printed
  printed=$(eval "${command/#.\/plusmax/\"\$plusmax\"} --backend host") || printed+=$'\n'"exit code $?"
  checked=$((checked + 1))
  [[ $printed == "${shown%$'\n'}" ]] && return
  failed=$((failed + 1))
  printf 'README shows another output of %s\n' "$command"
  diff <(printf '%s\n' "${shown%$'\n'}") <(printf '%s\n' "$printed") || true
}

while IFS= read -r line; do
  case $block:$line in
    :'```sh') block=command command="" ;;
    :'```') block=$([[ $command == ./plusmax* && $command != *$'\n'* ]] && echo output || echo other) shown="" ;;
    :'```'*) block=other command="" ;;
    output:'```') compare; block="" command="" ;;
    *:'```') block="" ;;
    command:*) command+=${command:+$'\n'}$line ;;
    output:*) shown+=$line$'\n' ;;
    :*) command="" ;;  # text between: what follows is no output of it
  esac
done < "$readme"
printf '%d outputs in %s compared, %d differ\n' "$checked" "$readme" "$failed"
[[ $checked -gt 0 && $failed == 0 ]]
