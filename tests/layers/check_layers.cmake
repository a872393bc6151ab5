# cmake -DROOT=tree -P check_layers.cmake: fails on an include that goes against the layers, naming file and line.
cmake_policy(VERSION 3.25)
set(breaches "")

# LAYER may include project headers whose path matches ALLOWED, and library headers only where LIBRARIES matches.
function(check LAYER ALLOWED)
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/${LAYER}/*.hpp" "${ROOT}/${LAYER}/*.cpp" "${ROOT}/${LAYER}/*.h"
    "${ROOT}/${LAYER}/*.cu" "${ROOT}/${LAYER}/*.cuh" "${ROOT}/${LAYER}/*.c")
  foreach(file IN LISTS files)
    file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
      check_line("${file}" "${line}" "${ALLOWED}")
    endforeach()
  endforeach()
  set(breaches "${breaches}" PARENT_SCOPE)
endfunction()

function(check_line file line allowed)
  if(line MATCHES "include[ \t]*\"([^\"]+)\"")
    set(header "${CMAKE_MATCH_1}")
    if(header MATCHES "^\\.\\.?/")
      list(APPEND breaches "${file}: ${line}: includes are root-relative")
    elseif(NOT header MATCHES "${allowed}")
      list(APPEND breaches "${file}: ${line}: this layer may only include ${allowed}")
    elseif(header MATCHES "^properties/(ops|checks)/([a-z_]+)/")
      set(op "${CMAKE_MATCH_2}")
      if(NOT file MATCHES "^properties/(ops|checks)/${op}(/|\\.cpp$)")
        list(APPEND breaches "${file}: ${line}: belongs to the operation ${op} alone")
      endif()
    endif()
  elseif(line MATCHES "include[ \t]*<([^>]+)>")
    set(header "${CMAKE_MATCH_1}")
    foreach(row IN ITEMS
        "^boost/context/=^kernels/platform/host/" "^boost/(multiprecision|math)/=^reference/" "^(Eigen|mpfr|gmp)=^reference/"
        "^rapidcheck=^properties/gen/" "^catch2/=^tests/" "^nlohmann/=^(reports|tests/reports)/" "^CLI/=^cli/"
        "^(cuda|cooperative_groups|cub/|thrust/)=^kernels/(platform/|primitives/|bench/|tools/)"
        "^fmt/=^(reference|properties|reports|cli|tests)/")
      string(REGEX MATCH "^(.*)=([^=]*)$" _ "${row}")
      set(library "${CMAKE_MATCH_1}")
      set(home "${CMAKE_MATCH_2}")
      if(header MATCHES "${library}" AND NOT file MATCHES "${home}")
        list(APPEND breaches "${file}: ${line}: <${header}> belongs to ${home}")
      endif()
    endforeach()
  endif()
  set(breaches "${breaches}" PARENT_SCOPE)
endfunction()

set(doors "kernels/(catalog\\.hpp|error_shape\\.h|status\\.hpp|platform/(device|bench)\\.hpp|include/plusmax/types\\.h|(logsumexp|cross_entropy|linear_cross_entropy)/params\\.hpp)$")
check(kernels "^(kernels|plusmax)/")
check(reference "^(reference/|kernels/error_shape\\.h$|kernels/include/plusmax/types\\.h$)")
check(properties "^(properties/|reference/|${doors})")  # and of properties/ops/OP/ what lies under the same OP
check(reports "^(reports/|properties/record\\.hpp$)")
check(cli "^(cli/|reports/|properties/|reference/|${doors})")

if(breaches)
  list(JOIN breaches "\n  " breaches)
  message(FATAL_ERROR "includes against the layers of docs/design.md:\n  ${breaches}")
endif()
