# Writes OUTPUT (a header) with the revision of SOURCE_DIR, only if it changed, so that a build without news compiles nothing.
set(revision "unknown")
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE head
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed)
  set(revision "${head}")
  execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT changes STREQUAL "")
    string(APPEND revision "+dirty")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "// Generated.\n#pragma once\n#define PLUSMAX_GIT_REVISION \"@revision@\"\n" @ONLY)
