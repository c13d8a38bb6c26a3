# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# `cpack` in the build tree makes Debian packages: libgraphprof, what programs need at run time, the command graphprof and the
# Python package; graphprof-dev, the headers and the tool, which needs LLVM; and
# graphprof-exporter, if there is prometheus-cpp. tool/release/build makes them, too, together with
# the other forms of a release.

# Debian requires a maintainer of a package. This project has no address that a package could name, so it names none, unless who
# builds the package has one.
set(GRAPHPROF_CONTACT "graphprof maintainers" CACHE STRING "The packages' maintainer: a name, and an address in <> if mail gets there")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME graphprof)
set(CPACK_PACKAGE_VENDOR graphprof)
set(CPACK_PACKAGE_CONTACT "${GRAPHPROF_CONTACT}")
if(NOT "$ENV{GRAPHPROF_REPOSITORY}" STREQUAL "") # where the project is hosted, as for the wheel and the site
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "$ENV{GRAPHPROF_REPOSITORY}")
endif()
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL libgraphprof graphprof-dev)
if(TARGET graphprof-exporter)
  list(APPEND CPACK_COMPONENTS_ALL graphprof-exporter)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own, the first line of its description
set(about "graphprof shows how long each part of a CUDA graph takes on the GPU, in every
replay, by stamps that it puts into the graph.")
set(CPACK_DEBIAN_LIBGRAPHPROF_PACKAGE_NAME libgraphprof)
set(CPACK_DEBIAN_LIBGRAPHPROF_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBGRAPHPROF_DESCRIPTION "Timings inside CUDA graphs: library and command
${about}

This package has the library that instrumented programs are linked with, the
command graphprof, which times the graphs of programs as they are, and the
Python package. None of it needs a CUDA toolkit.")
set(CPACK_DEBIAN_GRAPHPROF-DEV_PACKAGE_NAME graphprof-dev)
set(CPACK_DEBIAN_GRAPHPROF-DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_GRAPHPROF-DEV_DESCRIPTION "Timings inside CUDA graphs: headers and instrumenter
${about}

This package has the headers, graphprof-cc and graphprof-instrument, which
rewrite annotated CUDA C++ sources, what CMake and pkg-config need to find
them, a simulated CUDA runtime, and the documentation.")

set(CPACK_DEBIAN_GRAPHPROF-EXPORTER_PACKAGE_NAME graphprof-exporter)
set(CPACK_DEBIAN_GRAPHPROF-EXPORTER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_GRAPHPROF-EXPORTER_PACKAGE_DEPENDS "libgraphprof (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_GRAPHPROF-EXPORTER_DESCRIPTION "Timings inside CUDA graphs: metrics for Prometheus
${about}

This package has the program behind \`graphprof exporter\`, which serves metrics
of running programs to Prometheus.")

find_program(GRAPHPROF_SHLIBDEPS dpkg-shlibdeps)
find_program(GRAPHPROF_FILE file) # CPack uses it to recognize programs
mark_as_advanced(GRAPHPROF_SHLIBDEPS GRAPHPROF_FILE)
set(dev_depends "libgraphprof (= ${PROJECT_VERSION})")
if(GRAPHPROF_BUILD_TOOL)
  string(APPEND dev_depends ", libclang-common-22-dev") # Clang's own headers, which the tool needs to parse sources
endif()
if(GRAPHPROF_SHLIBDEPS AND GRAPHPROF_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_LIBGRAPHPROF_PACKAGE_DEPENDS "libc6 (>= 2.28), libgcc-s1")
  string(APPEND CPACK_DEBIAN_GRAPHPROF-EXPORTER_PACKAGE_DEPENDS ", libprometheus-cpp-pull1.0, libprometheus-cpp-core1.0")
  if(GRAPHPROF_BUILD_TOOL)
    string(APPEND dev_depends ", libc6, libstdc++6, libclang-cpp22, libllvm22")
  endif()
endif()
set(CPACK_DEBIAN_GRAPHPROF-DEV_PACKAGE_DEPENDS "${dev_depends}")
# `graphprof sim` compiles with g++'s headers and links with its linker.
set(CPACK_DEBIAN_GRAPHPROF-DEV_PACKAGE_RECOMMENDS "g++, libc6-dev")
set(CPACK_DEBIAN_LIBGRAPHPROF_PACKAGE_RECOMMENDS "python3")

# Not CPack's own list of libraries: that would name the simulation's libcuda.so.1, too, as if the package had a driver.
set(control "${PROJECT_BINARY_DIR}/debian")
file(WRITE "${control}/shlibs" "libgraphprof ${PROJECT_VERSION_MAJOR} libgraphprof (= ${PROJECT_VERSION})\n")
file(WRITE "${control}/triggers" "activate-noawait ldconfig\n")
file(COPY debian/postinst debian/prerm debian/postrm DESTINATION "${control}")
set(CPACK_DEBIAN_LIBGRAPHPROF_PACKAGE_CONTROL_EXTRA
  "${control}/shlibs;${control}/triggers;${control}/postinst;${control}/prerm;${control}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What Debian has of every package beside what is installed.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  configure_file(debian/Finish.cmake.in "${control}/Finish.cmake" @ONLY)
  set(CPACK_PRE_BUILD_SCRIPTS "${control}/Finish.cmake")
endif()
include(CPack)
