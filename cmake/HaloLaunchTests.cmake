# Tests under halo_launch, without MPI, over the transports whose modules are built. Not over ucx under the sanitizers, which would report on its libraries.

# halo_add_launched_tests(name program TRANSPORTS t... RANKS n... [ARGUMENTS ...] [ENVIRONMENT ...] [LABELS ...] [TIMEOUT seconds]): tests name_t_n
function(halo_add_launched_tests name program)
  cmake_parse_arguments(PARSE_ARGV 2 wanted "" "TIMEOUT" "TRANSPORTS;RANKS;ARGUMENTS;ENVIRONMENT;LABELS")
  if(NOT wanted_TIMEOUT)
    set(wanted_TIMEOUT 300)
  endif()
  foreach(transport ${wanted_TRANSPORTS})
    if(NOT TARGET halo_transport_${transport} OR (HALO_SANITIZE AND transport STREQUAL "ucx"))
      message(STATUS "Tests ${name} over ${transport}: left out")
      continue()
    endif()
    foreach(n ${wanted_RANKS})
      set(test ${name}_${transport}_${n})
      add_test(NAME ${test} COMMAND $<TARGET_FILE:halo_launch> -n ${n} $<TARGET_FILE:${program}> ${wanted_ARGUMENTS})
      set_tests_properties(${test} PROPERTIES TIMEOUT ${wanted_TIMEOUT} PROCESSORS ${n} LABELS "launched;${wanted_LABELS}"
        ENVIRONMENT "HALO_TRANSPORT=${transport};${wanted_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
