#pragma once

#include <string>

#include "sim/output/index/result_folder.h"

namespace simtrain {

/// A folder of results as one HTML page without other files, which links to each of them from where
/// the page is to lie. Sections by subject; then what is foreign or broken, with why.
std::string index_html(const ResultFolder& folder, const std::string& page_path);

/// How many results of which kinds, what is broken: for standard output.
std::string index_text(const ResultFolder& folder, const std::string& page_path);

}  // namespace simtrain
