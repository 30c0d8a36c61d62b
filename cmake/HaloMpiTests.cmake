# Tests under the launchers of the MPIs whose modules are built. Not under the sanitizers, which would report on the MPI libraries.
find_program(HALO_MPIRUN_OPENMPI mpirun.openmpi)
find_program(HALO_MPIRUN_MPICH mpirun.mpich)
# MPIs that Debian does not have. One of them has the standard ABI, if no other is found.
set(HALO_FETCHED_MPIS ${PROJECT_SOURCE_DIR}/build/mpis CACHE PATH "Where scripts/fetch_mpis.sh has laid MPIs for tests")
find_program(HALO_MPICC_ABI mpicc_abi PATHS ${HALO_FETCHED_MPIS}/mpich/bin DOC "Compiler wrapper of an MPI with the standard ABI")
if(HALO_MPICC_ABI)
  cmake_path(GET HALO_MPICC_ABI PARENT_PATH beside)
  find_program(HALO_MPIRUN_ABI mpiexec PATHS ${beside} NO_DEFAULT_PATH NO_CACHE)
endif()
# Open MPI as root, with more ranks than cores.
set(HALO_MPIRUN_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none)
# All messages by MPI, also those within a host.
set(HALO_MPI_ENVIRONMENT ${HALO_MPIRUN_ENVIRONMENT} HALO_TRANSPORT=mpi)
# MPICH 5 keeps the processor while it waits, unless it is told otherwise.
set(HALO_MPI_ABI_ENVIRONMENT ${HALO_MPI_ENVIRONMENT} MPIR_CVAR_POLLS_BEFORE_YIELD=1 MPIR_CVAR_ENABLE_HEAVY_YIELD=1)

# halo_add_mpi_tests(name program RANKS n... [ARGUMENTS ...] [ENVIRONMENT ...] [LABELS ...] [TIMEOUT seconds]): tests name_mpi_openmpi_n and name_mpi_mpich_n
function(halo_add_mpi_tests name program)
  cmake_parse_arguments(PARSE_ARGV 2 wanted "" "TIMEOUT" "RANKS;ARGUMENTS;ENVIRONMENT;LABELS")
  if(NOT wanted_TIMEOUT)
    set(wanted_TIMEOUT 300)
  endif()
  foreach(mpi openmpi mpich)
    string(TOUPPER HALO_MPIRUN_${mpi} launcher)
    if(NOT TARGET halo_transport_mpi_${mpi} OR NOT ${launcher} OR HALO_SANITIZE)
      message(STATUS "Tests ${name} over ${mpi}: left out")
      continue()
    endif()
    foreach(n ${wanted_RANKS})
      set(test ${name}_mpi_${mpi}_${n})
      add_test(NAME ${test} COMMAND ${${launcher}} -n ${n} $<TARGET_FILE:${program}> ${wanted_ARGUMENTS})
      set_tests_properties(${test} PROPERTIES TIMEOUT ${wanted_TIMEOUT} PROCESSORS ${n} LABELS "mpi;${wanted_LABELS}"
        ENVIRONMENT "${HALO_MPI_ENVIRONMENT};${wanted_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
