# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#   cudasim_add_executable(<name> <source>...)
#   cudasim_add_executable(<name> PRECOMPILE <header>... SOURCES <source>...)
#   cudasim_add_executable(<name> REUSE_FROM <other> SOURCES <source>...)
#   cudasim_add_library(<name> <source>...)
#
# A program for the simulation, or a static library for such programs. clang compiles its .cu sources (through cudasim-cc), the
# project's own compiler the others. The target's include directories and definitions apply to both. PRECOMPILE and REUSE_FROM are
# graphprof_precompile for the .cu sources: clang cannot precompile a CUDA header alone, so the headers are included by a source.

set(CUDASIM_CC ${CMAKE_CURRENT_BINARY_DIR}/cudasim-cc CACHE INTERNAL "Compiles a program for the simulation")
# In tests the same program always gives the same times.
set(CUDASIM_VIRTUAL_TIME ${CMAKE_CURRENT_SOURCE_DIR}/VirtualTime.cpp CACHE INTERNAL "")
set(CUDASIM_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/include CACHE INTERNAL "")

function(cudasim_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "REUSE_FROM" "PRECOMPILE;SOURCES")
  set(precompiled)
  if(arg_REUSE_FROM AND GRAPHPROF_PRECOMPILE)
    set(precompiled ${CMAKE_CURRENT_BINARY_DIR}/${arg_REUSE_FROM}.dir/precompiled.pch)
  elseif(arg_PRECOMPILE AND GRAPHPROF_PRECOMPILE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
    list(TRANSFORM arg_PRECOMPILE REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE lines)
    string(CONCAT lines ${lines})
    file(GENERATE OUTPUT ${folder}/precompiled.cu CONTENT "${lines}")
    set(precompiled ${folder}/precompiled.pch)
    cudasim_compile(${name} ${folder}/precompiled.cu ${precompiled} -Xclang -emit-pch -fpch-instantiate-templates)
  endif()
  cudasim_objects(${name} objects "${precompiled}" ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
  add_executable(${name} ${objects} ${CUDASIM_VIRTUAL_TIME})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE cudasim)
endfunction()

# A program gets all of the library, also sources that nothing refers to, because they tell the simulation of themselves.
function(cudasim_add_library name)
  cudasim_objects(${name}-archive objects "" ${ARGN})
  add_library(${name}-archive STATIC ${objects})
  target_link_libraries(${name}-archive PUBLIC cudasim)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,${name}-archive>)
endfunction()

# cudasim_objects(<target> <variable> <precompiled header or ""> <source>...): `variable` is what add_executable takes.
function(cudasim_objects target variable precompiled)
  if(precompiled)
    set(use_precompiled -Xclang -include-pch -Xclang ${precompiled})
  endif()
  set(files)
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT path MATCHES "\\.cu$")
      list(APPEND files ${path})
      continue()
    endif()
    get_filename_component(stem ${source} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${stem}.o)
    cudasim_compile(${target} ${path} ${object} ${use_precompiled} DEPENDS ${precompiled})
    list(APPEND files ${object})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# cudasim_compile(<target> <source> <output> <option>... [DEPENDS <file>...])
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
separate_arguments(CUDASIM_FLAGS UNIX_COMMAND "${CMAKE_CXX_FLAGS_${build_type}}") # how much to optimize, as for the other sources
# They are not sanitized. Not optimized, they would hold functions of the standard library that the linker takes for the whole program,
# shared_ptr's for example, and the sanitizer would miss what their atomics order.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  list(APPEND CUDASIM_FLAGS -O1)
endif()
set(CUDASIM_FLAGS ${CUDASIM_FLAGS} CACHE INTERNAL "")
function(cudasim_compile target source output)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "DEPENDS")
  cmake_path(GET output PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  cmake_path(GET source FILENAME shown)
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(options "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CUDASIM_CC} -std=c++20 ${CUDASIM_FLAGS}
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "${options}"
            -Xclang -fno-pch-timestamp ${arg_UNPARSED_ARGUMENTS} -MD -MF ${output}.d -c ${source} -o ${output}
    DEPENDS ${source} ${CUDASIM_CC} ${arg_DEPENDS}
    DEPFILE ${output}.d
    COMMENT "Compiling ${shown} for the simulation"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
