#include "sim/output/work/work_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/output/trace/trace_names.h"
#include "sim/output/work/kernel_shape.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Rows that the text shows, and those that a page shows at once.
constexpr std::size_t kTextRows = 10;
constexpr std::size_t kPageRows = 12;

std::string shape_of(const KernelWork& row) { return row.kernel ? shape_text(*row.kernel) : ""; }

/// What a call reaches: "1234.5 TFLOP/s", or "2890.1 GB/s" of a memory-bound kernel.
std::string rate_text(const KernelWork& row) {
  if (row.flops > 0) return fmt::format("{:.1f} TFLOP/s", row.flops / row.each_s / 1e12);
  if (row.bytes > 0) return fmt::format("{:.1f} GB/s", row.bytes / row.each_s / 1e9);
  return "";
}

std::string peak_text(const KernelWork& row) {
  return row.share_of_peak ? fmt::format("{:.1f} %", *row.share_of_peak * 100) : "";
}

std::string bandwidth_of(const TransferWork& row) {
  const double rate = row.bus_bandwidth();
  return rate >= 1e8 ? fmt::format("{:.1f} GB/s", rate / 1e9)
                     : fmt::format("{:.3f} MB/s", rate / 1e6);
}

template <class Row>
double path_of(const std::vector<Row>& rows, std::size_t first = 0) {
  double sum = 0;
  for (std::size_t i = first; i < rows.size(); ++i) sum += rows[i].path_s;
  return sum;
}

constexpr std::string_view kWorkColumns = "{:>12}{:>12}{:>16}{:>9}{:>15}{:>14}\n";

void add_kernel_rows(std::string& out, const StepWork& work) {
  out += fmt::format("\nKernels of a step: calls of the busiest rank, each alone\n");
  out += fmt::format(fmt::runtime(kWorkColumns), "calls", "each", "rate", "of peak", "bound by",
                     "on the path");
  for (std::size_t i = 0; i < std::min(kTextRows, work.kernels.size()); ++i) {
    const KernelWork& row = work.kernels[i];
    out += wrapped_line(fmt::format("{} {} {}", row.module, kernel_of(row), shape_of(row)));
    out +=
        fmt::format(fmt::runtime(kWorkColumns), row.calls, seconds_text(row.each_s), rate_text(row),
                    peak_text(row), name_of(row.bound), seconds_text(row.path_s));
  }
}

void add_transfer_rows(std::string& out, const StepWork& work) {
  if (work.transfers.empty()) return;
  out += fmt::format("\nTransfers of a step: calls of the busiest rank\n");
  out += fmt::format(fmt::runtime(kWorkColumns), "calls", "total", "bus bandwidth", "", "bound by",
                     "on the path");
  for (std::size_t i = 0; i < std::min(kTextRows, work.transfers.size()); ++i) {
    const TransferWork& row = work.transfers[i];
    out += wrapped_line(fmt::format("{} {} {} {}, {}", row.group, name_of(row.cost.collective),
                                    name_of(row.cost.algorithm), name_of(row.cost.protocol),
                                    call_size(row.cost.bytes)));
    out +=
        fmt::format(fmt::runtime(kWorkColumns), row.calls, seconds_text(row.total_s),
                    bandwidth_of(row), "", in_words(name_of(row.bound)), seconds_text(row.path_s));
  }
}

/// A line of the sums: its name, time and share of the step.
struct SumLine {
  std::string name;
  double seconds = 0;
};

std::vector<SumLine> path_sums(const StepWork& work, const Report& report) {
  std::vector<SumLine> lines{
      {fmt::format("all {} kinds of kernels", work.kernels.size()), path_of(work.kernels)},
      {fmt::format("all {} kinds of transfers", work.transfers.size()), path_of(work.transfers)}};
  for (const auto& row : EnumNames<Share>::rows) {
    const double waited = part(report.breakdown, row.second);
    if (is_waiting(row.second) && waited > 0) lines.push_back({std::string(row.first), waited});
  }
  double sum = 0;
  for (const SumLine& line : lines) sum += line.seconds;
  lines.push_back({"sum", sum});
  return lines;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json kernel_json(const KernelWork& row) {
  const bool counted = row.flops > 0;
  const auto rate = [&](bool known, double amount) {
    return known ? std::optional(amount / row.each_s) : std::nullopt;
  };
  return {{"module", row.module},
          {"kernel", kernel_of(row)},
          {"shape", row.kernel ? shape_json(*row.kernel) : Json::object()},
          {"share", name_of(row.share)},
          {"bound_by", name_of(row.bound)},
          {"each_s", row.each_s},
          {"flops", row.flops},
          {"tflops", optional_json(rate(counted, row.flops / 1e12))},
          {"bytes_per_s", optional_json(rate(row.bytes > 0, row.bytes))},
          {"share_of_peak", optional_json(row.share_of_peak)},
          {"count", row.calls},
          {"total_s", row.total_s},
          {"path_s", row.path_s}};
}

Json transfer_json(const TransferWork& row) {
  return {{"group", row.group},
          {"collective", name_of(row.cost.collective)},
          {"algorithm", name_of(row.cost.algorithm)},
          {"protocol", name_of(row.cost.protocol)},
          {"bytes", row.cost.bytes.value()},
          {"share", name_of(row.share)},
          {"bound_by", name_of(row.bound)},
          {"bus_bandwidth_bytes_per_s", row.bus_bandwidth()},
          {"count", row.calls},
          {"total_s", row.total_s},
          {"path_s", row.path_s}};
}

Json kernel_cells(const KernelWork& row, double step_s) {
  return {{"module", row.module},
          {"kernel", kernel_of(row)},
          {"shape", shape_of(row)},
          {"calls", grouped(static_cast<double>(row.calls))},
          {"each", seconds_text(row.each_s)},
          {"rate", rate_text(row)},
          {"peak", peak_text(row)},
          {"bound", in_words(name_of(row.bound))},
          {"path", seconds_text(row.path_s)},
          {"of_step", percent_text(row.path_s / step_s)}};
}

Json transfer_cells(const TransferWork& row, double step_s) {
  return {
      {"group", row.group},
      {"collective", in_words(name_of(row.cost.collective))},
      {"algorithm", fmt::format("{} {}", name_of(row.cost.algorithm), name_of(row.cost.protocol))},
      {"size", call_size(row.cost.bytes)},
      {"calls", grouped(static_cast<double>(row.calls))},
      {"each", seconds_text(row.each_s())},
      {"total", seconds_text(row.total_s)},
      {"bandwidth", bandwidth_of(row)},
      {"bound", in_words(name_of(row.bound))},
      {"path", seconds_text(row.path_s)},
      {"of_step", percent_text(row.path_s / step_s)}};
}

/// The first rows of a page's table, and the others for who opens them; null where there are none.
template <class Row, class Cells>
Json work_table(const std::vector<Row>& rows, double step_s, const Cells& cells) {
  Json first = Json::array();
  Json others = Json::array();
  for (const Row& row : rows)
    (first.size() < kPageRows ? first : others).push_back(cells(row, step_s));
  const std::size_t hidden = others.size();
  Json more;
  if (hidden > 0)
    more = {{"count", hidden},
            {"time", seconds_text(path_of(rows, kPageRows))},
            {"table", {{"rows", std::move(others)}}}};
  return {{"table", {{"rows", std::move(first)}}}, {"more", std::move(more)}};
}

}  // namespace

std::string kernel_of(const KernelWork& row) {
  return row.kernel ? kernel_name(*row.kernel) : "elementwise_kernel";
}

std::string work_text(const StepWork& work, const Report& report) {
  std::string out;
  add_kernel_rows(out, work);
  add_transfer_rows(out, work);
  out += "\nWhat the critical path is made of\n";
  for (const SumLine& line : path_sums(work, report))
    out += fmt::format("  {:<32}{:>12}{:>10.2f} %\n", line.name, seconds_text(line.seconds),
                       line.seconds / report.step_time_s * 100);
  return out;
}

void add_work(Json& result, const StepWork& work) {
  Json& kernels = result["kernels"] = Json::array();
  for (const KernelWork& row : work.kernels) kernels.push_back(kernel_json(row));
  Json& transfers = result["transfers"] = Json::array();
  for (const TransferWork& row : work.transfers) transfers.push_back(transfer_json(row));
}

Json work_section(const StepWork& work, const Report& report) {
  Json sums = Json::array();
  for (const SumLine& line : path_sums(work, report))
    sums.push_back({{"name", in_words(line.name)},
                    {"time", seconds_text(line.seconds)},
                    {"share", percent_text(line.seconds / report.step_time_s)}});
  return {{"kernels", work_table(work.kernels, report.step_time_s, kernel_cells)},
          {"transfers", work_table(work.transfers, report.step_time_s, transfer_cells)},
          {"sums", std::move(sums)}};
}

}  // namespace simtrain
