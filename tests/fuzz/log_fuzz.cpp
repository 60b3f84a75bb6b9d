// Any bytes at all, read as a log: nothing is thrown, no read is longer than the log, and the
// pieces in which it comes do not matter. The first byte chooses the pieces and the window.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/invariant.h"
#include "sim/measured/logs/log_format.h"
#include "sim/output/measured/metrics_report.h"

namespace {

std::string read(std::string_view text, std::size_t piece, const simtrain::LogRequest& request) {
  simtrain::MeasuredReport report;
  report.run = simtrain::read_log(simtrain::text_source(text, piece), request);
  report.facts = simtrain::merge({simtrain::facts_of_log(report.run.facts)});
  report.metrics = simtrain::run_metrics(report.run, report.facts.facts);
  return simtrain::metrics_json({report}) + simtrain::metrics_text(report) +
         simtrain::metrics_csv({report}) + simtrain::metrics_table({report}, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::string text(data + 1, data + size);
  simtrain::LogRequest request;
  if (choice % 3 == 1) request.window = simtrain::parse_window("all", "");
  if (choice % 3 == 2) request.window = simtrain::parse_window("last:3", "");
  const std::string once = read(text, text.size() + 1, request);
  simtrain::invariant(once == read(text, 1 + choice / 3, request),
                      "a log reads the same in any pieces");
  return 0;
}
