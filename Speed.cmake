# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# What makes our own builds quick and changes nothing in what they build: ccache (GRAPHPROF_CCACHE) and precompiled headers
# (GRAPHPROF_PRECOMPILE). The presets for development ask for both; a build that somebody else configures gets neither. Presets that
# build everything anew also compile several sources at once (CMAKE_UNITY_BUILD): so what is in an anonymous namespace has a name
# of its own in its library.

if(GRAPHPROF_CCACHE)
  find_program(CCACHE ccache)
  mark_as_advanced(CCACHE)
  if(NOT CCACHE)
    message(STATUS "No ccache: each build tree compiles everything itself")
  elseif(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without the sloppiness ccache refuses precompiled headers. It takes what a source depends on from the compiler, which saves the
    # preprocessor's run.
    set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
  endif()
endif()

# graphprof_precompile(<target> <header>...): each C++ source of `target` gets the headers, compiled once, in front of it; with
# GRAPHPROF_PRECOMPILE=SYSTEM only those in <>. A source still includes what it uses: g++ reads every one of the libraries' alone
# and without this.
# graphprof_precompile(<target> REUSE_FROM <other>): the same that another target compiles.
function(graphprof_precompile target)
  if(NOT GRAPHPROF_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} ${ARGN})
    target_compile_options(${target} PRIVATE -fPIC) # as the libraries are: clang reads them for one kind of code
  else()
    set(headers ${ARGN})
    if(GRAPHPROF_PRECOMPILE STREQUAL SYSTEM)
      list(FILTER headers INCLUDE REGEX "^<")
    endif()
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # with the time in it, it is another file for ccache after every build
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
