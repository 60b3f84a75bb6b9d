#include "sim/run/shared/fabric_scenario.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/run/shared/fabric_fields.h"
#include "sim/topology/fault_times.h"
#include "sim/topology/placement/free_hosts.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

/// Of the folder of the file of jobs, else of the data folder.
std::string scenario_path(const DataFolder& data, const std::string& path, const FabricEntry& job,
                          const std::string& key) {
  std::error_code error;
  const fs::path beside = fs::path(path).parent_path() / job.scenario;
  if (fs::is_regular_file(beside, error)) return beside.string();
  const fs::path listed = fs::path(data.root()) / "scenarios" / job.scenario;
  if (fs::is_regular_file(listed, error)) return listed.string();
  throw InputError(job.where, key + ".scenario",
                   fmt::format("there is no '{}', neither beside this file nor among the scenarios "
                               "of the data folder (simtrain list scenarios)",
                               job.scenario));
}

FabricFile read_file(const YamlNode& tree) {
  auto file = read_yaml<FabricFile>(tree, "");
  const YamlNode& jobs = *tree.find("jobs");
  if (file.jobs.empty()) throw InputError(jobs.place, "jobs", "holds no jobs");
  std::set<std::string> names;
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    if (!names.insert(file.jobs[i].name).second)
      throw InputError(jobs.items[i].find("name")->place, fmt::format("jobs[{}].name", i),
                       fmt::format("'{}' appears twice", file.jobs[i].name));
  }
  return file;
}

/// The job's own settings, then those by which it is on the shared cluster.
std::vector<Setting> settings_of(const YamlNode& tree, const YamlNode& entry,
                                 const FabricEntry& job, const std::string& key) {
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < job.set.size(); ++i) {
    const SourcePlace& where = entry.find("set")->items[i].place;
    const std::string own_key = fmt::format("{}.set[{}]", key, i);
    Setting setting = parse_setting(job.set[i]);
    if (setting.key.starts_with("cluster.") && setting.key != "cluster.nodes" &&
        setting.key != "cluster.gpus")
      throw InputError(where, own_key,
                       fmt::format("sets {}, which is of all jobs; the file's cluster, placement "
                                   "and rank_order would do",
                                   setting.key));
    setting.key_place = where;
    setting.value.place = where;
    settings.push_back(std::move(setting));
  }
  const YamlNode& cluster = *tree.find("cluster");
  const auto add = [&](const std::string& to, const YamlNode* value) {
    if (value != nullptr) settings.push_back({to, value->place, *value});
  };
  add("cluster.name", cluster.find("name"));
  add("cluster.available_nodes", cluster.find("nodes"));
  add("cluster.faults", cluster.find("faults"));
  YamlNode compact{YamlNode::Kind::scalar, entry.place, "compact", {}, {}};
  const YamlNode* placement = entry.find("placement");
  add("cluster.placement", placement != nullptr ? placement : &compact);
  YamlNode by_host{YamlNode::Kind::scalar, entry.place, "by-host", {}, {}};
  const YamlNode* order = entry.find("rank_order");
  add("cluster.rank_order", order != nullptr ? order : &by_host);
  return settings;
}

std::string placement_text(const PlacementSpec& spec) {
  std::string text(name_of(spec.kind));
  if (spec.seed) text += fmt::format(" (seed {})", *spec.seed);
  if (spec.segment) text += fmt::format(" (segments of {})", *spec.segment);
  return text;
}

/// The hosts of a job among those that are free. Segments that nobody asked for are given up where
/// too few are whole.
std::vector<int> hosts_of_entry(const FabricEntry& entry, Scenario& scenario,
                                const std::vector<bool>& taken) {
  std::optional<int>& segment = scenario.placement.spec.segment;
  if (segment && !entry.placement.segment) {
    try {
      return free_hosts(scenario.cluster, scenario.placement, taken);
    } catch (const std::invalid_argument&) {
      segment.reset();
    }
  }
  return free_hosts(scenario.cluster, scenario.placement, taken);
}

FabricJob load_entry(const DataFolder& data, const std::string& path, const YamlNode& tree,
                     std::size_t number, const FabricEntry& entry, std::vector<bool>& taken) {
  const std::string key = fmt::format("jobs[{}]", number);
  const std::string file = scenario_path(data, path, entry, key);
  const auto source = ScenarioSource::from_file(file);
  const std::string row = entry.row.value_or("");
  if (row.empty() && source.has_table())
    throw InputError(
        entry.where, key + ".row",
        fmt::format("is missing; {} has a table, and a job is of one of its rows", entry.scenario));
  const std::vector<std::string> rows = source.row_names();
  if (!row.empty() && std::find(rows.begin(), rows.end(), row) == rows.end())
    throw InputError(entry.where, key + ".row",
                     fmt::format("'{}' is no row of {}; {}", row, entry.scenario,
                                 rows.empty() ? "it has no table" : suggestion(row, rows)));
  const YamlNode& node = tree.find("jobs")->items[number];
  FabricJob job{entry.name, {}, {}, entry.start, entry.where, file};
  job.scenario = source.scenario(data, row, settings_of(tree, node, entry, key));
  try {
    const std::vector<int> hosts = hosts_of_entry(entry, job.scenario, taken);
    job.placement = placement_text(job.scenario.placement.spec);
    for (const int host : hosts) taken[static_cast<std::size_t>(host)] = true;
    place_on(job.scenario, hosts);
  } catch (const std::invalid_argument& refusal) {
    throw InputError(entry.where, key + ".placement", refusal.what());
  }
  return job;
}

/// What a scenario changes of its cluster, but for the software, which is its own.
std::vector<std::string> cluster_changes(const Scenario& scenario) {
  std::vector<std::string> changes;
  if (scenario.files.machine) changes.push_back("cluster.machine " + *scenario.files.machine);
  for (const KeyChange& change : scenario.hardware) {
    if (!change.key.starts_with("hardware.software."))
      changes.push_back(change.key + " " + change.to);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

void refuse_unlike(const std::vector<FabricJob>& jobs) {
  const auto wanted = cluster_changes(jobs.front().scenario);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    const auto changes = cluster_changes(jobs[i].scenario);
    if (changes == wanted) continue;
    std::vector<std::string> unlike;
    std::set_symmetric_difference(changes.begin(), changes.end(), wanted.begin(), wanted.end(),
                                  std::back_inserter(unlike));
    throw InputError(jobs[i].where, fmt::format("jobs[{}].scenario", i),
                     fmt::format("has another cluster than job '{}' ({}); jobs share one",
                                 jobs.front().name, unlike.front()));
  }
}

}  // namespace

std::vector<bool> FabricScenario::taken_hosts(int but) const {
  const ClusterSpec& cluster = jobs.front().scenario.cluster;
  std::vector<bool> taken(static_cast<std::size_t>(cluster.nodes), false);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (static_cast<int>(i) == but) continue;
    for (const int host : placed_hosts(cluster, jobs[i].scenario.placement))
      taken[static_cast<std::size_t>(host)] = true;
  }
  return taken;
}

void place_on(Scenario& scenario, const std::vector<int>& hosts) {
  PlacementSpec& spec = scenario.placement.spec;
  spec = {PlacementKind::hosts, {}, {}, {}, spec.segment};
  spec.hosts.emplace();
  for (const int host : hosts) spec.hosts->push_back(std::to_string(host));
}

FabricScenario load_fabric(const DataFolder& data, const std::string& path) {
  const YamlNode tree = load_yaml_file(path);
  const FabricFile file = read_file(tree);
  refuse_fault_times(file.cluster.faults, "share");
  FabricScenario fabric{file.name, {}, {file.warm_up_steps, file.steps}};
  std::vector<bool> taken(static_cast<std::size_t>(file.cluster.nodes), false);
  for (std::size_t i = 0; i < file.jobs.size(); ++i)
    fabric.jobs.push_back(load_entry(data, path, tree, i, file.jobs[i], taken));
  refuse_unlike(fabric.jobs);
  return fabric;
}

}  // namespace simtrain
