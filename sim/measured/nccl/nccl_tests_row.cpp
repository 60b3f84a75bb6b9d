#include "sim/measured/nccl/nccl_tests_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

struct ElementType {
  std::string_view name;
  int bytes = 0;
};
constexpr std::array<ElementType, 15> kElementTypes{{{"int8", 1},
                                                     {"uint8", 1},
                                                     {"int32", 4},
                                                     {"uint32", 4},
                                                     {"int64", 8},
                                                     {"uint64", 8},
                                                     {"half", 2},
                                                     {"float", 4},
                                                     {"double", 8},
                                                     {"bfloat16", 2},
                                                     {"bf16", 2},
                                                     {"f8e4m3", 1},
                                                     {"f8e5m2", 1},
                                                     {"fp8_e4m3", 1},
                                                     {"fp8_e5m2", 1}}};

constexpr std::size_t kTimeColumns = 4;  // time, algbw, busbw, #wrong or error

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A size behind the mark of a launcher right before it: `[1,0]<stdout>:1024`.
std::string_view without_mark(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  return colon == std::string_view::npos ? word : word.substr(colon + 1);
}

/// Whether time and algorithm bandwidth are of one size, within their digits.
bool fits(std::int64_t bytes, double microseconds, double algorithm) {
  constexpr double kGiga = 1e3;          // bytes per microsecond in a GB/s
  constexpr double kDigits = 0.02;       // of times of two or three digits
  constexpr double kLastDigit = 0.0101;  // GB/s
  const double expected = static_cast<double>(bytes) / microseconds / kGiga;
  return std::abs(expected - algorithm) <= kLastDigit + kDigits * expected;
}

/// Times of one kind; nothing where the program measured none, which is N/A.
bool read_time(std::span<const std::string_view> words, std::int64_t bytes,
               std::optional<NcclTestTime>& time) {
  if (words[0] == "N/A") return true;
  const auto microseconds = number_in(words[0]);
  const auto algorithm = number_in(words[1]);
  const auto bus = number_in(words[2]);
  const bool plausible = microseconds && algorithm && bus && *microseconds > 0 &&
                         std::isfinite(*microseconds) && *bus >= 0;
  if (!plausible || !fits(bytes, *microseconds, *algorithm)) return false;
  const std::int64_t wrong = words.size() > 3 ? whole_number_in(words[3]).value_or(0) : 0;
  time = NcclTestTime{*microseconds * 1e-6, *bus * 1e9, wrong};
  return true;
}

/// The words behind the type: redop and root where there are any, then times twice or once.
std::string read_columns(std::span<const std::string_view> words, NcclTestRow& row) {
  constexpr std::string_view kColumns = "has not the columns of nccl-tests";
  if (!words.empty() && !number_in(words[0]) && words[0] != "N/A") {
    row.reduction = words[0];
    words = words.subspan(1);
  }
  if (words.size() % kTimeColumns == 1) {
    const auto root = number_in(words[0]);
    if (!root) return std::string(kColumns);
    row.root = static_cast<std::int64_t>(*root);
    words = words.subspan(1);
  }
  if (words.size() != kTimeColumns && words.size() != 2 * kTimeColumns)
    return std::string(kColumns);
  const bool both = words.size() == 2 * kTimeColumns;
  if (!read_time(words.first(kTimeColumns), row.bytes, row.out_of_place) ||
      (both && !read_time(words.last(kTimeColumns), row.bytes, row.in_place)))
    return "its times and bandwidths are no numbers, or do not fit its size";
  return "";
}

}  // namespace

int nccl_tests_element(std::string_view type) {
  const auto* const found = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                         [&](const ElementType& one) { return one.name == type; });
  return found == kElementTypes.end() ? 0 : found->bytes;
}

bool nccl_tests_row(std::string_view text, NcclTestRow& row, std::string& why) {
  const std::vector<std::string_view> words = words_of(text);
  for (std::size_t at = 0; at + 3 < words.size(); ++at) {
    const auto bytes = whole_number_in(without_mark(words[at]));
    const auto count = whole_number_in(words[at + 1]);
    if (!bytes || !count || nccl_tests_element(words[at + 2]) == 0) continue;
    row.bytes = *bytes;
    row.count = *count;
    row.type = words[at + 2];
    why = *bytes == 0 ? "" : read_columns(std::span(words).subspan(at + 3), row);
    return true;
  }
  return false;
}

}  // namespace simtrain
