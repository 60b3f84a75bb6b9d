#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <simtrain/simulate.h>

#include "sim/core/files/data_folder.h"
#include "sim/run/analysis/step_work.h"
#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain::api {

struct DataFolder::Content {
  simtrain::DataFolder folder;
  std::string path = folder.root();
  /// Clusters that all simulations with this folder share.
  std::shared_ptr<ClusterCache> clusters = std::make_shared<ClusterCache>();
};

struct Scenario::Content {
  DataFolder data;
  std::string file;  ///< its path, or what messages call it
  ScenarioSource source;
  std::string row;
  std::vector<Setting> settings;

  /// Throws InputError where the file has a table and no row was chosen.
  void check_row() const;
  /// Throws as check_row, and where the scenario cannot be simulated.
  [[nodiscard]] simtrain::Scenario scenario() const;
  /// Its keys as a file of its own. Throws as scenario().
  [[nodiscard]] YamlNode titled_tree() const;
};

struct Result::Source {
  Report report;
  std::optional<StepWork> work;
};

/// The way from the library's types to what is behind them.
struct Access {
  using ScenarioContent = Scenario::Content;
  static const ScenarioContent& of(const Scenario& scenario) { return *scenario.content_; }
  static Scenario made(ScenarioContent content) {
    return Scenario(std::make_shared<const ScenarioContent>(std::move(content)));
  }
  static const DataFolder::Content& of(const DataFolder& data) { return *data.content_; }
  static void keep(Result& result, Report report, std::optional<StepWork> work) {
    result.source_report_ =
        std::make_shared<const Result::Source>(Result::Source{std::move(report), std::move(work)});
  }
};

}  // namespace simtrain::api
