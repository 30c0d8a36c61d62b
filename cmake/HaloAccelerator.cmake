# What the devices with memory of their own have in common. A module adds its runtime: halo_add_accelerator(NAME SOURCES...).
function(halo_add_accelerator name)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set(common ${PROJECT_SOURCE_DIR}/src/backends/device)
  add_library(halo_device_${name} MODULE ${sources} ${common}/null_range.cpp ${common}/program.cpp ${common}/accelerator/arguments.cpp
              ${common}/accelerator/combining.cpp ${common}/accelerator/lowering.cpp ${common}/accelerator/plugin.cpp ${common}/accelerator/table.cpp)
  target_compile_definitions(halo_device_${name} PRIVATE HALO_MODULE_NAME="${name}")
  target_include_directories(halo_device_${name} PRIVATE ${common}/accelerator ${PROJECT_SOURCE_DIR}/include)
  target_link_options(halo_device_${name} PRIVATE -Wl,--version-script=${common}/accelerator/module.map -Wl,--as-needed)
  set_target_properties(halo_device_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/halo LINK_DEPENDS ${common}/accelerator/module.map)
  install(TARGETS halo_device_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halo)
endfunction()

# The kernels of a vendor, by its compiler: halo_compile_kernels(NAME SOURCE COMPILER FLAGS...) sets halo_kernels_NAME to the object.
function(halo_compile_kernels name source compiler)
  set(common ${PROJECT_SOURCE_DIR}/src/backends/device/accelerator)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/kernels.o)
  add_custom_command(OUTPUT ${object} COMMAND ${compiler} ${ARGN} -I${common} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
                     DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${common}/gpu_kernels.h ${common}/kernels.h ${common}/layout.h
                     COMMENT "Building kernels of device ${name}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(halo_kernels_${name} ${object} PARENT_SCOPE)
endfunction()
