# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# An overflown buffer or a stray write is to end the process, not to lead it elsewhere: symbols are resolved at load and their table is
# read-only from then on (full RELRO), stack frames with arrays are checked, and indirect calls and returns go only where they may, on
# processors that check this. Builds without optimization, for development, are only linked alike. tool/release/check looks.

include(CheckCXXCompilerFlag)
add_link_options(-Wl,-z,relro -Wl,-z,now)
foreach(flag -fstack-protector-strong -fcf-protection=full -mbranch-protection=standard) # the last two: x86, aarch64
  string(MAKE_C_IDENTIFIER "GRAPHPROF_HAS${flag}" has)
  check_cxx_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:${flag}>")
  endif()
endforeach()
