# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# add_suites(<target> [PREFIX <text>] [SUFFIX <text>] [ENVIRONMENT <name=value>...]): a test for each suite of a GoogleTest program,
# named `<prefix>Suite<suffix>`. All tests of a suite run in one process: to start one takes longer than most tests, with a
# sanitizer above all. What each did stands in suites/<name>.xml of the build tree, where test/summary.py counts it. Where each
# test is long, or runs other programs, gtest_discover_tests is right.

function(add_suites target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;SUFFIX" "ENVIRONMENT")
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}${arg_SUFFIX}.suites.cmake")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/test/suites.py" "$<TARGET_FILE:${target}>" "${list}"
            "${PROJECT_BINARY_DIR}/suites" "${CMAKE_CURRENT_BINARY_DIR}" "${arg_PREFIX}" "${arg_SUFFIX}" ${arg_ENVIRONMENT}
    VERBATIM)
  file(WRITE "${list}.in"
    "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${list}.in")
endfunction()
