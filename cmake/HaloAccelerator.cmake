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
