# cmake -DBUILD=.. -DCONSUMER=.. -DWORK=.. -DGENERATOR=.. -DC_COMPILER=.. -DCXX_COMPILER=.. -DCOMPUTES=0|1 -P consume.cmake
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component plusmax)
step("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}")
step("${CMAKE_COMMAND}" --build "${WORK}/build")
step("${WORK}/build/consumer" ${COMPUTES})

# A consumer gets the library, its headers and its package: nothing of the harness.
file(GLOB_RECURSE installed RELATIVE "${WORK}/prefix" "${WORK}/prefix/*")
foreach(file IN LISTS installed)
  if(NOT file MATCHES "^include/plusmax/[a-z]+\\.(h|hpp)$" AND NOT file MATCHES "/libplusmax\\.[a-z0-9.]+$" AND NOT file MATCHES "/cmake/plusmax/plusmax[-_][a-z-]+\\.cmake$")
    message(FATAL_ERROR "installed, and no part of the library: ${file}")
  endif()
endforeach()
