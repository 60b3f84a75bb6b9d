#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/output/nccl_table.h"
#include "sim/workload/software_spec.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

/// NCCL, as it comes, of the time of this program; recipes name their own.
constexpr NcclVersion kUsualVersion{2, 27, 3};

po::variables_map parse(const CommandCall& call) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("cluster", po::value<std::vector<std::string>>())("op", text())(
      "gpus", po::value<int>())("nodes", po::value<int>())("min", text()->default_value("8"))(
      "max", text()->default_value("8G"))("factor", po::value<int>()->default_value(2))(
      "software", text())("nccl-version", text())("algo", text())("proto", text())("nvls", text())(
      "min-channels", text())("max-channels", text())("format", text()->default_value("text"));
  return parse_options(call.arguments, options, "cluster");
}

YamlNode scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

/// Letters and digits in small letters, as NCCL_ALGO takes its words.
std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

template <class Name>
Name named(const std::string& word, const std::string& option, const std::vector<Name>& allowed) {
  std::vector<std::string> known;
  known.reserve(allowed.size());
  for (const Name value : allowed) {
    if (plain(name_of(value)) == plain(word)) return value;
    known.emplace_back(name_of(value));
  }
  throw InputError({}, option,
                   fmt::format("'{}' is not known here; {}", word, suggestion(word, known)));
}

template <class Name>
std::optional<std::vector<Name>> names(const po::variables_map& values, const std::string& option,
                                       const std::vector<Name>& allowed) {
  if (values.count(option) == 0) return std::nullopt;
  std::vector<Name> result;
  std::string rest = values[option].as<std::string>() + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    result.push_back(named(rest.substr(0, comma), "--" + option, allowed));
    rest.erase(0, comma + 1);
  }
  return result;
}

/// What NCCL_ALGO knows.
std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> known;
  known.reserve(algorithm_rows().size());
  for (const AlgorithmRow& row : algorithm_rows()) known.push_back(row.algorithm);
  return known;
}

/// A size as nccl-tests takes it: bytes, or with K, M, G of 1024.
Bytes size_of(const po::variables_map& values, const std::string& option) {
  const auto& text = values[option].as<std::string>();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string suffix(end, text.data() + text.size());
  constexpr std::string_view kSuffixes = "KMG";
  const std::size_t power =
      suffix.empty()
          ? 0
          : kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0])))) +
                1;
  const bool fits = error == std::errc() && number > 0 && suffix.size() <= 1 &&
                    (suffix.empty() || (power >= 1 && power <= kSuffixes.size())) &&
                    number <= (std::int64_t{1} << 44) >> (10 * power);
  if (!fits)
    throw InputError(
        {}, "--" + option,
        fmt::format("'{}' is no size; 8, 64K, 128M or 8G would do (at most 16384G)", text));
  return Bytes(number << (10 * power));
}

std::optional<int> channels(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return static_cast<int>(
      scalar_integer(scalar(values[option].as<std::string>()), "--" + option, {1, 64}));
}

NcclSettings settings_of(const CommandCall& call, const po::variables_map& values) {
  NcclSettings settings = untold_nccl(kUsualVersion);
  if (values.count("software") > 0)
    settings = call.data
                   .load<SoftwareSpec>("hardware/software", values["software"].as<std::string>(),
                                       {}, "--software")
                   .nccl;
  NcclOverrides told;
  if (values.count("nccl-version") > 0)
    scalar_quantity(scalar(values["nccl-version"].as<std::string>()), "--nccl-version",
                    told.version.emplace());
  if (values.count("nvls") > 0)
    told.nvls = scalar_bool(scalar(values["nvls"].as<std::string>()), "--nvls");
  told.algo = names(values, "algo", algorithms());
  told.proto = names(values, "proto", std::vector(kNcclProtocols.begin(), kNcclProtocols.end()));
  told.collnet = told.algo && std::any_of(told.algo->begin(), told.algo->end(),
                                          [](Algorithm a) {
                                            return a == Algorithm::collnet_direct ||
                                                   a == Algorithm::collnet_chain;
                                          })
                     ? std::optional(true)
                     : std::nullopt;
  told.min_channels = channels(values, "min-channels");
  told.max_channels = channels(values, "max-channels");
  return with_overrides(settings, told, "command line");
}

Collective operation(const po::variables_map& values) {
  if (values.count("op") == 0)
    throw InputError({}, "--op",
                     "is missing; all_reduce, all_gather, reduce_scatter, broadcast, "
                     "alltoall or sendrecv would do");
  const auto& word = values["op"].as<std::string>();
  if (plain(word) == "sendrecv") return Collective::send_receive;
  return named<Collective>(
      word, "--op",
      {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
       Collective::broadcast, Collective::all_to_all, Collective::send_receive});
}

/// GPUs and the nodes they are spread over; without --nodes as few as hold them.
struct Extent {
  int nodes;
  int gpus;
};

Extent extent_of(const po::variables_map& values, int per_node) {
  if (values.count("gpus") == 0) throw InputError({}, "--gpus", "is missing; --gpus 8 would do");
  const int gpus = values["gpus"].as<int>();
  const int needed = gpus / per_node + (gpus % per_node > 0 ? 1 : 0);
  const int nodes = values.count("nodes") > 0 ? values["nodes"].as<int>() : needed;
  if (gpus < 1) throw InputError({}, "--gpus", fmt::format("{} is none", gpus));
  if (nodes < 1) throw InputError({}, "--nodes", fmt::format("{} is none", nodes));
  return {nodes, gpus};
}

void refuse_uneven(const ClusterSpec& spec, const Extent& extent) {
  const int fewest = spec.fewest_gpus();
  if (extent.gpus % extent.nodes == 0 && extent.gpus / extent.nodes <= fewest) return;
  throw InputError({}, "--gpus",
                   fmt::format("{} do not spread evenly over {} nodes of {}", extent.gpus,
                               extent.nodes, fewest));
}

/// The nodes of the cluster that the ranks need.
Cluster cluster_of(const CommandCall& call, const std::string& name, const Extent& extent) {
  ClusterSpec spec = load_cluster(call.data, name, extent.nodes, {}, NodesKey{"--nodes", {}});
  refuse_uneven(spec, extent);
  return Cluster(std::move(spec));
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
  const Extent extent = extent_of(values, load_cluster(call.data, name, 1, {}).node.gpus);
  const Cluster cluster = cluster_of(call, name, extent);
  head.request.gpus = first_gpus(cluster, extent.nodes, extent.gpus);
  head.settings = settings_of(call, values);
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
