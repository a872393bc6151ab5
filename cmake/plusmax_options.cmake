# plusmax_options: what every target of this project compiles with. Nothing global.
add_library(plusmax_options INTERFACE)
target_compile_features(plusmax_options INTERFACE cxx_std_20)
target_include_directories(plusmax_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(plusmax_options INTERFACE
  # Every fused multiply-add is written fma(): one source, one sequence of roundings (docs/numerics.md).
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -Wall -Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${PLUSMAX_WERROR}>>:-Werror>)
if(PLUSMAX_SANITIZE STREQUAL "address")
  target_compile_options(plusmax_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(plusmax_options INTERFACE -fsanitize=address,undefined)
elseif(PLUSMAX_SANITIZE STREQUAL "race")
  # The host machine takes in its race detector. Kernels are compiled with -fsanitize=thread besides; nothing is linked with it.
  target_compile_definitions(plusmax_options INTERFACE PLUSMAX_RACE=1)
elseif(NOT PLUSMAX_SANITIZE STREQUAL "")
  message(FATAL_ERROR "PLUSMAX_SANITIZE is '${PLUSMAX_SANITIZE}': use address, race or nothing")
endif()
