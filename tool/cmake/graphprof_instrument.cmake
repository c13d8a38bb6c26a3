# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#   graphprof_instrument(<target>
#                        [AUTO launches|functions] [SELECT <regex>] [EXCLUDE <regex>]
#                        [HEADER_FILTER <regex>|NONE] [NO_MEMORY] [ALLOW_UNREDIRECTED] [STRICT] [KEEP] [OPTIONS <option>...])
#
# Instruments the target's CUDA, C++ and C sources when they are compiled, and links libgraphprof. graphprof-cc goes in front of
# launchers that the target already has, such as ccache.
#
#   AUTO, SELECT, EXCLUDE   as --auto, --select, --exclude of graphprof-instrument
#   HEADER_FILTER           the headers to rewrite too, by their absolute path; if not given, those of the project, which is
#                           all below the directory of the last project() call that no SYSTEM include directory holds
#   NO_MEMORY               copies and allocations stay as they are
#   ALLOW_UNREDIRECTED      calls that change, update or destroy graphs and cannot be redirected, though results may change
#   STRICT                  what cannot be instrumented stops the build; otherwise it is compiled as it is, with a warning
#   KEEP                    the instrumented copies stay beside the objects, in <object>.graphprof/
#   OPTIONS                 more options for graphprof-cc

function(graphprof_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 given "NO_MEMORY;ALLOW_UNREDIRECTED;STRICT;KEEP" "AUTO;SELECT;EXCLUDE;HEADER_FILTER" "OPTIONS")
  if(given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "graphprof_instrument(${target}): unknown argument '${given_UNPARSED_ARGUMENTS}'")
  elseif(given_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "graphprof_instrument(${target}): ${given_KEYWORDS_MISSING_VALUES} needs a value")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "graphprof_instrument(${target}): no such target; call it behind add_executable or add_library")
  elseif(NOT TARGET graphprof::cc)
    message(FATAL_ERROR "graphprof_instrument(${target}): this graphprof was built without its tools (GRAPHPROF_BUILD_TOOL=OFF)")
  elseif(DEFINED given_AUTO AND NOT given_AUTO MATCHES "^(none|launches|functions)$")
    message(FATAL_ERROR "graphprof_instrument(${target}): AUTO ${given_AUTO}; say launches or functions")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY)$")
    message(FATAL_ERROR "graphprof_instrument(${target}): compiles nothing here")
  endif()
  get_target_property(done ${target} GRAPHPROF_OPTIONS)
  if(NOT done STREQUAL "done-NOTFOUND")
    message(FATAL_ERROR "graphprof_instrument(${target}): called twice for this target")
  endif()

  set(options)
  foreach(option AUTO SELECT EXCLUDE)
    if(DEFINED given_${option})
      string(TOLOWER ${option} name)
      list(APPEND options "--${name}=${given_${option}}")
    endif()
  endforeach()
  if(NOT DEFINED given_HEADER_FILTER)
    list(APPEND options "--project=${PROJECT_SOURCE_DIR}")
  elseif(given_HEADER_FILTER STREQUAL "NONE")
    list(APPEND options "--no-headers")
  else()
    list(APPEND options "--header-filter=${given_HEADER_FILTER}")
  endif()
  foreach(option NO_MEMORY ALLOW_UNREDIRECTED STRICT KEEP)
    if(given_${option})
      string(TOLOWER ${option} name)
      string(REPLACE "_" "-" name ${name})
      list(APPEND options "--${name}")
    endif()
  endforeach()
  list(APPEND options ${given_OPTIONS})
  set_property(TARGET ${target} PROPERTY GRAPHPROF_OPTIONS "${options}")

  foreach(language CUDA CXX C)
    get_target_property(launchers ${target} ${language}_COMPILER_LAUNCHER)
    if(NOT launchers)
      set(launchers)
    endif()
    set_property(TARGET ${target} PROPERTY ${language}_COMPILER_LAUNCHER
      "$<TARGET_FILE:graphprof::cc>" ${options} -- ${launchers})
  endforeach()
  # Makefiles recompile if a flag changes, but not if a launcher changes.
  string(SHA256 mark "${options}")
  string(SUBSTRING ${mark} 0 7 mark)
  target_compile_definitions(${target} PRIVATE "GRAPHPROF_INSTRUMENTED=0x${mark}")

  # Sets the properties directly, because target_link_libraries with and without PRIVATE must not be mixed, and the project may
  # use either.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES graphprof::graphprof)
  if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<LINK_ONLY:graphprof::graphprof>")
  endif()

  # If graphprof is a subdirectory, its tools must be built first.
  foreach(tool cc instrument)
    get_target_property(built graphprof::${tool} ALIASED_TARGET)
    if(built)
      add_dependencies(${target} ${built})
    endif()
  endforeach()
endfunction()
