# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# pkg-config files: `graphprof`, and `graphprof_static` for the archive. Paths are relative to the files, so that the installation
# can be moved.

set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${pc_dir}" OUTPUT_VARIABLE prefix_from_pc)

function(graphprof_pc name description requires libs)
  configure_file(graphprof.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${pc_dir}")
endfunction()

graphprof_pc(graphprof "${PROJECT_DESCRIPTION}" "" "-lgraphprof")
graphprof_pc(graphprof_static "${PROJECT_DESCRIPTION}, as one archive" "" "-lgraphprof_static -lpthread -lm -ldl")
