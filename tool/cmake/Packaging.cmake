# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# `cpack` or `cpack -G DEB` in the build tree makes a Debian package of everything that is installed.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME graphprof)
set(CPACK_PACKAGE_VENDOR graphprof)
set(CPACK_PACKAGE_CONTACT "graphprof maintainers <maintainers@graphprof.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "A Clang tool that rewrites CUDA C++ sources, and a small library that does the timing: how long did each annotated
 piece of a program take on the GPU, inside a CUDA graph, in each replay.")
find_program(GRAPHPROF_SHLIBDEPS dpkg-shlibdeps)
find_program(GRAPHPROF_FILE file) # CPack uses it to recognize programs
mark_as_advanced(GRAPHPROF_SHLIBDEPS GRAPHPROF_FILE)
if(GRAPHPROF_SHLIBDEPS AND GRAPHPROF_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Not CPack's own list: that would name the simulation's libcuda.so.1, too, as if the package had a driver.
  file(WRITE "${PROJECT_BINARY_DIR}/shlibs"
    "libgraphprof ${PROJECT_VERSION_MAJOR} graphprof (= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/shlibs")
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++") # `graphprof sim` compiles with its headers and links with its linker
if(GRAPHPROF_BUILD_TOOL)
  # Clang's own headers, which the tool needs to parse sources.
  list(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS libclang-common-22-dev)
  if(NOT CPACK_DEBIAN_PACKAGE_SHLIBDEPS)
    list(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-cpp22" "libllvm22")
  endif()
  list(JOIN CPACK_DEBIAN_PACKAGE_DEPENDS ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
endif()
include(CPack)
