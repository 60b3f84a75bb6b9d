#pragma once

#include <span>
#include <string_view>

namespace simtrain {

/// A file of web/ as it was when the program was built.
struct WebFile {
  std::string_view name;  ///< its path below web/
  std::string_view text;
};

/// All files of which pages are made: style sheet, scripts, templates.
std::span<const WebFile> web_files();

}  // namespace simtrain
