# What the devices with memory of their own have in common. A module adds its runtime: halo_add_accelerator(NAME SOURCES...).
function(halo_add_accelerator name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set(common ${PROJECT_SOURCE_DIR}/src/backends/device)
  add_library(halo_device_${name} MODULE ${sources} ${common}/level.cpp ${common}/null_range.cpp ${common}/program.cpp ${common}/accelerator/arguments.cpp
              ${common}/accelerator/combining.cpp ${common}/accelerator/graphs.cpp ${common}/accelerator/launcher.cpp ${common}/accelerator/lowering.cpp ${common}/accelerator/plugin.cpp ${common}/accelerator/table.cpp)
  target_compile_definitions(halo_device_${name} PRIVATE HALO_MODULE_NAME="${name}")
  target_include_directories(halo_device_${name} PRIVATE ${common}/accelerator)
  target_link_options(halo_device_${name} PRIVATE -Wl,--as-needed)
  halo_module(halo_device_${name} ${common}/accelerator/module.map)
endfunction()

# Does a vendor's compiler make a kernel with these flags? halo_can_compile_kernels(RESULT NAME SUFFIX COMPILER FLAGS...); asked once for each set of flags.
function(halo_can_compile_kernels result name suffix compiler)
  string(MD5 asked "${compiler} ${ARGN}")
  if(NOT HALO_KERNELS_ASKED_${name} STREQUAL asked)
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe.${suffix})
    set(include_hip "#include <hip/hip_runtime.h>\n") # nvcc includes its own
    if(NOT suffix STREQUAL "hip")
      set(include_hip "")
    endif()
    file(WRITE ${probe} "${include_hip}__global__ void probe() {}\n")
    execute_process(COMMAND ${compiler} ${ARGN} -c ${probe} -o ${probe}.o RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    set(HALO_KERNELS_ASKED_${name} ${asked} CACHE INTERNAL "")
    set(HALO_KERNELS_STATUS_${name} ${status} CACHE INTERNAL "")
    if(NOT status EQUAL 0)
      message(STATUS "${compiler}: ${text}")
    endif()
  endif()
  if(HALO_KERNELS_STATUS_${name} EQUAL 0)
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# What nvcc compiles for: each of HALO_CUDA_ARCHITECTURES, and the last one also as PTX, for what is newer.
function(halo_cuda_targets result)
  set(flags "")
  foreach(architecture IN LISTS HALO_CUDA_ARCHITECTURES)
    list(APPEND flags -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET HALO_CUDA_ARCHITECTURES -1 newest)
  set(${result} ${flags} -gencode arch=compute_${newest},code=compute_${newest} PARENT_SCOPE)
endfunction()

# The kernels of a vendor, by its compiler: halo_compile_kernels(NAME SOURCE COMPILER FLAGS...) sets halo_kernels_NAME to the object.
function(halo_compile_kernels name source compiler)
  set(common ${PROJECT_SOURCE_DIR}/src/backends/device/accelerator)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/kernels.o)
  add_custom_command(OUTPUT ${object} COMMAND ${compiler} ${ARGN} -I${common} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
                     DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${common}/gpu_kernels.h ${common}/kernels.h ${common}/level_kernels.h ${common}/layout.h
                     COMMENT "Building kernels of device ${name}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(halo_kernels_${name} ${object} PARENT_SCOPE)
endfunction()
