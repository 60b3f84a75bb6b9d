#include "sim/app/command.h"
#include "sim/app/version.h"

int main(int count, char** values) {
  return simtrain::program({values + 1, values + count}, simtrain::kBuiltCommit);
}
