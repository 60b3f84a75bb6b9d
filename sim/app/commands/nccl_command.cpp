#include <cctype>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/nccl_options.h"
#include "sim/app/options/options.h"
#include "sim/core/input/number_text.h"
#include "sim/output/nccl/nccl_table.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

po::variables_map parse(const CommandCall& call) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("cluster", po::value<std::vector<std::string>>())("op", text())(
      "gpus", po::value<int>())("nodes", po::value<int>())("min", text()->default_value("8"))(
      "max", text()->default_value("8G"))("factor", po::value<int>()->default_value(2))(
      "format", text()->default_value("text"));
  add_nccl_options(options);
  return parse_options(call.arguments, options, "cluster");
}

/// A size as nccl-tests takes it: bytes, or with K, M, G of 1024.
Bytes size_of(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
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
  if (values.count("op") == 0)
    throw InputError({}, "--op",
                     "is missing; all_reduce, all_gather, reduce_scatter, broadcast, "
                     "alltoall or sendrecv would do");
  return named_operation(values["op"].as<std::string>());
}

/// Without --nodes as few as hold the GPUs.
NcclExtent extent_of(const po::variables_map& values, int per_node) {
  if (values.count("gpus") == 0) throw InputError({}, "--gpus", "is missing; --gpus 8 would do");
  const int gpus = values["gpus"].as<int>();
  const int needed = gpus / per_node + (gpus % per_node > 0 ? 1 : 0);
  const int nodes = values.count("nodes") > 0 ? values["nodes"].as<int>() : needed;
  if (gpus < 1) throw InputError({}, "--gpus", fmt::format("{} is none", gpus));
  if (nodes < 1) throw InputError({}, "--nodes", fmt::format("{} is none", nodes));
  return {nodes, gpus};
}

constexpr std::string_view kHelp =
    "simtrain nccl CLUSTER --op OP --gpus N [--nodes N] [--min SIZE] [--max SIZE]\n"
    "              [--factor F] [--software NAME] [--nccl-version V]\n"
    "              [--nvls true|false] [--algo A,...] [--proto P,...]\n"
    "              [--min-channels N] [--max-channels N] [--format text|json]\n\n"
    "  Prints what nccl-tests would measure, in its format.\n\n"
    "  --op              all_reduce, all_gather, reduce_scatter, broadcast, alltoall,\n"
    "                    sendrecv\n"
    "  --gpus, --nodes   ranks in all, evenly over nodes; without --nodes over as few\n"
    "                    as can be\n"
    "  --min, --max      8, 64K, 128M, 8G; sizes in between grow by --factor\n"
    "  --software NAME   takes the NCCL settings of hardware/software/NAME.yaml\n"
    "  --nccl-version    2.18 to 2.30; without it and --software 2.27.3 as it comes\n"
    "  --algo, --proto   as NCCL_ALGO and NCCL_PROTO: ring, tree, nvls, nvlstree,\n"
    "                    collnetdirect, collnetchain, pat; ll, ll128, simple\n"
    "  --format json     the same as simtrain.nccl/1\n";

CommandResult nccl_command(const CommandCall& call) {
  const po::variables_map values = parse(call);
  const bool json = wants_json(values);
  if (values.count("cluster") == 0 || values["cluster"].as<std::vector<std::string>>().size() != 1)
    throw InputError({}, "", "nccl takes one cluster; 'simtrain help nccl' shows how");
  const std::string name = values["cluster"].as<std::vector<std::string>>()[0];

  NcclTableHead head;
  head.request.collective = operation(values);
  head.request.least = size_of(values, "min");
  head.request.most = size_of(values, "max");
  head.request.factor = values["factor"].as<int>();
  if (head.request.factor < 2) throw InputError({}, "--factor", "must be 2 or more");
  if (head.request.least.value() > head.request.most.value())
    throw InputError({}, "--min", "is more than --max");
  // Refuses unknown names.
  static_cast<void>(call.data.load<ClusterFile>("hardware/clusters", name, {}, "nccl"));
  const NcclExtent extent = extent_of(values, load_cluster(call.data, name, 1, {}).node.gpus);
  const Cluster cluster = nccl_cluster(call, name, extent);
  head.request.gpus = first_gpus(cluster, extent.nodes, extent.gpus);
  head.settings = nccl_settings(call, values, kUsualNccl);
  head.cluster = cluster.spec().name;
  head.gpu = cluster.spec().gpu.name;
  head.nodes = extent.nodes;
  const std::vector<NcclSweepRow> rows = nccl_sweep(cluster, head.settings, head.request);
  // The table is nccl-tests' own, which other programs read.
  return for_programs(json ? nccl_json(head, rows) : nccl_table(head, rows));
}

}  // namespace

const CommandRow kNcclCommand{"nccl", kHelp, "predicts what nccl-tests measures",
                              "simtrain nccl dgx-superpod-h100 --op all_reduce --gpus 16",
                              nccl_command};

}  // namespace simtrain
