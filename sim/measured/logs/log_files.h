#pragma once

#include <string>
#include <vector>

namespace simtrain {

/// The logs of a path: the file itself, or those in a folder and below whose names are
/// `log-*.out` (NeMo-Run, DGX Cloud's recipes) or `dllogger.json`, each also as `.gz`; sorted.
/// Throws InputError where there is nothing, or the folder holds no log.
std::vector<std::string> log_files(const std::string& path);

}  // namespace simtrain
