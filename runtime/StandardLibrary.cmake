# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The C++ standard library inside what users run, so that it runs where theirs is older, and beside any other. libgcc_s stays
# shared: exceptions pass between the library and programs (bench_error), so all must have one unwinder; and the static one of
# today's compilers needs a newer C library (_dl_find_object, glibc 2.35) than anything else here. Whatever has glibc has it.

# A sanitizer must see the standard library of the program.
set(GRAPHPROF_OWN_STANDARD_LIBRARY FALSE)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(target)
  if(CMAKE_CXX_COMPILER_TARGET)
    set(target --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${target} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE standard_library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${standard_library}")
    set(GRAPHPROF_OWN_STANDARD_LIBRARY TRUE)
  endif()
endif()

# graphprof_own_standard_library(<target>): links it into the target, where that is possible. What nobody calls of it is left out:
# std::random_device would need a newer C library, too (arc4random, glibc 2.36).
function(graphprof_own_standard_library target)
  if(GRAPHPROF_OWN_STANDARD_LIBRARY)
    target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--gc-sections)
  endif()
endfunction()
