#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/output/drawing/cluster_svg.h"
#include "sim/output/drawing/topology_html.h"
#include "sim/output/drawing/topology_report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

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
                     "is for a cluster; a scenario gives its own, --set nodes=N changes it");
  }
  const std::string path = scenario_file(call, plain_arguments(values).front());
  const auto source = ScenarioSource::from_file(path);
  const std::string row = option_value(values, "row").value_or("");
  const std::vector<Setting> settings = parsed_settings(values);
  Scenario scenario = source.scenario(call.data, row, settings);
  ClusterSpec spec = scenario.cluster;
  return {std::move(spec), std::move(scenario), path, source.tree(row, settings), ""};
}

void refuse_scenario_options(const po::variables_map& values) {
  if (values.count("row") + values.count("set") + values.count("machine") +
          values.count("highlight") >
      0)
    throw InputError({}, "topology",
                     "--row, --set, --machine and --highlight need a scenario (.yaml)");
}

Subject from_cluster(const CommandCall& call, const po::variables_map& values) {
  refuse_scenario_options(values);
  const std::string name = plain_arguments(values).front();
  const auto file = call.data.load<ClusterFile>("hardware/clusters", name, {}, "topology");
  const int most = file.nodes();
  const std::optional<int> asked = int_option(values, "nodes");
  if (!asked) {
    const int nodes = std::min(most, kUsualTopologyNodes);
    return {load_cluster(call.data, name, nodes, {}),
            std::nullopt,
            "",
            {},
            fmt::format("{} of up to {} nodes; --nodes N takes others", nodes, most)};
  }
  const int nodes = *asked;
  if (nodes < 1 || nodes > most) {
    throw InputError({}, "--nodes",
                     fmt::format("{} is not possible; {} has 1 to {} nodes", nodes, name, most));
  }
  return {load_cluster(call.data, name, nodes, {}), std::nullopt, "", {}, ""};
}

Subject subject_of(const CommandCall& call, const po::variables_map& values) {
  const std::vector<std::string> subjects = plain_arguments(values);
  if (subjects.size() != 1 || subjects.front().empty())
    throw InputError({}, "topology", "takes one cluster or one scenario file (.yaml)");
  const bool scenario = subjects.front().ends_with(".yaml") || subjects.front().ends_with(".yml");
  return scenario ? from_scenario(call, values) : from_cluster(call, values);
}

int rank_option(const po::variables_map& values, const std::string& key, int ranks) {
  const int rank = *int_option(values, key);
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
  std::string title = group + " group of rank 0";
  std::transform(title.begin(), title.begin() + 2, title.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  return {title, placement.gpus(group_of_rank_0(*subject.scenario, group))};
}

constexpr std::array kTopologyOptions{
    OptionRow{
        .value = "CLUSTER|SCENARIO.yaml", .type = OptionType::argument, .completes = "clusters"},
    OptionRow{.name = "nodes",
              .value = "N",
              .help = "of a CLUSTER; a scenario gives its own. Without it 32, or all of fewer",
              .type = OptionType::whole},
    OptionRow{.name = "from", .value = "RANK", .type = OptionType::whole},
    OptionRow{.name = "to",
              .value = "RANK",
              .help = "every hop between two ranks (of a CLUSTER: between two GPUs)",
              .type = OptionType::whole,
              .with = "from",
              .required = true},
    OptionRow{.name = "svg", .value = "FILE", .help = "draws the cluster"},
    with_help(kReportOption, "writes drawing and figures as one HTML page"),
    kForceOption,
    OptionRow{.name = "highlight",
              .value = "tp|cp|dp|pp",
              .help = "marks a group of rank 0 in the drawing; needs a scenario"},
    kRowOption,
    kSetOption,
    kMachineOption,
    format_option("json: the same as simtrain.topology/1")};

CommandResult topology_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kTopologyOptions);
  const bool json = wants_json(values);
  const Subject subject = subject_of(call, values);
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  if (subject.scenario) outputs.reads("the scenario", subject.path);
  outputs.reads_model(subject.keys);
  outputs.writes("svg", kDrawingFile);
  outputs.writes("report", kPageFile);
  outputs.start();
  const Cluster cluster(subject.spec);
  const Placement placement = subject.scenario ? place(subject.spec, subject.scenario->placement)
                                               : place_compactly(subject.spec);
  const std::string group = option_value(values, "highlight").value_or("");
  const Highlight highlight = highlight_of(subject, placement, group);
  if (!group.empty() && !outputs.any())
    throw InputError({}, "--highlight",
                     "marks GPUs in a drawing; --svg FILE or --report FILE.html draws one");

  const ClusterMap map = cluster_map(cluster);
  TopologyReport report = topology_report(subject.spec, cluster_facts(map), subject.note);
  report.path = asked_path(values, cluster, placement);
  if (values.count("svg") > 0) outputs.write("svg", cluster_svg(map, report, highlight));
  if (values.count("report") > 0) outputs.write("report", topology_html(map, report, highlight));
  return {json ? topology_json(report) : topology_text(report), 0, json};
}

}  // namespace

const CommandRow kTopologyCommand{
    "topology",
    "counts and draws a cluster",
    "simtrain topology gcp-a4 --nodes 28 --svg a4.svg",
    "Counts devices and links of a cluster, its bandwidths by level and its bisection.",
    topology_command,
    kTopologyOptions};

}  // namespace simtrain
