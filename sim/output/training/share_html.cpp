#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/training/share_report.h"
#include "sim/output/training/share_words.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string lost_text(double gpus) { return fmt::format("{:.1f}", gpus); }

Json job_row(const JobOnFabric& job) {
  return {{"name", job.name},
          {"scenario", job.scenario},
          {"gpus", grouped(job.gpus)},
          {"placement", in_words(job.placement)},
          {"hosts", hosts_text(job.hosts)},
          {"start", job.start_s > 0 ? seconds_text(job.start_s) : "0 s"},
          {"alone", seconds_text(job.alone_s)},
          {"together", seconds_text(job.together_s)},
          {"range", job.most_s > job.least_s ? fmt::format("{} to {}", seconds_text(job.least_s),
                                                           seconds_text(job.most_s))
                                             : ""},
          {"slower", slower_by(job.together_s / job.alone_s)},
          {"lost", lost_text(job.lost_gpus())}};
}

Json job_rows(const FabricResult& result) {
  Json rows = Json::array();
  for (const JobOnFabric& job : result.jobs) rows.push_back(job_row(job));
  return rows;
}

/// What each job costs each other: a row a job, a column the one that is left out.
Json slower_section(const FabricResult& result) {
  if (result.jobs.size() < 2) return nullptr;
  Json names = Json::array();
  Json rows = Json::array();
  for (const JobOnFabric& job : result.jobs) {
    names.push_back({{"name", job.name}});
    Json cells = Json::array();
    for (std::size_t by = 0; by < result.jobs.size(); ++by) {
      const bool self = &result.jobs[by] == &job;
      cells.push_back({{"cell", self ? "-" : slower_by(job.together_s / job.without_s[by])}});
    }
    rows.push_back({{"name", job.name}, {"cells", std::move(cells)}});
  }
  return {{"names", std::move(names)}, {"rows", std::move(rows)}};
}

/// Links on which somebody is held up, and the others.
Json link_section(const FabricResult& result) {
  if (result.links.empty()) return nullptr;
  Json held_up = Json::array();
  Json quiet = Json::array();
  for (const SharedLink& link : result.links) {
    const LinkWords words = link_words(result, link);
    Json row{{"link", words.link},
             {"bandwidth", fmt::format("{:.4g} GB/s", link.bytes_per_s / 1e9)},
             {"used", words.used}};
    if (words.held_up.empty()) {
      quiet.push_back(std::move(row));
    } else {
      row["held_up"] = words.held_up;
      held_up.push_back(std::move(row));
    }
  }
  Json none = nullptr;
  return {{"held_up", held_up.empty() ? none : Json{{"rows", held_up}}},
          {"quiet", quiet.empty() ? none : Json{{"count", quiet.size()}, {"rows", quiet}}}};
}

Json choice_section(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  if (choices.empty()) return nullptr;
  Json rows = Json::array();
  for (const PlacementChoice& choice : choices)
    rows.push_back({{"name", choice.name},
                    {"hosts", hosts_text(choice.hosts)},
                    {"step", seconds_text(choice.step_s)},
                    {"alone", seconds_text(choice.alone_s)},
                    {"lost", lost_text(choice.lost_gpus)},
                    {"others_lost", lost_text(choice.others_lost_gpus)}});
  return {{"job", result.jobs.back().name}, {"rows", std::move(rows)}};
}

Json share_content(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  double lost = 0;
  int used = 0;
  for (const JobOnFabric& job : result.jobs) {
    lost += job.lost_gpus();
    used += job.gpus;
  }
  return {{"title", result.name},
          {"cluster", result.cluster},
          {"nodes", grouped(result.nodes)},
          {"gpus", grouped(result.gpus)},
          {"used", grouped(used)},
          {"lost", lost_text(lost)},
          {"warm_up", result.steps.warm_up},
          {"counted", result.steps.counted},
          {"apart", apart_sentence(result)},
          {"jobs", job_rows(result)},
          {"slower", slower_section(result)},
          {"links", link_section(result)},
          {"choices", choice_section(result, choices)}};
}

Json share_charts(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  Json jobs = Json::array();
  for (const JobOnFabric& job : result.jobs)
    jobs.push_back({{"name", job.name},
                    {"alone_s", job.alone_s},
                    {"together_s", job.together_s},
                    {"least_s", job.least_s},
                    {"most_s", job.most_s},
                    {"lost_gpus", job.lost_gpus()}});
  Json places = Json::array();
  for (const PlacementChoice& choice : choices)
    places.push_back({{"name", choice.name},
                      {"step_s", choice.step_s},
                      {"own", choice.lost_gpus},
                      {"others", choice.others_lost_gpus}});
  return {{"jobs", std::move(jobs)}, {"places", std::move(places)}};
}

}  // namespace

std::string fabric_html(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  return html_chart_page("share", share_content(result, choices), share_charts(result, choices),
                         PageResult(fabric_json(result, choices)));
}

}  // namespace simtrain
