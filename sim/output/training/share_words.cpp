#include "sim/output/training/share_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostHosts = 60;  ///< characters

}  // namespace

std::string hosts_text(std::vector<int> hosts) {
  std::sort(hosts.begin(), hosts.end());
  std::string out;
  for (std::size_t first = 0; first < hosts.size();) {
    std::size_t last = first;
    while (last + 1 < hosts.size() && hosts[last + 1] == hosts[last] + 1) ++last;
    if (!out.empty()) out += ",";
    out += last == first ? std::to_string(hosts[first])
                         : fmt::format("{}-{}", hosts[first], hosts[last]);
    first = last + 1;
  }
  if (out.size() > kMostHosts)
    return fmt::format("{} hosts from {} to {}", hosts.size(), hosts.front(), hosts.back());
  return "hosts " + out;
}

std::string slower_by(double ratio) { return fmt::format("{:+.2f} %", 100 * (ratio - 1)); }

std::string apart_sentence(const FabricResult& result) {
  const bool meets = std::any_of(result.meeting.begin(), result.meeting.end(),
                                 [](const std::vector<int>& part) { return part.size() > 1; });
  if (meets || result.jobs.size() == 1) return "";
  return result.links_never_bind ? "No link between switches can ever be asked for more than it "
                                   "has, so that the jobs do not meet: these times are exact."
                                 : "No link that two jobs use can ever be asked for more than it "
                                   "has, so that they do not meet: these times are exact.";
}

LinkWords link_words(const FabricResult& result, const SharedLink& link) {
  LinkWords words;
  words.link = fmt::format("{} to {}", link.from, link.to);
  if (link.alike > 1) words.link += fmt::format(" and {} alike", link.alike - 1);
  for (std::size_t job = 0; job < result.jobs.size(); ++job) {
    const std::string name = printable(result.jobs[job].name);
    if (link.used[job] > 0)
      words.used += fmt::format("{}{} {}", words.used.empty() ? "" : ", ", name,
                                percent_text(link.used[job]));
    for (std::size_t by = 0; by < result.jobs.size(); ++by) {
      constexpr double kShown = 1e-6;
      if (by == job || link.held_up_s[job][by] < kShown) continue;
      words.held_up +=
          fmt::format("{}{} holds up {} by {} a step", words.held_up.empty() ? "" : "; ",
                      printable(result.jobs[by].name), name, seconds_text(link.held_up_s[job][by]));
    }
  }
  return words;
}

}  // namespace simtrain
