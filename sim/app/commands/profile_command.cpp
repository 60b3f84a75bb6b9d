#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/program_files.h"
#include "sim/core/suggestion.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/output/measured/profile_report.h"
#include "sim/output/measured/profile_summary.h"
#include "sim/run/simulated_step.h"
#include "sim/study/validate/measured_pairs.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kHelp =
    "simtrain profile SCENARIO.yaml FILE... [--row NAME] [--set KEY=VALUE]...\n"
    "                 [--rank N] [--steps N] [--profile-format NAME]\n"
    "                 [--format text|json]\n"
    "simtrain profile FILE... [--profile-format NAME] [--format text|json]\n\n"
    "  Predicts the scenario and compares with what ran: time and number of kernels\n"
    "  by kind, or the calls of NCCL by kind and size. Errors are predicted over\n"
    "  measured, less one. Without a scenario it says what the files hold.\n\n"
    "  FILE              kernels by 'nsys stats --report cuda_gpu_kern_sum --format\n"
    "                    csv', a trace of torch.profiler, or a log with\n"
    "                    NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL; plain or\n"
    "                    gzip\n"
    "  --row, --set      as for 'simtrain run'\n"
    "  --rank N          whose profile it is; without it as it says itself, or the\n"
    "                    busiest rank's\n"
    "  --steps N         training steps in it; without it as it marks them, or as the\n"
    "                    numbers of collectives tell\n"
    "  --profile-format  one of 'simtrain list profile-formats'; without it the\n"
    "                    content tells\n"
    "  --format json     as simtrain.profile/1\n";

po::variables_map parse(const CommandCall& call) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("paths", po::value<std::vector<std::string>>())(
      "set", po::value<std::vector<std::string>>()->composing())("row", text()->default_value(""))(
      "rank", po::value<int>())("steps", po::value<std::int64_t>())("profile-format", text())(
      "format", text()->default_value("text"));
  return parse_options(call.arguments, options, "paths");
}

ProfileRequest request_of(const po::variables_map& values) {
  constexpr std::int64_t kMostSteps = 1'000'000'000;
  ProfileRequest request;
  if (values.count("rank") > 0) {
    request.rank = values["rank"].as<int>();
    if (*request.rank < 0) throw InputError({}, "--rank", "must be a whole number of 0 or more");
  }
  if (values.count("steps") > 0) {
    request.steps = values["steps"].as<std::int64_t>();
    if (*request.steps < 1 || *request.steps > kMostSteps)
      throw InputError({}, "--steps", "must be a whole number from 1 to 1e9");
  }
  return request;
}

/// Profiles without a scenario: what they hold.
CommandResult summary(const CommandCall& call, const po::variables_map& values,
                      const std::vector<std::string>& paths, const std::string& format) {
  for (const char* option : {"row", "set", "rank", "steps"}) {
    if (values.count(option) > 0 && !values[option].defaulted())
      throw InputError({}, std::string("--") + option,
                       "goes with a scenario, which comes before the profiles");
  }
  const bool json = wants_json(values);
  std::vector<Profile> profiles;
  profiles.reserve(paths.size());
  for (const std::string& path : paths)
    profiles.push_back(read_profile_file(path, format, call.console.bar("MB")));
  return {json ? profile_summary_json(profiles) : profile_summary_text(profiles), 0, json};
}

CommandResult profile_command(const CommandCall& call) {
  const po::variables_map values = parse(call);
  const auto paths = values.count("paths") == 0 ? std::vector<std::string>{}
                                                : values["paths"].as<std::vector<std::string>>();
  if (paths.empty() || (paths.size() == 1 && is_scenario_path(paths[0])))
    throw InputError({}, "",
                     "profile takes profiles, with or without a scenario before them; 'simtrain "
                     "help profile' shows how");
  const std::string format =
      values.count("profile-format") > 0 ? values["profile-format"].as<std::string>() : "";
  if (!is_scenario_path(paths[0])) return summary(call, values, paths, format);
  const bool json = wants_json(values);
  const ProfileRequest request = request_of(values);

  const auto source = ScenarioSource::from_file(scenario_file(call, paths[0]));
  const auto& row = values["row"].as<std::string>();
  if (source.has_table() && row.empty()) {
    throw InputError(
        {paths[0]}, "--row",
        fmt::format("the scenario has a table; {}", suggestion("", source.row_names())));
  }
  const Scenario scenario = source.scenario(call.data, row, parsed_settings(values));
  std::vector<ProfileReport> reports;
  reports.reserve(paths.size() - 1);
  for (std::size_t i = 1; i < paths.size(); ++i)
    reports.push_back({read_profile_file(paths[i], format, call.console.bar("MB")), {}});
  const SimulatedStep simulated =
      simulate_step(scenario, {false, nullptr, call.console.bar("operations")});
  for (ProfileReport& report : reports)
    report.comparisons = compare_profile(simulated, report.profile, request);
  return {json ? profile_json(scenario.name, reports) : profile_text(scenario.name, reports), 0,
          json};
}

}  // namespace

const CommandRow kProfileCommand{"profile", kHelp, "kernels and calls of NCCL, as they ran",
                                 "simtrain profile scenarios/llama405b_a4_224.yaml nccl.log",
                                 profile_command};

}  // namespace simtrain
