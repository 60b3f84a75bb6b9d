#include <nlohmann/json.hpp>

#include "sim/output/text/json_parts.h"
#include "sim/output/training/share_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json job_json(const FabricResult& result, std::size_t number) {
  const JobOnFabric& job = result.jobs[number];
  Json without = Json::array();
  for (std::size_t by = 0; by < result.jobs.size(); ++by) {
    if (by != number)
      without.push_back({{"job", result.jobs[by].name}, {"step_time_s", job.without_s[by]}});
  }
  return {{"name", job.name},
          {"scenario", job.scenario},
          {"gpus", job.gpus},
          {"placement", job.placement},
          {"hosts", job.hosts},
          {"start_s", job.start_s},
          {"alone_s", job.alone_s},
          {"together_s", job.together_s},
          {"least_s", job.least_s},
          {"most_s", job.most_s},
          {"steps", job.steps},
          {"lost_gpus", job.lost_gpus()},
          {"without", std::move(without)}};
}

Json link_json(const FabricResult& result, const SharedLink& link) {
  Json used = Json::array();
  Json delays = Json::array();
  for (std::size_t job = 0; job < result.jobs.size(); ++job) {
    if (link.used[job] > 0)
      used.push_back({{"job", result.jobs[job].name}, {"share", link.used[job]}});
    for (std::size_t by = 0; by < result.jobs.size(); ++by) {
      if (link.held_up_s[job][by] > 0)
        delays.push_back({{"job", result.jobs[job].name},
                          {"by", result.jobs[by].name},
                          {"seconds", link.held_up_s[job][by]}});
    }
  }
  return {{"from", link.from},       {"to", link.to},
          {"alike", link.alike},     {"bytes_per_s", link.bytes_per_s},
          {"used", std::move(used)}, {"held_up", std::move(delays)}};
}

Json choice_json(const FabricResult& result, const PlacementChoice& choice) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < result.jobs.size(); ++i)
    jobs.push_back({{"job", result.jobs[i].name},
                    {"before_s", choice.others_before_s[i]},
                    {"step_time_s", choice.others_s[i]}});
  return {{"placement", choice.name},      {"hosts", choice.hosts},
          {"step_time_s", choice.step_s},  {"alone_s", choice.alone_s},
          {"lost_gpus", choice.lost_gpus}, {"others_lost_gpus", choice.others_lost_gpus},
          {"jobs", std::move(jobs)}};
}

}  // namespace

std::string fabric_json(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  Json json{{"schema", "simtrain.share/1"},
            {"name", result.name},
            {"cluster", result.cluster},
            {"nodes", result.nodes},
            {"gpus", result.gpus},
            {"links_never_bind", result.links_never_bind},
            {"warm_up_steps", result.steps.warm_up},
            {"counted_steps", result.steps.counted}};
  json["jobs"] = Json::array();
  for (std::size_t i = 0; i < result.jobs.size(); ++i) json["jobs"].push_back(job_json(result, i));
  json["meeting"] = Json::array();
  for (const std::vector<int>& part : result.meeting) {
    Json names = Json::array();
    for (const int job : part) names.push_back(result.jobs[static_cast<std::size_t>(job)].name);
    json["meeting"].push_back(std::move(names));
  }
  json["links"] = Json::array();
  for (const SharedLink& link : result.links) json["links"].push_back(link_json(result, link));
  if (!choices.empty()) {
    json["placements"] = Json::array();
    for (const PlacementChoice& choice : choices)
      json["placements"].push_back(choice_json(result, choice));
  }
  json["engine"] = {{"ranks", result.ranks},
                    {"ranks_simulated", result.ranks_simulated},
                    {"wall_s", result.wall_s}};
  return json_text(json);
}

}  // namespace simtrain
