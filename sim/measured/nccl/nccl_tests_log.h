#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/core/files/byte_source.h"
#include "sim/measured/run/measured_run.h"

namespace simtrain {

/// What nccl-tests measured of one size, out of place or in place.
struct NcclTestTime {
  double seconds = 0;
  double bus_bandwidth = 0;  ///< bytes per second, as printed
  std::int64_t wrong = 0;    ///< values; 0 where they were not checked
};

/// A line of its table.
struct NcclTestRow {
  std::int64_t line = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 0;  ///< elements: of a rank's part, or of all
  std::string type;
  std::string reduction;             ///< "none" for what reduces nothing; empty: unknown
  std::optional<std::int64_t> root;  ///< -1 for none
  std::optional<NcclTestTime> out_of_place;
  std::optional<NcclTestTime> in_place;
};

/// One run of a program of nccl-tests, as far as its output goes.
struct NcclTest {
  std::string operation;            ///< "all_reduce" of all_reduce_perf; empty: unknown
  std::set<std::int64_t> ranks;     ///< by number; empty: unknown
  std::set<std::string> hosts;      ///< of the ranks
  std::set<std::string> gpu_names;  ///< "NVIDIA H100 80GB HBM3"
  std::string version;              ///< of NCCL: "2.21.5"; empty: unknown
  std::vector<NcclTestRow> rows;    ///< as printed; sizes of 0 are left out
};

/// Output of nccl-tests, read.
struct NcclTestsLog {
  std::string path;
  std::vector<NcclTest> tests;  ///< one or more; each has rows
  SkippedLines skipped;
  std::int64_t lines = 0;
};

/// What all_reduce_perf and its like print, of versions with and without the columns redop and
/// root, with what mpirun or srun put before the lines. Memory grows with the rows, of which the
/// first 100000 count.
NcclTestsLog read_nccl_tests(const ByteSource& source);

/// The same from a file, plain or gzip. Throws InputError where it cannot be read or holds no row.
NcclTestsLog read_nccl_tests_file(const std::string& path);

}  // namespace simtrain
