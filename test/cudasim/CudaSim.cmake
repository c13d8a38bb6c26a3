# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#   cudasim_add_executable(<name> <source>...)
#
# A program built against the simulation. Its .cu sources are compiled by clang (through cudasim-cc), whatever
# the project's own compiler is; others as usual. The target's include directories and definitions hold for both.

set(CUDASIM_CC ${CMAKE_CURRENT_BINARY_DIR}/cudasim-cc CACHE INTERNAL "Compiles a program for the simulation")
set(CUDASIM_HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/include CACHE INTERNAL "")

function(cudasim_add_executable name)
  set(files)
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT path MATCHES "\\.cu$")
      list(APPEND files ${path})
      continue()
    endif()
    get_filename_component(stem ${source} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}.o)
    set(includes "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>")
    set(options "$<TARGET_PROPERTY:${name},COMPILE_OPTIONS>")
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CUDASIM_CC} -std=c++20 -g -O1
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "${options}"
              -MD -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path} ${CUDASIM_CC}
      DEPFILE ${object}.d
      COMMENT "Compiling ${source} for the simulation"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND files ${object})
  endforeach()
  add_executable(${name} ${files})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE cudasim)
endfunction()
