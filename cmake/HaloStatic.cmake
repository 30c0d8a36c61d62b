# libhalo.a: one object with the names of halo.map and no others, as in libhalo.so. The core's own names would meet those of halo.hpp.
# Target halo where there is no libhalo.so, halo_static beside it.
set(map ${CMAKE_CURRENT_SOURCE_DIR}/core/halo.map)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})
file(STRINGS ${map} names REGEX "^ +halo_[a-z0-9_]+;")
list(TRANSFORM names REPLACE "[ ;]" "")
list(JOIN names "\n" names)
set(names_file ${CMAKE_CURRENT_BINARY_DIR}/names.txt)
file(CONFIGURE OUTPUT ${names_file} CONTENT "${names}\n")

# Modules are looked for beside the program, then where they are installed.
add_library(halo_static_directory OBJECT ${PROJECT_SOURCE_DIR}/src/static/module_directory.cpp)
target_compile_definitions(halo_static_directory PRIVATE HALO_MODULE_DIRECTORY="${CMAKE_INSTALL_FULL_LIBDIR}/halo")

set(parts halo_core halo_capi halo_device_host halo_transport_inproc halo_static_directory)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${configuration}}")
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "libhalo.a with CMAKE_INTERPROCEDURAL_OPTIMIZATION wants GCC, whose objects hold code beside what it optimises later")
  endif()
  # That code is merged: GCC 12 breaks off when it is to make one object of all, whichever way it divides the work.
  foreach(part IN LISTS parts)
    target_compile_options(${part} PRIVATE -ffat-lto-objects)
  endforeach()
  list(APPEND flags -fno-lto)
  set(remove_later_code COMMAND ${CMAKE_OBJCOPY} --wildcard --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_* ${CMAKE_CURRENT_BINARY_DIR}/halo_merged.o)
endif()
set(strip $<$<CONFIG:Release,MinSizeRel>:--strip-debug>)
set(merged ${CMAKE_CURRENT_BINARY_DIR}/halo_merged.o)
set(object ${CMAKE_CURRENT_BINARY_DIR}/halo_static.o)
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_CXX_COMPILER} ${flags} -r -nostdlib -Wl,--force-group-allocation ${objects} -o ${merged}
  ${remove_later_code}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z* ${merged} # those that are unique in a process cannot be made local otherwise
  COMMAND ${CMAKE_OBJCOPY} ${strip} --keep-global-symbols=${names_file} ${merged} ${object}
  DEPENDS ${objects} ${names_file} COMMENT "Merging objects of libhalo.a" VERBATIM COMMAND_EXPAND_LISTS)
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

if(BUILD_SHARED_LIBS)
  set(static halo_static)
else()
  set(static halo)
endif()
add_library(${static} STATIC ${object})
add_library(halo::halo_static ALIAS ${static})
set_target_properties(${static} PROPERTIES OUTPUT_NAME halo LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} POSITION_INDEPENDENT_CODE ON)
target_include_directories(${static} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# What a program needs besides, also one that the compiler of C links.
set(HALO_STATIC_NEEDS ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM HALO_STATIC_NEEDS ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES HALO_STATIC_NEEDS)
list(APPEND HALO_STATIC_NEEDS ${CMAKE_DL_LIBS})
if(HALO_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  list(APPEND HALO_STATIC_NEEDS ${OpenMP_CXX_LIB_NAMES})
endif()
target_link_libraries(${static} INTERFACE ${HALO_STATIC_NEEDS} ${CMAKE_THREAD_LIBS_INIT}) # no target, which would have to be found, in Fortran too
set(HALO_STATIC_NEEDS ${HALO_STATIC_NEEDS} PARENT_SCOPE)
