# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Hides static libraries of others inside libgraphprof, so a program may have its own SQLite or zlib, of another version or
# configuration. Included, this file defines a function; run as a script (cmake -P, with OURS, ARCHIVE and OUTPUT), it does
# the work at build time.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      list(JOIN ARGN " " command)
      message(FATAL_ERROR "failed: ${command}")
    endif()
  endfunction()

  # Links our library and what it needs of the archive into one object, and makes the archive's names local.
  execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${ARCHIVE}
    OUTPUT_VARIABLE symbols ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "cannot read ${ARCHIVE}")
  endif()
  string(REGEX MATCHALL "(^|\n)[^ \n:]+ " names "${symbols}")
  string(REGEX REPLACE "[ \n;]+" "\n" names "${names}")
  file(WRITE ${OUTPUT}.names "${names}\n")
  run(${LD} -r -o ${OUTPUT} --whole-archive ${OURS} --no-whole-archive ${ARCHIVE})
  run(${OBJCOPY} --localize-symbols=${OUTPUT}.names ${OUTPUT})
  return()
endif()

set(GRAPHPROF_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

# graphprof_embed(OURS ARCHIVE RESULT): makes one object file of the target OURS, a static library, and the static library
# ARCHIVE, and stores its path in RESULT. (OURS is no object library, because Makefiles have no rule for its objects.)
function(graphprof_embed ours archive result)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ours}_embedded.o)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOURS=$<TARGET_FILE:${ours}> -DARCHIVE=${archive} -DOUTPUT=${output}
            -DLD=${CMAKE_LINKER} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} -P ${GRAPHPROF_EMBED_SCRIPT}
    DEPENDS ${ours} ${archive} ${GRAPHPROF_EMBED_SCRIPT}
    COMMENT "Embedding ${archive}"
    VERBATIM)
  add_custom_target(${ours}_embedded DEPENDS ${output}) # once, for both libraries
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${result} ${output} PARENT_SCOPE)
endfunction()
