#include "sim/measured/nccl/nccl_tests_log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/measured/logs/line_reader.h"
#include "sim/measured/nccl/nccl_tests_row.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostRows = 100'000;
constexpr std::size_t kMostRanks = 1'000'000;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view word_at(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(first);
  return text.substr(0, std::min(text.find_first_of(kBlanks), text.size()));
}

/// The text behind a label; nothing where the label is missing.
std::optional<std::string_view> behind(std::string_view text, std::string_view label) {
  const std::size_t at = find_word(text, label);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + label.size());
}

/// `all_reduce` of a line with `all_reduce_perf` in it.
std::string operation_in(std::string_view text) {
  const std::size_t end = find_word(text, "_perf");
  if (end == std::string_view::npos || find_word(text, " concluded") != std::string_view::npos)
    return "";
  const std::string_view front = text.substr(0, end);
  const std::size_t start =
      front.find_last_not_of("abcdefghijklmnopqrstuvwxyz_");  // of the path to the program
  return std::string(front.substr(start == std::string_view::npos ? 0 : start + 1));
}

/// `2.21.5` of `NCCL version 2.21.5+cuda12.4`, `RCCL version : 2.21.5-HEAD:5c5e` or
/// `nccl-library=22105`.
std::string version_in(std::string_view text) {
  if (const auto library = behind(text, "nccl-library=")) {
    const auto code = whole_number_in(word_at(*library));
    constexpr std::int64_t kMajor = 10'000;
    constexpr std::int64_t kMinor = 100;
    if (!code || *code < kMajor) return "";
    return fmt::format("{}.{}.{}", *code / kMajor, *code % kMajor / kMinor, *code % kMinor);
  }
  auto version = behind(text, "NCCL version ");
  for (const std::string_view label : {"RCCL version : ", "RCCL version "}) {
    if (!version) version = behind(text, label);
  }
  if (!version) return "";
  const std::string_view word = word_at(*version);
  const std::string_view digits =
      word.substr(0, std::min(word.find_first_not_of("0123456789."), word.size()));
  return digits.starts_with("2.") ? std::string(digits) : "";
}

/// `#  Rank  0 Group  0 Pid 1234 on host device  0 [0x0f] NVIDIA H100 80GB HBM3`, or `[0000:0f:00]`
/// and without `Group` in other versions.
void add_rank(std::string_view text, NcclTest& test) {
  const auto rank = behind(text, "Rank ");
  const auto host = behind(text, " on ");
  const auto device = behind(text, " device ");
  if (!rank || !host || !device || find_word(text, " Pid ") == std::string_view::npos) return;
  const auto number = whole_number_in(word_at(*rank));
  if (!number || test.ranks.size() >= kMostRanks) return;
  test.ranks.insert(*number);
  test.hosts.emplace(word_at(*host));
  const std::size_t bracket = device->find(']');
  if (bracket == std::string_view::npos) return;
  const std::string_view name = device->substr(bracket + 1);
  const std::size_t first = std::min(name.find_first_not_of(kBlanks), name.size());
  const std::size_t last = name.find_last_not_of(kBlanks);
  if (first < name.size()) test.gpu_names.emplace(name.substr(first, last - first + 1));
}

class Reader {
 public:
  void line(const LogLine& line) {
    if (line.too_long) {
      add_skipped(log_.skipped, line.number, "is longer than 262144 bytes");
      return;
    }
    NcclTestRow row;
    std::string why;
    if (nccl_tests_row(line.text, row, why))
      add_row(std::move(row), why, line.number);
    else
      comment(line.text);
  }

  NcclTestsLog take(std::int64_t lines) {
    std::erase_if(log_.tests, [](const NcclTest& test) { return test.rows.empty(); });
    log_.lines = lines;
    return std::move(log_);
  }

 private:
  /// A new head comes before each table.
  NcclTest& test() {
    if (log_.tests.empty()) begin_test();
    return log_.tests.back();
  }

  void begin_test() {
    log_.tests.emplace_back();
    test().operation = std::exchange(operation_, "");
    test().version = version_;
  }

  void comment(std::string_view text) {
    const bool head = find_word(text, "# nThread ") != std::string_view::npos;
    if (head && (log_.tests.empty() || !test().rows.empty() || !operation_.empty())) begin_test();
    if (std::string operation = operation_in(text); !operation.empty()) {
      operation_ = std::move(operation);
      if (!log_.tests.empty() && test().rows.empty()) test().operation = operation_;
    }
    if (std::string version = version_in(text); !version.empty()) {
      version_ = std::move(version);
      if (!log_.tests.empty()) test().version = version_;
    }
    if (find_word(text, "Rank ") != std::string_view::npos) add_rank(text, test());
  }

  void add_row(NcclTestRow row, const std::string& why, std::int64_t number) {
    if (!why.empty()) {
      add_skipped(log_.skipped, number, why);
    } else if (row.bytes > 0 && ++rows_ > kMostRows) {
      add_skipped(log_.skipped, number, "is a row beyond the first 100000");
    } else if (row.bytes > 0) {
      row.line = number;
      test().rows.push_back(std::move(row));
    }
  }

  NcclTestsLog log_;
  std::string operation_;  ///< given since the last head
  std::string version_;
  std::size_t rows_ = 0;
};

}  // namespace

NcclTestsLog read_nccl_tests(const ByteSource& source) {
  LineReader lines(source);
  LogLine line;
  Reader reader;
  while (lines.next(line)) reader.line(line);
  return reader.take(lines.lines());
}

NcclTestsLog read_nccl_tests_file(const std::string& path) {
  std::string damage;
  NcclTestsLog log =
      read_nccl_tests(open_log_file(path, [&](const std::string& what) { damage = what; }, {}));
  log.path = path;
  if (!damage.empty()) add_skipped(log.skipped, log.lines, damage);
  if (log.tests.empty()) {
    const SkippedLines& skipped = log.skipped;
    throw InputError(
        {path}, "",
        fmt::format("holds no row of nccl-tests (size, count, type, times and bandwidths){}",
                    skipped.named.empty() ? ""
                                          : fmt::format("; line {}: {}", skipped.named[0].line,
                                                        skipped.named[0].why)));
  }
  return log;
}

}  // namespace simtrain
