# What `cmake --install` lays down for those who build against the library. Everything in it is relative, so that the tree can be moved.
# Modules and tools are installed where they are made.
include(CMakePackageConfigHelpers)

set(HALO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/halo)
set(HALO_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS halo EXPORT haloTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "halo*.h" PATTERN "halo*.hpp")

# Documents lie to each other as in the tree, so that their links hold.
install(FILES CONTRIBUTING.md LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "first.c" PATTERN "guides/*.[ch]*" PATTERN "guides/*.f90" PATTERN "python/*.py")

install(EXPORT haloTargets NAMESPACE halo:: DESTINATION ${HALO_PACKAGE_DIR})
configure_package_config_file(cmake/haloConfig.cmake.in ${CMAKE_BINARY_DIR}/haloConfig.cmake INSTALL_DESTINATION ${HALO_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/haloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/haloConfig.cmake ${CMAKE_BINARY_DIR}/haloConfigVersion.cmake DESTINATION ${HALO_PACKAGE_DIR})

file(RELATIVE_PATH HALO_PC_TO_PREFIX /${HALO_PKGCONFIG_DIR} /)
string(REGEX REPLACE "/$" "" HALO_PC_TO_PREFIX "${HALO_PC_TO_PREFIX}")
configure_file(halo.pc.in ${CMAKE_BINARY_DIR}/halo.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/halo.pc DESTINATION ${HALO_PKGCONFIG_DIR})
