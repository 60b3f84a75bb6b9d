# cmake -D SOURCE=FOLDER -D FILE=FILE.cpp -P commit.cmake
# Writes the commit that is built into a source file, which stays as it is where nothing changed.
# Empty where the source is no checkout of its own, so that no commit of a repository around it is
# taken.
set(commit "")
set(ENV{GIT_OPTIONAL_LOCKS} 0)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --show-cdup
    OUTPUT_VARIABLE above RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND above STREQUAL "")
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --abbrev=12
        --exclude=* "--dirty= with changes"
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
#include "sim/app/version.h"

const std::string_view simtrain::kBuiltCommit = "@commit@";
]])
