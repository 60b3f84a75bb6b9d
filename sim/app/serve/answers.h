#pragma once

#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sim/app/serve/http_server.h"
#include "sim/core/files/data_folder.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

/// What `simtrain serve` answers, of a snapshot of the data folder and nothing else:
///
/// - `/`: the page (web/templates/serve.html).
/// - `/choices`: names of scenarios with their rows, models, clusters, software, precisions.
/// - `/run?scenario=NAME[&row=NAME][&set=KEY=VALUE]...`: what `simtrain run --format json` prints.
///
/// What is wrong with a request is status 400 and {"error":, "key":, "reason":}.
class ServeAnswers {
 public:
  /// Throws InputError where a scenario of the folder cannot be read.
  explicit ServeAnswers(const DataFolder& data);

  /// For many threads at a time; never throws.
  [[nodiscard]] HttpAnswer operator()(const HttpRequest& request);

 private:
  [[nodiscard]] HttpAnswer routed(const HttpRequest& request);
  [[nodiscard]] std::string choices() const;
  [[nodiscard]] std::string run(const HttpRequest& request);
  [[nodiscard]] std::string simulated(const HttpRequest& request);
  [[nodiscard]] std::optional<std::string> known_answer(const std::string& question);

  /// Throws InputError where it is none of the folder's.
  [[nodiscard]] const ScenarioSource& source_of(const std::string& name) const;

  DataFolder data_;
  std::map<std::string, ScenarioSource> scenarios_;
  ClusterCache clusters_;
  std::mutex mutex_;
  /// Answers to the questions asked last, by question, the latest first.
  std::list<std::pair<std::string, std::string>> known_;
};

}  // namespace simtrain
