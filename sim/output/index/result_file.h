#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/output/results/result_kinds.h"

namespace simtrain {

/// A file of a folder of results.
struct ResultFile {
  std::filesystem::path path;  ///< below the folder
  ResultSubject subject = ResultSubject::other;
  std::string kind{};  ///< "sweep (HDF5)", "run (page)"; empty: simtrain did not make it
  std::vector<ResultLine> lines{};  ///< at least one, where `trouble` is empty
  std::string trouble{};            ///< why it is foreign or broken; empty for a result
  std::uintmax_t bytes = 0;
  std::time_t written = 0;  ///< its time of modification
};

/// What a file is, by its content: a JSON document by its schema, a page, an HDF5 file, a table, a
/// drawing, a timeline. Whatever it holds and even where it cannot be read, this gives an answer
/// and throws nothing.
ResultFile result_file(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace simtrain
