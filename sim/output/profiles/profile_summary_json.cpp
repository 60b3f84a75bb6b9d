#include "sim/output/profiles/profile_rows.h"
#include "sim/output/profiles/profile_summary.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

ordered_json kernels_json(const Profile& profile) {
  auto rows = ordered_json::array();
  for (const ProfiledKernel& kernel : profile.kernels) {
    rows.push_back({{"name", kernel.name},
                    {"kind", name_of(kernel.kind)},
                    {"calls", kernel.calls},
                    {"time_s", kernel.seconds}});
  }
  return rows;
}

ordered_json calls_json(const CallCounts& calls) {
  auto rows = ordered_json::array();
  for (const auto& [shape, count] : calls) {
    ordered_json call = call_shape_json(shape);
    call["calls"] = count;
    rows.push_back(std::move(call));
  }
  return rows;
}

ordered_json place_json(const std::optional<RankPlace>& place) {
  return place ? ordered_json{{"rank", place->rank}, {"ranks", place->ranks}} : ordered_json();
}

ordered_json processes_json(const Profile& profile) {
  auto rows = ordered_json::array();
  for (const LoggedProcess& process : profile.processes) {
    rows.push_back({{"process", process.name},
                    {"told_rank", place_json(process.place)},
                    {"calls", calls_json(process.calls)}});
  }
  return rows;
}

}  // namespace

std::string profile_summary_json(const std::vector<Profile>& profiles) {
  auto list = ordered_json::array();
  for (const Profile& profile : profiles) {
    list.push_back({{"path", profile.path},
                    {"format", profile.format},
                    {"lines", profile.lines},
                    {"gpus", profile.gpus},
                    {"told_rank", place_json(profile.place)},
                    {"steps", profile.steps ? ordered_json(*profile.steps) : ordered_json(nullptr)},
                    {"untold_calls", profile.unknown_calls},
                    {"incomplete", profile.incomplete},
                    {"skipped_lines", profile.skipped.count},
                    {"skipped_reasons", profile.skipped.reasons},
                    {"kernels", kernels_json(profile)},
                    {"calls", calls_json(profile.calls)},
                    {"processes", processes_json(profile)}});
  }
  return json_text(
      {{"schema", "simtrain.profile/1"}, {"scenario", nullptr}, {"profiles", std::move(list)}});
}

}  // namespace simtrain
