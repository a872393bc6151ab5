# cmake -DROOT=tree -DOUT=file -P pitfalls.cmake: docs/pitfalls.md from the mutant files.
cmake_policy(VERSION 3.25)
file(GLOB files "${ROOT}/properties/mutants/*.mutant")
list(SORT files)
set(text "# Pitfalls

Every mistake that is planted in the kernels to prove that the checks find it: what people get wrong, where it is planted, and
the check that must kill it. Generated from `properties/mutants/*.mutant` by
`cmake -DROOT=. -DOUT=docs/pitfalls.md -P cmake/pitfalls.cmake`; a test holds it up to date.

| mutant | the mistake | planted in | killed by | reported |
|---|---|---|---|---|
")
foreach(mutant IN LISTS files)
  cmake_path(GET mutant STEM name)
  foreach(key IN ITEMS why file killed-by sources)
    file(STRINGS "${mutant}" line REGEX "^${key}: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^${key}: *" "" line "${line}")
    string(REPLACE "|" "\\|" ${key} "${line}")
  endforeach()
  string(REGEX REPLACE "(https?://[^ ,]+)" "<\\1>" sources "${sources}")
  string(APPEND text "| `${name}` | ${why} | `${file}` | `${killed-by}` | ${sources} |\n")
endforeach()
file(WRITE "${OUT}" "${text}")
