# One discovery rule: the file name is the name. DIRECTORY/NAME.EXT defines `extern const TYPE NAME` in NAMESPACE;
# the generated table is `std::span<const TYPE* const> FUNCTION()` in the same namespace. A missing object is a link error. No
# files make an empty table.
#
#   plusmax_discover(TARGET t FILES a.cpp b.cpp TYPE Check NAMESPACE plusmax::properties::logsumexp FUNCTION checks
#                    HEADER "properties/check.hpp")
function(plusmax_discover)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;TYPE;NAMESPACE;FUNCTION;HEADER" "FILES")
  set(declarations "")
  set(entries "")
  list(SORT arg_FILES)
  foreach(file IN LISTS arg_FILES)
    cmake_path(GET file STEM name)
    string(REGEX REPLACE "^[0-9]+_" "" name "${name}") # reports/sections/NN_NAME.cpp
    string(APPEND declarations "extern const ${arg_TYPE} ${name};\n")
    string(APPEND entries "&${name}, ")
  endforeach()
  set(body "static const ${arg_TYPE}* const table[] = {${entries}};
std::span<const ${arg_TYPE}* const> ${arg_FUNCTION}() { return table; }")
  if(NOT arg_FILES)
    set(body "std::span<const ${arg_TYPE}* const> ${arg_FUNCTION}() { return {}; }")
  endif()
  string(MAKE_C_IDENTIFIER "${arg_NAMESPACE}_${arg_FUNCTION}" id)
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_${id}_table.cpp")
  file(CONFIGURE OUTPUT "${table}" @ONLY CONTENT
"// Generated from the file names.
#include \"@arg_HEADER@\"
#include <span>
namespace @arg_NAMESPACE@ {
@declarations@@body@
}
")
  target_sources(${arg_TARGET} PRIVATE "${table}")
endfunction()
