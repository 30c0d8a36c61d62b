# Does PROGRAM print what the file EXPECTED has?
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${EXPECTED} is not what ${PROGRAM} prints: write it anew, then run docs/pictures/draw.py")
endif()
