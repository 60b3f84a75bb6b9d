#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// What of a line is not as CSV has it, and the byte that it starts at.
struct CsvFault {
  std::size_t at = 0;
  std::string_view what;  ///< for a message behind the place
};

/// The cells of a line without its end: plain, or within quotes, where a doubled quote is one. Kept
/// from line to line, so that plain ones cost no memory.
class CsvCells {
 public:
  /// False where a quote is not closed. What else is not as CSV has it is read as well as can be: a
  /// quote within a text starts or ends a part of it where commas are text.
  bool read(std::string_view line);
  /// Valid until the next line.
  [[nodiscard]] const std::vector<std::string_view>& all() const { return cells_; }
  /// The byte at which a cell of the line starts, with its quote.
  [[nodiscard]] std::size_t start(std::size_t cell) const { return starts_[cell]; }
  /// What strict readers refuse the line for; the first of it, if any.
  [[nodiscard]] const std::optional<CsvFault>& fault() const { return fault_; }

 private:
  bool read_quoted(std::string_view line);
  void note(std::size_t at, std::string_view what) {
    if (!fault_) fault_ = {at, what};
  }

  std::vector<std::string_view> cells_;
  std::vector<std::size_t> starts_;
  std::vector<std::string> unquoted_;
  std::optional<CsvFault> fault_;
};

/// A text as a cell: within quotes where it holds what ends a cell.
std::string csv_quoted(const std::string& text);

}  // namespace simtrain
