# cmake -DROOT=tree -DOUT=scratch -P check_pitfalls.cmake: fails if docs/pitfalls.md is not what the mutant files give.
include("${ROOT}/cmake/pitfalls.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${OUT}" "${ROOT}/docs/pitfalls.md" RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "docs/pitfalls.md is stale: cmake -DROOT=. -DOUT=docs/pitfalls.md -P cmake/pitfalls.cmake")
endif()
