# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
#   gpu_add_executable(<name> [DRIVER_API] SOURCES <source>... [INCLUDES <folder>...] [LIBRARIES <target>...])
#
# A test program for a real GPU, <build>/<name>. Compiled by nvcc and linked statically with cudart, gtest and the named
# libraries, so that it runs wherever there is a driver. Linked with libcuda if its sources call it (DRIVER_API). Not part of
# `all`. Does nothing without nvcc.

find_program(GRAPHPROF_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)

function(gpu_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DRIVER_API" "" "SOURCES;INCLUDES;LIBRARIES")
  if(NOT GRAPHPROF_NVCC)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(stem ${source} NAME)
    set(object ${folder}/${stem}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${GRAPHPROF_NVCC} -std=c++20 -O1 -arch=sm_90 "-I$<JOIN:${arg_INCLUDES},;-I>"
              -MD -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path}
      DEPFILE ${object}.d
      COMMENT "Compiling ${stem} for the GPU"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(libraries)
  foreach(library IN LISTS arg_LIBRARIES)
    list(APPEND libraries $<TARGET_FILE:${library}>)
  endforeach()
  set(driver)
  if(arg_DRIVER_API) # the toolkit's stub, because the build machine may have no driver
    get_filename_component(bin ${GRAPHPROF_NVCC} DIRECTORY)
    set(driver -L${bin}/../lib64/stubs -lcuda)
  endif()
  set(binary ${CMAKE_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${binary}
    COMMAND ${GRAPHPROF_NVCC} -arch=sm_90 -cudart static ${objects} ${libraries} -lgmock -lgtest -lgtest_main
            ${driver} -ldl -lpthread -Xcompiler -static-libstdc++,-static-libgcc -o ${binary}
    DEPENDS ${objects} ${arg_LIBRARIES}
    COMMENT "Linking ${name}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${binary})
endfunction()
