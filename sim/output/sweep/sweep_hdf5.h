#pragma once

#include <string>

#include "sim/output/sweep/sweep_table.h"

namespace simtrain {

/// The bytes of an HDF5 file with the table; docs/sweep.md describes its layout. Equal tables give
/// equal bytes. The file is made in memory, so that it can be written whole or not at all; behind
/// it follows a seal (core/seal.h), which HDF5 does not read.
std::string sweep_hdf5(const SweepTable& table);

/// What a sweep's output file records about itself.
struct SweepFileHead {
  std::string question;  ///< fingerprint; empty where the file is no output of a sweep
  bool complete = false;
};

/// Of an HDF5, CSV or JSON file; an empty head for anything else, and for an HDF5 file that is not
/// to the byte what simtrain wrote.
SweepFileHead sweep_file_head(const std::string& path);

}  // namespace simtrain
