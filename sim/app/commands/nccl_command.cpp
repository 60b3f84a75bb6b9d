#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "sim/app/arguments/nccl_options.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/core/input/number_text.h"
#include "sim/output/nccl/nccl_html.h"
#include "sim/output/nccl/nccl_table.h"
#include "sim/study/nccl/nccl_cluster.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kOwnNcclOptions{
    OptionRow{.value = "CLUSTER", .type = OptionType::argument, .completes = "clusters"},
    OptionRow{.name = "op",
              .value = "OP",
              .help = "all_reduce, all_gather, reduce_scatter, broadcast, alltoall, sendrecv",
              .completes = "collectives",
              .required = true},
    OptionRow{.name = "gpus", .value = "N", .type = OptionType::whole, .required = true},
    OptionRow{.name = "nodes",
              .value = "N",
              .help = "ranks in all, evenly over nodes; without --nodes over as few as can be",
              .type = OptionType::whole},
    OptionRow{.name = "min",
              .value = "SIZE",
              .help = "the smallest size: bytes, or 64K, 128M, 8G",
              .preset = "8"},
    OptionRow{.name = "max", .value = "SIZE", .help = "the largest", .preset = "8G"},
    OptionRow{.name = "factor",
              .value = "F",
              .help = "from a size to the next",
              .type = OptionType::whole,
              .preset = "2"},
    with_help(kReportOption, "writes bus bandwidth by size as one HTML page"),
    OptionRow{.name = "measured",
              .value = "FILE",
              .help =
                  "output of nccl-tests: its tests of the same operation and number of ranks as "
                  "points on the page",
              .type = OptionType::texts,
              .with = "report"},
    going_with(kForceOption, "report"),
    format_option("json: the same as simtrain.nccl/1")};
constexpr std::array kAllNcclOptions = joined(kOwnNcclOptions, kNcclOptions);

/// A size as nccl-tests takes it: bytes, or with K, M, G of 1024.
Bytes size_of(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();  // has a preset
  std::string_view suffix = text;
  const std::int64_t number = take_number<std::int64_t>(suffix).value_or(0);
  constexpr std::string_view kSuffixes = "KMG";
  const std::size_t power =
      suffix.empty()
          ? 0
          : kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0])))) +
                1;
  const bool fits = number > 0 && suffix.size() <= 1 &&
                    (suffix.empty() || (power >= 1 && power <= kSuffixes.size())) &&
                    number <= (std::int64_t{1} << 44) >> (10 * power);
  if (!fits)
    throw InputError(
        {}, "--" + option,
        fmt::format("'{}' is no size; 8, 64K, 128M or 8G would do (at most 16384G)", text));
  return Bytes(number << (10 * power));
}

Collective operation(const po::variables_map& values) {
  const auto word = option_value(values, "op");
  if (!word)
    throw InputError({}, "--op",
                     "is missing; all_reduce, all_gather, reduce_scatter, broadcast, "
                     "alltoall or sendrecv would do");
  return named_operation(*word, "--op");
}

/// Without --nodes as few as hold the GPUs.
NcclExtent extent_of(const po::variables_map& values, int per_node) {
  const std::optional<int> asked = int_option(values, "gpus");
  if (!asked) throw InputError({}, "--gpus", "is missing; --gpus 8 would do");
  const int gpus = *asked;
  const int needed = gpus / per_node + (gpus % per_node > 0 ? 1 : 0);
  const int nodes = int_option(values, "nodes").value_or(needed);
  if (gpus < 1) throw InputError({}, "--gpus", fmt::format("{} is none", gpus));
  if (nodes < 1) throw InputError({}, "--nodes", fmt::format("{} is none", nodes));
  return {nodes, gpus};
}

/// The tests in a file that are of what is asked for.
std::vector<MeasuredCurve> tests_of(const std::string& path, std::string_view operation,
                                    std::size_t ranks) {
  std::vector<MeasuredCurve> curves;
  const NcclTestsLog log = read_nccl_tests_file(path);
  for (const NcclTest& test : log.tests) {
    const bool same = test.operation.empty() || test.operation == operation;
    if (same && (test.ranks.empty() || test.ranks.size() == ranks))
      curves.push_back({std::filesystem::path(path).filename().string(), test});
  }
  if (curves.empty())
    throw InputError({path}, "--measured",
                     fmt::format("holds no test of {} on {} ranks", operation, ranks));
  return curves;
}

/// Throws InputError where --measured has no page to be on.
std::vector<MeasuredCurve> measured_curves(const po::variables_map& values, std::size_t ranks) {
  const std::vector<std::string> files = option_values(values, "measured");
  if (!files.empty() && values.count("report") == 0)
    throw InputError({}, "--measured", "goes with --report FILE.html");
  std::vector<MeasuredCurve> curves;
  for (const std::string& file : files) {
    for (MeasuredCurve& curve : tests_of(file, *option_value(values, "op"), ranks))
      curves.push_back(std::move(curve));
  }
  return curves;
}

/// NCCL runs what it can where an algorithm that it is told is of no use for a call.
void note_other_algorithms(const Console& console, const NcclTableHead& head,
                           const std::vector<NcclSweepRow>& rows) {
  if (!head.settings.algo) return;
  const std::vector<Algorithm>& asked = head.settings.algo->value;
  const auto other = [&](const NcclSweepRow& row) {
    return std::find(asked.begin(), asked.end(), row.cost.algorithm) == asked.end();
  };
  const auto first = std::find_if(rows.begin(), rows.end(), other);
  if (first == rows.end()) return;
  console.note(fmt::format("simtrain: note: none of --algo runs {} of {} B on {} here, {} does\n",
                           name_of(head.request.collective), first->cost.bytes.value(), head.gpu,
                           name_of(first->cost.algorithm)));
}

OutputFiles nccl_outputs(const CommandCall& call, const po::variables_map& values) {
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  for (const std::string& file : option_values(values, "measured")) outputs.reads("a log", file);
  outputs.writes("report", kPageFile);
  return outputs;
}

CommandResult nccl_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kAllNcclOptions);
  const bool json = wants_json(values);
  const std::vector<std::string> clusters = plain_arguments(values);
  if (clusters.size() != 1)
    throw InputError({}, "", "nccl takes one cluster; 'simtrain help nccl' shows how");
  const std::string& name = clusters.front();

  NcclTableHead head;
  head.request.collective = operation(values);
  head.request.least = size_of(values, "min");
  head.request.most = size_of(values, "max");
  head.request.factor = *int_option(values, "factor");
  if (head.request.factor < 2) throw InputError({}, "--factor", "must be 2 or more");
  if (head.request.least.value() > head.request.most.value())
    throw InputError({}, "--min", "is more than --max");
  // Refuses unknown names.
  static_cast<void>(call.data.load<ClusterFile>("hardware/clusters", name, {}, "nccl"));
  const NcclExtent extent = extent_of(values, node_of_cluster(call.data, name, {}).gpus);
  const Cluster cluster = nccl_cluster(call.data, name, extent, "--");
  head.request.gpus = first_gpus(cluster, extent.nodes, extent.gpus);
  head.settings = nccl_settings(call, values, kUsualNccl);
  head.cluster = cluster.spec().name;
  head.gpu = cluster.spec().gpu.name;
  head.nodes = extent.nodes;
  const std::vector<MeasuredCurve> measured = measured_curves(values, head.request.gpus.size());
  OutputFiles outputs = nccl_outputs(call, values);
  outputs.start();
  const std::vector<NcclSweepRow> rows = nccl_sweep(cluster, head.settings, head.request);
  note_other_algorithms(call.console, head, rows);
  if (outputs.any()) outputs.write("report", nccl_html(head, rows, measured));
  // The table is nccl-tests' own, which other programs read.
  return for_programs(json ? nccl_json(head, rows) : nccl_table(head, rows));
}

}  // namespace

const CommandRow kNcclCommand{"nccl",
                              "predicts what nccl-tests measure",
                              "simtrain nccl dgx-superpod-h100 --op all_reduce --gpus 16",
                              "Prints what nccl-tests would measure, in its format.",
                              nccl_command,
                              kAllNcclOptions};

}  // namespace simtrain
