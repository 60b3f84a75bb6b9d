// Any bytes at all, read as output of nccl-tests: nothing is thrown, and the pieces in which it
// comes do not matter. The first byte chooses the pieces.
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "sim/core/invariant.h"
#include "sim/measured/nccl/nccl_tests_log.h"

namespace {

std::string time_text(const std::optional<simtrain::NcclTestTime>& time) {
  return time ? fmt::format("{} {} {}", time->seconds, time->bus_bandwidth, time->wrong) : "-";
}

std::string read(std::string_view text, std::size_t piece) {
  const simtrain::NcclTestsLog log = simtrain::read_nccl_tests(simtrain::text_source(text, piece));
  std::string out = fmt::format("{} {}\n", log.lines, log.skipped.count);
  for (const simtrain::NcclTest& test : log.tests) {
    simtrain::invariant(!test.rows.empty(), "a test has rows");
    out += fmt::format("{} {} {} {}\n", test.operation, test.version, test.ranks.size(),
                       test.hosts.size());
    for (const simtrain::NcclTestRow& row : test.rows) {
      simtrain::invariant(row.bytes > 0, "a row moves something");
      out += fmt::format("{} {} {} {} {} {}\n", row.bytes, row.count, row.type, row.reduction,
                         time_text(row.out_of_place), time_text(row.in_place));
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  simtrain::invariant(read(text, text.size() + 1) == read(text, 1 + data[0] / 4),
                      "output of nccl-tests reads the same in any pieces");
  return 0;
}
