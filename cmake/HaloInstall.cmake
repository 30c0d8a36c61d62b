# What `cmake --install` lays down for those who build against the library. Everything in it is relative, so that the tree can be moved.
# Libraries, modules and tools are installed where they are made. Each file belongs to a component: runtime, dev, fortran, fortran_dev, tools, doc, bench, or the name of a module.
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "halo*.h" PATTERN "halo*.hpp")
install(EXPORT haloTargets NAMESPACE halo:: DESTINATION ${HALO_PACKAGE_DIR} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/haloConfig.cmake ${PROJECT_BINARY_DIR}/haloConfigVersion.cmake DESTINATION ${HALO_PACKAGE_DIR} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/halo.pc DESTINATION ${HALO_PKGCONFIG_DIR} COMPONENT dev)

# Documents lie to each other as in the tree, so that their links hold.
install(FILES CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "first.c" PATTERN "guides/*.[ch]*" PATTERN "guides/*.f90" PATTERN "python/*.py"
                       PATTERN "fpm/*.toml" PATTERN "fpm/app/*.f90")
if(HALO_TOOLS AND NOT HALO_DEBIAN) # which compresses them
  install(FILES docs/man/halo_info.1 docs/man/halo_launch.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endif()
if(HALO_DEBIAN)
  include(HaloDebian)
endif()
