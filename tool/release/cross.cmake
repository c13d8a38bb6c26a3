# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# CMake's toolchain file of `tool/release/build --sysroot`: LLVM's compiler and tools, which make code for every processor, and the C
# and C++ libraries of the Debian in GRAPHPROF_SYSROOT, whose processor it is for.

set(sysroot "$ENV{GRAPHPROF_SYSROOT}")
file(GLOB found RELATIVE "${sysroot}/usr/lib" "${sysroot}/usr/lib/*-linux-gnu/libc.so")
list(LENGTH found number)
if(NOT number EQUAL 1)
  message(FATAL_ERROR "'${sysroot}' has not one usr/lib/*-linux-gnu/libc.so: it is no Debian of one architecture with libc6-dev")
endif()
cmake_path(GET found PARENT_PATH triplet)
string(REGEX MATCH "^[^-]+" machine "${triplet}")

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${machine}")
set(CMAKE_SYSROOT "${sysroot}")
foreach(language C CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET "${triplet}")
endforeach()
set(CMAKE_ASM_COMPILER clang-22)
find_program(CMAKE_LINKER ld.lld-22 REQUIRED)
foreach(tool ar nm objcopy ranlib strip)
  string(TOUPPER ${tool} variable)
  find_program(CMAKE_${variable} llvm-${tool}-22 REQUIRED)
endforeach()
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()

# Programs are this machine's; all else is the sysroot's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
