#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/output/drawing/cluster_svg.h"
#include "sim/output/drawing/topology_report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/workload/model/recipe_grid.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr int kUsualNodes = 32;

/// What is looked at: a cluster alone, or with the recipe that runs on it.
struct Subject {
  ClusterSpec spec;
  std::optional<Scenario> scenario;
  std::string path;  ///< of the scenario
  YamlNode keys;     ///< of the scenario
  std::string note;
};

Subject from_scenario(const CommandCall& call, const po::variables_map& values) {
  if (values.count("nodes") > 0) {
    throw InputError({}, "--nodes",
                     "is for a cluster; a scenario says its own, --set nodes=N changes it");
  }
  const std::string path = scenario_file(call, values["subject"].as<std::vector<std::string>>()[0]);
  const auto source = ScenarioSource::from_file(path);
  Scenario scenario =
      source.scenario(call.data, values["row"].as<std::string>(), parsed_settings(values));
  ClusterSpec spec = scenario.cluster;
  return {std::move(spec), std::move(scenario), path,
          source.tree(values["row"].as<std::string>(), parsed_settings(values)), ""};
}

void refuse_scenario_options(const po::variables_map& values) {
  const bool used = !values["row"].as<std::string>().empty() ||
                    !values["set"].as<std::vector<std::string>>().empty() ||
                    !values["highlight"].as<std::string>().empty();
  if (used)
    throw InputError({}, "topology", "--row, --set and --highlight need a scenario (.yaml)");
}

Subject from_cluster(const CommandCall& call, const po::variables_map& values) {
  refuse_scenario_options(values);
  const std::string& name = values["subject"].as<std::vector<std::string>>()[0];
  const auto file = call.data.load<ClusterFile>("hardware/clusters", name, {}, "topology");
  const int most = file.nodes();
  if (values.count("nodes") == 0) {
    const int nodes = std::min(most, kUsualNodes);
    return {load_cluster(call.data, name, nodes, {}),
            std::nullopt,
            "",
            {},
            fmt::format("{} of up to {} nodes; --nodes N takes others", nodes, most)};
  }
  const int nodes = values["nodes"].as<int>();
  if (nodes < 1 || nodes > most) {
    throw InputError({}, "--nodes",
                     fmt::format("{} is not possible; {} has 1 to {} nodes", nodes, name, most));
  }
  return {load_cluster(call.data, name, nodes, {}), std::nullopt, "", {}, ""};
}

Subject subject_of(const CommandCall& call, const po::variables_map& values) {
  const auto subjects = values["subject"].as<std::vector<std::string>>();
  if (subjects.size() != 1 || subjects.front().empty())
    throw InputError({}, "topology", "takes one cluster or one scenario file (.yaml)");
  const bool scenario = subjects.front().ends_with(".yaml") || subjects.front().ends_with(".yml");
  return scenario ? from_scenario(call, values) : from_cluster(call, values);
}

int rank_option(const po::variables_map& values, const std::string& key, int ranks) {
  const int rank = values[key].as<int>();
  if (rank < 0 || rank >= ranks) {
    throw InputError({}, "--" + key,
                     fmt::format("{} is no rank; there are 0 to {}", rank, ranks - 1));
  }
  return rank;
}

std::optional<RankPath> asked_path(const po::variables_map& values, const Cluster& cluster,
                                   const Placement& placement) {
  if (values.count("from") == 0 && values.count("to") == 0) return std::nullopt;
  if (values.count("from") == 0 || values.count("to") == 0)
    throw InputError({}, "topology", "--from and --to go together: the two ends of a path");
  const auto ranks = static_cast<int>(placement.gpu_of_rank.size());
  RankPath asked;
  asked.from_rank = rank_option(values, "from", ranks);
  asked.to_rank = rank_option(values, "to", ranks);
  asked.from_gpu = placement.gpu(asked.from_rank);
  asked.to_gpu = placement.gpu(asked.to_rank);
  asked.path = cluster_path(cluster, asked.from_gpu, asked.to_gpu);
  return asked;
}

/// A group of rank 0, in rank order.
std::vector<int> group_of_rank_0(const Scenario& scenario, const std::string& group) {
  const RankGrid grid = rank_grid(scenario.recipe, scenario.cluster.gpus());
  std::vector<int> ranks;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    RankCoordinates at = grid.coordinates(rank);
    int& along = group == "tp" ? at.tp : group == "cp" ? at.cp : group == "dp" ? at.dp : at.pp;
    along = 0;
    if (at.tp + at.cp + at.dp + at.pp == 0) ranks.push_back(rank);
  }
  return ranks;
}

Highlight highlight_of(const Subject& subject, const Placement& placement,
                       const std::string& group) {
  if (group.empty()) return {};
  const std::vector<std::string> known{"tp", "cp", "dp", "pp"};
  if (std::find(known.begin(), known.end(), group) == known.end()) {
    throw InputError({}, "--highlight",
                     fmt::format("'{}' is no group; tp, cp, dp or pp would do", group));
  }
  std::string title = group + " group of rank 0";
  std::transform(title.begin(), title.begin() + 2, title.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  return {title, placement.gpus(group_of_rank_0(*subject.scenario, group))};
}

TopologyReport report_of(const Subject& subject, const ClusterMap& map) {
  const ClusterSpec& spec = subject.spec;
  TopologyReport report;
  report.cluster =
      fmt::format("{}: {} ({} {})", spec.name, spec.nodes_text(), spec.gpus(), spec.gpu.name);
  report.wiring = fmt::format("{}, {}", spec.fabric.name, spec.wiring_text());
  report.note = subject.note;
  report.facts = cluster_facts(map);
  return report;
}

po::variables_map options_of(const CommandCall& call) {
  po::options_description options;
  options.add_options()("subject", po::value<std::vector<std::string>>()->default_value({}, ""))(
      "nodes", po::value<int>())("from", po::value<int>())("to", po::value<int>())(
      "svg", po::value<std::string>())("highlight", po::value<std::string>()->default_value(""))(
      "row", po::value<std::string>()->default_value(""))(
      "set", po::value<std::vector<std::string>>()->composing()->default_value({}, ""))(
      "format", po::value<std::string>()->default_value("text"))("force", po::bool_switch());
  return parse_options(call.arguments, options, "subject");
}

constexpr std::string_view kHelp =
    "simtrain topology CLUSTER|SCENARIO.yaml [--nodes N] [--from RANK --to RANK]\n"
    "                  [--svg FILE [--force]] [--highlight tp|cp|dp|pp] [--row NAME]\n"
    "                  [--set KEY=VALUE]... [--format text|json]\n\n"
    "  Counts devices and links of a cluster, its bandwidths by level and its\n"
    "  bisection.\n\n"
    "  --nodes N         of a CLUSTER; a scenario says its own. Without it 32, or all\n"
    "                    of fewer\n"
    "  --from, --to      every hop between two ranks (of a CLUSTER: between two GPUs)\n"
    "  --svg FILE        draws the cluster; --force replaces a file that is no such\n"
    "                    drawing\n"
    "  --highlight GROUP marks a group of rank 0 in the drawing; needs a scenario\n"
    "  --row, --set      as in 'simtrain help run'\n"
    "  --format json     the same as simtrain.topology/1\n";

CommandResult topology_command(const CommandCall& call) {
  const po::variables_map values = options_of(call);
  const bool json = wants_json(values);
  const Subject subject = subject_of(call, values);
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  if (subject.scenario) outputs.reads("the scenario", subject.path);
  outputs.reads_model(subject.keys);
  outputs.writes("svg", kDrawingFile);
  outputs.start();
  const Cluster cluster(subject.spec);
  const Placement placement = subject.scenario ? place(subject.spec, subject.scenario->placement)
                                               : place_compactly(subject.spec);
  const auto& group = values["highlight"].as<std::string>();
  const Highlight highlight = highlight_of(subject, placement, group);
  if (!group.empty() && values.count("svg") == 0)
    throw InputError({}, "--highlight", "marks GPUs in a drawing; --svg FILE draws one");

  const ClusterMap map = cluster_map(cluster);
  TopologyReport report = report_of(subject, map);
  report.path = asked_path(values, cluster, placement);
  if (outputs.any()) outputs.write("svg", cluster_svg(map, report, highlight));
  return {json ? topology_json(report) : topology_text(report), 0, json};
}

}  // namespace

const CommandRow kTopologyCommand{"topology", kHelp, "counts and draws a cluster",
                                  "simtrain topology gcp-a4 --nodes 28 --svg a4.svg",
                                  topology_command};

}  // namespace simtrain
