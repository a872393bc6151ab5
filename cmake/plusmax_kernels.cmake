# Kernels are compiled three ways from one source: on the host machine, by nvcc, and once more for every planted mutant from
# an overlay in which one file differs.
#
# A kernels/OP/NAME.cu is never compiled by itself: a generated one-line source includes it by its root-relative name, so the
# include path decides whose copy it is (the overlay's, or ours), and the extension of that line's file decides the compiler.

set(PLUSMAX_KERNEL_OPS logsumexp cross_entropy linear_cross_entropy)
set(PLUSMAX_MODULE_DIR "${PROJECT_BINARY_DIR}/modules")

if(PLUSMAX_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80;90" CACHE STRING "CUDA architectures")
  endif()
  if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(plusmax_nvcc nvcc HINTS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
    if(NOT plusmax_nvcc)
      message(FATAL_ERROR "PLUSMAX_CUDA is ON and no nvcc is found: install a CUDA Toolkit, set CUDACXX, or use -DPLUSMAX_CUDA=OFF")
    endif()
    set(CMAKE_CUDA_COMPILER "${plusmax_nvcc}" CACHE FILEPATH "nvcc")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

# What kernels are compiled with, by backend.
add_library(plusmax_kernel_options_host INTERFACE)
target_link_libraries(plusmax_kernel_options_host INTERFACE plusmax_options)
# Kernels look at memory through several types.
target_compile_options(plusmax_kernel_options_host INTERFACE -fno-strict-aliasing)
if(PLUSMAX_CUDA)
  add_library(plusmax_kernel_options_cuda INTERFACE)
  target_compile_features(plusmax_kernel_options_cuda INTERFACE cxx_std_20)
  target_include_directories(plusmax_kernel_options_cuda INTERFACE "${PROJECT_SOURCE_DIR}")
  target_compile_options(plusmax_kernel_options_cuda INTERFACE
    # -fmad=false: every fused multiply-add is written fma(). Warnings of the host compiler reach nvcc's own stubs: fewer.
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -fmad=false --expt-relaxed-constexpr -lineinfo -Xcompiler=-Wall,-ffp-contract=off>
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -Wall -Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${PLUSMAX_WERROR}>>:-Werror>)
endif()

# Names "OP/VARIANT" of all variants of this build.
function(plusmax_kernel_variants output)
  set(found "")
  foreach(op IN LISTS PLUSMAX_KERNEL_OPS)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/${op}/*.cu")
    foreach(file IN LISTS files)
      cmake_path(GET file STEM name)
      list(APPEND found "${op}/${name}")
    endforeach()
  endforeach()
  set(${output} "${found}" PARENT_SCOPE)
endfunction()

# Adds to TARGET: the one-line sources of these variants (EXT is theirs: cpp or cu), of the parts that their operations
# share (kernels/OP/parts/NAME.cu, which are no variants), of what plans them and of what bench measures them against
# (kernels/OP/plan.cpp, kernels/OP/product_ceiling.cpp), the tables, module.cpp.
function(plusmax_kernel_sources)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;EXT" "VARIANTS")
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.kernels")
  foreach(op IN LISTS PLUSMAX_KERNEL_OPS)
    set(files "")
    foreach(variant IN LISTS arg_VARIANTS)
      cmake_path(GET variant PARENT_PATH variant_op)
      if(variant_op STREQUAL op)
        set(line "${directory}/${variant}.${arg_EXT}")
        file(CONFIGURE OUTPUT "${line}" CONTENT "#include \"kernels/${variant}.cu\"\n")
        list(APPEND files "${line}")
      endif()
    endforeach()
    set(parts "")
    if(files)
      file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/kernels" "${PROJECT_SOURCE_DIR}/kernels/${op}/parts/*.cu")
      foreach(source IN LISTS sources)
        cmake_path(REPLACE_EXTENSION source LAST_ONLY "${arg_EXT}" OUTPUT_VARIABLE line)
        set(line "${directory}/${line}")
        file(CONFIGURE OUTPUT "${line}" CONTENT "#include \"kernels/${source}\"\n")
        list(APPEND parts "${line}")
      endforeach()
      foreach(source plan product_ceiling)
        if(EXISTS "${PROJECT_SOURCE_DIR}/kernels/${op}/${source}.cpp")
          set(line "${directory}/${op}/${source}.cpp")
          file(CONFIGURE OUTPUT "${line}" CONTENT "#include \"kernels/${op}/${source}.cpp\"\n")
          list(APPEND parts "${line}")
        endif()
      endforeach()
    endif()
    target_sources(${arg_TARGET} PRIVATE ${files} ${parts})
    if(arg_EXT STREQUAL "cpp")
      # On the host a kernel runs no faster at -O2 (docs/host-simt.md), and its many instances compile twice as long.
      set(options -O1)
      if(PLUSMAX_SANITIZE STREQUAL "race")
        list(APPEND options -fsanitize=thread)
      endif()
      set_source_files_properties(${files} ${parts} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    plusmax_discover(TARGET ${arg_TARGET} FILES ${files} TYPE ::plusmax::KernelVariant<Params>
      NAMESPACE plusmax::${op} FUNCTION variants HEADER "kernels/catalog.hpp")
  endforeach()
  target_sources(${arg_TARGET} PRIVATE "${PROJECT_SOURCE_DIR}/kernels/module.cpp")
endfunction()

# plusmax_add_kernel_module(NAME n BACKEND host|cuda [OBJECTS target | [OVERLAY dir] [VARIANTS OP/NAME ...]])
#
# A kernel module: a .so to dlopen, which exports plusmax_module() and nothing else. On the host what it lacks of the machine
# and of kernels comes from the executable, so there is one machine in a process; on a GPU it is linked in. OBJECTS: of kernels
# that are compiled already. Without VARIANTS it holds all of them; with OVERLAY every file that exists under dir/kernels takes
# the place of ours, headers included.
# Target and file: plusmax_NAME, modules/plusmax_NAME.so; with an overlay: mutant_NAME_BACKEND, modules/mutants/NAME.BACKEND.so.
function(plusmax_add_kernel_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;BACKEND;OVERLAY;OBJECTS" "VARIANTS")
  if(NOT arg_BACKEND MATCHES "^(host|cuda)$")
    message(FATAL_ERROR "plusmax_add_kernel_module(NAME ${arg_NAME}): BACKEND is '${arg_BACKEND}', must be host or cuda")
  endif()
  if(NOT arg_VARIANTS)
    plusmax_kernel_variants(arg_VARIANTS)
  endif()
  set(target plusmax_${arg_NAME})
  set(output "${PLUSMAX_MODULE_DIR}")
  set(file plusmax_${arg_NAME})
  if(arg_OVERLAY)
    set(target mutant_${arg_NAME}_${arg_BACKEND})
    set(output "${PLUSMAX_MODULE_DIR}/mutants")
    set(file "${arg_NAME}.${arg_BACKEND}")
  endif()

  add_library(${target} MODULE)
  set(extension cpp)
  if(arg_BACKEND STREQUAL "cuda")
    set(extension cu)
    target_link_libraries(${target} PRIVATE plusmax_cuda_platform CUDA::cudart_static)
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  endif()
  if(arg_OBJECTS)
    target_link_libraries(${target} PRIVATE ${arg_OBJECTS})
  else()
    plusmax_kernel_sources(TARGET ${target} EXT ${extension} VARIANTS ${arg_VARIANTS})
    target_link_libraries(${target} PRIVATE plusmax_kernel_options_${arg_BACKEND})
    if(arg_BACKEND STREQUAL "cuda")
      target_link_libraries(${target} PRIVATE plusmax_cuda_archive)
    endif()
  endif()
  if(arg_OVERLAY)
    target_include_directories(${target} BEFORE PRIVATE "${arg_OVERLAY}")
  endif()
  # Exports by list rather than by -fvisibility: the machine's symbols stay undefined here and must not be hidden.
  set(exports "${PROJECT_SOURCE_DIR}/cmake/module.exports")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}" "LINKER:-Bsymbolic")
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "${file}" SUFFIX ".so" LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY "${output}" LINK_DEPENDS "${exports}" POSITION_INDEPENDENT_CODE ON)
endfunction()
