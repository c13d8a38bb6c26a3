# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The simulation, laid out as a CUDA toolkit, in the build tree and in an installation (GRAPHPROF_SIMULATION_DIR):
#
#   bin/nvcc         tool/simcc, where the tool is built; bin/cudasim-cc, for the tests, only in the build tree
#   include/         the headers
#   lib64/           libcudasim.so, and links to it by the names of CUDA's libraries
#   driver/          libcuda.so.1, the simulated driver alone
#   device-image     what programs have in place of device code

set(simulation ${PROJECT_BINARY_DIR}/${GRAPHPROF_SIMULATION_DIR})
file(MAKE_DIRECTORY ${simulation}/bin ${simulation}/lib64 ${simulation}/driver)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/include ${simulation}/include SYMBOLIC)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/device-image ${simulation}/device-image SYMBOLIC)
file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR}/libcudasim.so ${simulation}/lib64/libcudasim.so SYMBOLIC)
file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR}/driver/libcuda.so.1 ${simulation}/driver/libcuda.so.1 SYMBOLIC)
set(links)
foreach(name cudart cuda)
  file(CREATE_LINK libcudasim.so ${simulation}/lib64/lib${name}.so SYMBOLIC)
  list(APPEND links ${simulation}/lib64/lib${name}.so)
endforeach()
foreach(name cudart_static cudadevrt) # for the linker these are scripts
  file(WRITE ${simulation}/lib64/lib${name}.a "INPUT(-lcudasim)\n")
  list(APPEND links ${simulation}/lib64/lib${name}.a)
endforeach()
# CMake 3.25's FindCUDAToolkit fails where a toolkit has none, as CUDA 13: NVTX is headers only since.
file(WRITE ${simulation}/lib64/libnvToolsExt.so "INPUT(-lcudasim)\n")
list(APPEND links ${simulation}/lib64/libnvToolsExt.so)
configure_file(cudasim-cc ${simulation}/bin/cudasim-cc COPYONLY)
file(CREATE_LINK ${simulation}/bin/cudasim-cc ${CMAKE_CURRENT_BINARY_DIR}/cudasim-cc SYMBOLIC)

# The driver is for programs as they are, which need no compiler: `graphprof demo`, `graphprof sim run`.
if(GRAPHPROF_INSTALL)
  install(TARGETS cudasim_driver LIBRARY DESTINATION ${GRAPHPROF_SIMULATION_DIR}/driver COMPONENT libgraphprof NAMELINK_SKIP)
endif()
if(GRAPHPROF_INSTALL AND GRAPHPROF_BUILD_TOOL)
  install(TARGETS cudasim LIBRARY DESTINATION ${GRAPHPROF_SIMULATION_DIR}/lib64)
  install(FILES ${links} DESTINATION ${GRAPHPROF_SIMULATION_DIR}/lib64)
  install(DIRECTORY include/ DESTINATION ${GRAPHPROF_SIMULATION_DIR}/include)
  install(FILES device-image DESTINATION ${GRAPHPROF_SIMULATION_DIR})
endif()
