#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// The cells of a line: plain, or within quotes, where a doubled quote is one. Kept from line to
/// line, so that plain ones cost no memory.
class CsvCells {
 public:
  /// False where a quote is not closed.
  bool read(std::string_view text);
  /// Valid until the next line.
  [[nodiscard]] const std::vector<std::string_view>& all() const { return cells_; }

 private:
  bool read_quoted(std::string_view text);

  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
};

}  // namespace simtrain
