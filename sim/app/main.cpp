#include "sim/app/command.h"
#include "sim/app/version.h"

/// jemalloc, where the program is linked with it, reads this before main: memory comes in large
/// pages, since most of what a step takes is touched for the first time (docs/adr/0054).
// NOLINTNEXTLINE(readability-identifier-naming): the name that it looks for
extern "C" [[gnu::visibility("default")]] const char* const malloc_conf =
    "thp:always,metadata_thp:auto";

int main(int count, char** values) {
  return simtrain::program({values + 1, values + count}, simtrain::kBuiltCommit);
}
