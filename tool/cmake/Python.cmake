# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# Installs the Python package, laid out as in a wheel: it finds the library and the command in folders of its own, which are links
# here. Where Python does not look there of itself, PYTHONPATH leads to it.

if(NOT EXISTS "${PROJECT_SOURCE_DIR}/python/graphprof/__init__.py")
  return()
endif()
set(GRAPHPROF_PYTHON_DIR "lib/python3/dist-packages" CACHE STRING "Where the Python package is installed, below the prefix")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/graphprof" DESTINATION "${GRAPHPROF_PYTHON_DIR}" COMPONENT libgraphprof
  FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
foreach(file "${CMAKE_INSTALL_LIBDIR}/libgraphprof.so.${PROJECT_VERSION_MAJOR}" "${CMAKE_INSTALL_LIBDIR}/libgraphprof_preload.so"
             "${CMAKE_INSTALL_BINDIR}/graphprof")
  cmake_path(GET file FILENAME name)
  set(folder lib)
  if(file MATCHES "/graphprof$")
    set(folder bin)
  endif()
  set(place "${GRAPHPROF_PYTHON_DIR}/graphprof/${folder}")
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${place}" OUTPUT_VARIABLE target)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/${folder}")
  file(CREATE_LINK "${target}" "${PROJECT_BINARY_DIR}/python/${folder}/${name}" SYMBOLIC)
  install(FILES "${PROJECT_BINARY_DIR}/python/${folder}/${name}" DESTINATION "${place}" COMPONENT libgraphprof)
endforeach()
