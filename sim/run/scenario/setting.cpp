#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/core/suggestion.h"
#include "sim/run/scenario/job_fields.h"
#include "sim/run/scenario/scenario.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kShortNames{{
    {"tp", "parallelism.tensor_model_parallel_size"},
    {"pp", "parallelism.pipeline_model_parallel_size"},
    {"vp", "parallelism.virtual_pipeline_model_parallel_size"},
    {"cp", "parallelism.context_parallel_size"},
    {"ep", "parallelism.expert_model_parallel_size"},
    {"mbs", "training.micro_batch_size"},
    {"gbs", "training.global_batch_size"},
    {"nodes", "cluster.nodes"},
    {"gpus", "cluster.gpus"},
    {"precision", "training.precision"},
}};

/// Visitor that learns the dotted keys of a struct and of those in it.
class DottedKeys {
 public:
  DottedKeys(std::vector<std::string>& keys, std::string path)
      : keys_(keys), path_(std::move(path)) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    keys_.push_back(yaml_detail::dotted(path_, key));
    if constexpr (Fielded<T>) {
      DottedKeys inner(keys_, keys_.back());
      visit_fields(inner, field);
    }
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... limits) {
    (*this)(key, field, limits...);
  }

 private:
  std::vector<std::string>& keys_;
  std::string path_;
};

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  ScenarioFile file;
  DottedKeys scenario(keys, "");
  visit_fields(scenario, file);
  ModelSpec spec;
  DottedKeys overrides(keys, "model_overrides");
  visit_fields(overrides, spec);
  DottedKeys model(keys, "model");
  visit_fields(model, spec);
  JobSpec training_job;
  DottedKeys job(keys, "job");
  visit_fields(job, training_job);
  return keys;
}

}  // namespace

const std::vector<std::string>& scenario_keys() {
  static const std::vector<std::string> keys = known_keys();
  return keys;
}

std::vector<std::string> short_keys() {
  std::vector<std::string> names;
  names.reserve(kShortNames.size());
  for (const auto& row : kShortNames) names.emplace_back(row.first);
  return names;
}

std::string dotted_key(const std::string& key) {
  for (const auto& [short_name, dotted] : kShortNames) {
    if (key == short_name) return std::string(dotted);
  }
  return key;
}

std::string short_key(const std::string& dotted) {
  for (const auto& [short_name, key] : kShortNames) {
    if (dotted == key) return std::string(short_name);
  }
  return dotted;
}

std::string scenario_key_suggestion(const std::string& key, const std::vector<std::string>& known) {
  const std::vector<std::string>& all = scenario_keys();
  const auto below = std::find_if(all.begin(), all.end(), [&](const std::string& dotted) {
    return dotted.ends_with("." + key);
  });
  return below == all.end() ? suggestion(key, known) : fmt::format("did you mean '{}'?", *below);
}

void check_scenario_key(const std::string& dotted, const SourcePlace& where) {
  const std::vector<std::string>& known = scenario_keys();
  if (dotted.starts_with("hardware."))
    return;  // which keys there are is up to the scenario's files
  if (std::find(known.begin(), known.end(), dotted) != known.end()) return;
  throw InputError(where, dotted,
                   "is no key of a scenario; " + scenario_key_suggestion(dotted, known));
}

std::size_t equals_sign(const std::string& text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++open;
    if (text[i] == ']') --open;
    if (text[i] == '=' && open <= 0) return i;
  }
  return std::string::npos;
}

std::vector<std::string> rivals_of(const std::string& dotted) {
  static const std::vector<std::vector<std::string>> k_groups{
      {"cluster.nodes", "cluster.gpus"}, {"job.tokens", "job.train_iters", "job.days"}};
  for (const std::vector<std::string>& group : k_groups) {
    if (std::find(group.begin(), group.end(), dotted) == group.end()) continue;
    std::vector<std::string> rivals = group;
    std::erase(rivals, dotted);
    return rivals;
  }
  return {};
}

bool exclude_each_other(const std::string& dotted, const std::string& other) {
  const std::vector<std::string> rivals = rivals_of(dotted);
  return std::find(rivals.begin(), rivals.end(), other) != rivals.end();
}

Setting parse_setting(const std::string& text) {
  const std::string place = "--set " + text;
  const std::size_t equals = equals_sign(text);
  if (equals == std::string::npos || equals == 0)
    throw InputError({place}, "", "must be KEY=VALUE");
  const std::string key = dotted_key(text.substr(0, equals));
  YamlNode value = load_yaml_text(text.substr(equals + 1), place, static_cast<int>(equals) + 2);
  if (value.kind == YamlNode::Kind::null) value.place = {place, 1, static_cast<int>(equals) + 2};
  return {key, {place, 1, 1}, std::move(value)};
}

}  // namespace simtrain
