#include "sim/app/command.h"

int main(int count, char** values) { return simtrain::program({values + 1, values + count}); }
