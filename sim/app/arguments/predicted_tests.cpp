#include "sim/app/arguments/predicted_tests.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/app/arguments/nccl_options.h"
#include "sim/app/options/options.h"
#include "sim/study/nccl/nccl_cluster.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

int positive_count(const po::variables_map& values, const char* option) {
  const int value = *int_option(values, option);
  if (value < 1) throw InputError({}, std::string("--") + option, fmt::format("{} is none", value));
  return value;
}

/// As the options say, else as the log does; nodes without either as few as hold the GPUs.
NcclExtent extent_of(const po::variables_map& values, const NcclTest& test, const std::string& path,
                     int per_node) {
  NcclExtent extent;
  extent.gpus = values.count("gpus") > 0 ? positive_count(values, "gpus")
                                         : static_cast<int>(test.ranks.size());
  if (extent.gpus < 2) {
    throw InputError({path}, "--gpus",
                     test.ranks.empty() ? "is missing; the log names no ranks"
                                        : "the log is of one rank alone, which moves nothing");
  }
  const int needed = (extent.gpus + per_node - 1) / per_node;
  extent.nodes = values.count("nodes") > 0 ? positive_count(values, "nodes")
                                           : std::max(static_cast<int>(test.hosts.size()), needed);
  return extent;
}

Collective collective_of(const po::variables_map& values, const NcclTest& test,
                         const std::string& path, int gpus) {
  if (const auto word = option_value(values, "op")) return named_operation(*word, "--op");
  if (const auto given = collective_of_program(path, test.operation)) return *given;
  if (const auto by_rows = collective_of_rows(test, static_cast<std::size_t>(gpus)))
    return *by_rows;
  throw InputError({path, static_cast<int>(test.rows.front().line), 0}, "--op",
                   "is missing; the log does not name its program, and the table could be of "
                   "several: all_reduce, all_gather, alltoall or another would do");
}

/// NCCL as options or the log say.
NcclSettings settings_of(const CommandCall& call, const po::variables_map& values,
                         const NcclTest& test, const std::string& path) {
  NcclVersion version = kUsualNccl;
  const bool given = values.count("nccl-version") > 0 || values.count("software") > 0;
  if (!given && !test.version.empty()) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = test.version;
    node.place.file = path;
    scalar_quantity(node, "NCCL version of the log (--nccl-version would take another)", version);
  }
  return nccl_settings(call, values, version);
}

}  // namespace

std::vector<PredictedTest> predicted_tests(const CommandCall& call, const po::variables_map& values,
                                           const NcclTestsLog& log) {
  if (values.count("cluster") == 0)
    throw InputError({}, "--cluster",
                     "is missing; the output of nccl-tests is compared with a prediction for a "
                     "cluster ('simtrain list clusters')");
  const auto& name = values["cluster"].as<std::string>();
  // Refuses unknown names.
  static_cast<void>(call.data.load<ClusterFile>("hardware/clusters", name, {}, "--cluster"));
  const int per_node = node_of_cluster(call.data, name, {}).gpus;
  std::vector<PredictedTest> predicted;
  predicted.reserve(log.tests.size());
  for (const NcclTest& test : log.tests) {
    PredictedTest result;
    const NcclExtent extent = extent_of(values, test, log.path, per_node);
    result.log = log.path;
    result.test = test;
    result.test.rows.clear();
    result.gpus = extent.gpus;
    result.nodes = extent.nodes;
    result.collective = collective_of(values, test, log.path, extent.gpus);
    result.settings = settings_of(call, values, test, log.path);
    predict_rows(nccl_cluster(call.data, name, extent, "--"), test.rows, result);
    predicted.push_back(std::move(result));
  }
  return predicted;
}

}  // namespace simtrain
