#include "sim/output/training/share_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/output/training/share_words.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostLinks = 6;
constexpr std::size_t kNameColumns = 20;

std::string name_cell(const std::string& name) {
  return fmt::format("{:<20}", shortened(printable(name), kNameColumns));
}

void add_head(const FabricResult& result, std::string& out) {
  int used = 0;
  for (const JobOnFabric& job : result.jobs) used += job.gpus;
  labelled_line(
      out, "cluster",
      fmt::format("{}: {} nodes, {} GPUs, {} of them in {} job{}", result.cluster, result.nodes,
                  result.gpus, used, result.jobs.size(), result.jobs.size() == 1 ? "" : "s"));
  labelled_line(out, "steps",
                fmt::format("mean of those after {} to warm up, {} of each job at least",
                            result.steps.warm_up, result.steps.counted));
}

void add_jobs(const FabricResult& result, std::string& out) {
  out += fmt::format("\n{:<20}{:>7}{:>14}{:>14}{:>10}{:>13}\n", "job", "GPUs", "alone", "together",
                     "slower", "GPUs lost");
  for (const JobOnFabric& job : result.jobs) {
    out +=
        name_cell(job.name) + fmt::format("{:>7}{:>14}{:>14}{:>10}{:>13.1f}\n", job.gpus,
                                          seconds_text(job.alone_s), seconds_text(job.together_s),
                                          slower_by(job.together_s / job.alone_s), job.lost_gpus());
  }
  for (const JobOnFabric& job : result.jobs) {
    std::string line = fmt::format("{}: {}, ", printable(job.name), printable(job.scenario));
    if (job.placement != name_of(PlacementKind::hosts)) line += job.placement + ", ";
    line += hosts_text(job.hosts);
    if (job.start_s > 0) line += fmt::format(", starts at {}", seconds_text(job.start_s));
    if (job.most_s > job.least_s)
      line += fmt::format("; {} steps from {} to {}", job.steps, seconds_text(job.least_s),
                          seconds_text(job.most_s));
    out += wrapped_line(line);
  }
}

void add_meeting(const FabricResult& result, std::string& out) {
  const std::string apart = apart_sentence(result);
  if (!apart.empty()) out += "\n" + wrapped_line(apart, 0);
}

/// Who slows whom: how much faster the step of a row would be without the job of a column.
void add_slowers(const FabricResult& result, std::string& out) {
  std::string lines;
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    const JobOnFabric& job = result.jobs[i];
    for (std::size_t by = 0; by < result.jobs.size(); ++by) {
      if (by == i || job.without_s[by] == job.together_s) continue;
      lines += wrapped_line(fmt::format(
          "{} takes {} without {}: {} costs it {}", printable(job.name),
          seconds_text(job.without_s[by]), printable(result.jobs[by].name),
          printable(result.jobs[by].name), slower_by(job.together_s / job.without_s[by])));
    }
  }
  if (!lines.empty()) {
    out += "\nWho slows whom\n" + lines;
  } else if (result.meeting.size() < result.jobs.size()) {
    out += "\nNo step would be shorter without another job.\n";
  }
}

std::string link_line(const FabricResult& result, const SharedLink& link) {
  const LinkWords words = link_words(result, link);
  return wrapped_line(fmt::format("{}: used by {}{}{}", words.link, words.used,
                                  words.held_up.empty() ? "" : "; ", words.held_up));
}

void add_links(const FabricResult& result, std::string& out) {
  if (result.links.empty()) return;
  out += "\nOn which links\n";
  const std::size_t shown = std::min(kMostLinks, result.links.size());
  for (std::size_t i = 0; i < shown; ++i) out += link_line(result, result.links[i]);
  if (shown < result.links.size())
    out += wrapped_line(fmt::format("and {} other sorts of links that several jobs use",
                                    result.links.size() - shown));
}

void add_choices(const FabricResult& result, const std::vector<PlacementChoice>& choices,
                 std::string& out) {
  if (choices.empty()) return;
  const std::string next = printable(result.jobs.back().name);
  out += fmt::format("\nWhere to place {}\n{:<34}{:>14}{:>14}{:>18}\n", next, "placement",
                     "its step", "its GPUs lost", "others' GPUs lost");
  for (const PlacementChoice& choice : choices) {
    out += fmt::format("{:<34}{:>14}{:>14.1f}{:>18.1f}\n", shortened(choice.name, 33),
                       seconds_text(choice.step_s), choice.lost_gpus, choice.others_lost_gpus);
  }
  out += wrapped_line(
      "The first costs the others least. GPUs lost: as many as one might as well "
      "take away from jobs that nobody slows.",
      0);
}

}  // namespace

std::string fabric_text(const FabricResult& result, const std::vector<PlacementChoice>& choices) {
  std::string out = wrapped(printable(result.name), 0) + "\n";
  add_head(result, out);
  add_jobs(result, out);
  add_meeting(result, out);
  add_slowers(result, out);
  add_links(result, out);
  add_choices(result, choices, out);
  out += fmt::format("\n{} ranks", result.ranks);
  if (result.ranks_simulated == result.ranks) {
    out += ", each simulated";
  } else if (result.ranks_simulated > 0) {
    out += fmt::format(", {} simulated for all that are alike", result.ranks_simulated);
  }
  return out + fmt::format("; {:.2f} s\n", result.wall_s);
}

}  // namespace simtrain
