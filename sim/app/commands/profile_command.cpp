#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/output/profiles/profile_html.h"
#include "sim/output/profiles/profile_report.h"
#include "sim/output/profiles/profile_summary.h"
#include "sim/run/step/simulated_step.h"
#include "sim/study/validate/measured_pairs.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr OptionRow kProfileFormatOption{
    .name = "profile-format",
    .value = "NAME",
    .help = "one of 'simtrain list profile-formats'; without it found by content",
    .completes = "profile-formats"};
constexpr OptionRow kProfileJsonOption = format_option("json: as simtrain.profile/1");
constexpr std::array kProfileOptions{
    OptionRow{
        .value = "SCENARIO.yaml FILE...", .type = OptionType::argument, .completes = "scenarios"},
    kRowOption,
    kSetOption,
    kMachineOption,
    OptionRow{
        .name = "rank",
        .value = "N",
        .help = "whose profile it is; without it as the profile gives it, or the busiest rank's",
        .type = OptionType::whole},
    OptionRow{.name = "steps",
              .value = "N",
              .help = "training steps in it; without it as it marks them, or as the numbers of "
                      "collectives show",
              .type = OptionType::whole},
    kProfileFormatOption,
    kReportOption,
    going_with(kForceOption, "report"),
    kProfileJsonOption};
constexpr std::array kFilesOptions{
    OptionRow{.value = "FILE...",
              .help = "kernels by 'nsys stats --report cuda_gpu_kern_sum --format csv' or what "
                      "'nsys export --type sqlite' writes, a trace of torch.profiler, or a log "
                      "with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL; texts plain or gzip",
              .type = OptionType::argument},
    kProfileFormatOption, kProfileJsonOption};
constexpr std::array<std::span<const OptionRow>, 1> kOtherProfileOptions{kFilesOptions};

ProfileRequest request_of(const po::variables_map& values) {
  ProfileRequest request{int_option(values, "rank"), option_value<std::int64_t>(values, "steps")};
  request.check();
  return request;
}

std::vector<Profile> profiles_of(const CommandCall& call, const std::vector<std::string>& paths,
                                 const std::string& format) {
  return read_profile_files(paths, format, call.console.bar("profiles"), call.console.bar("MB"));
}

/// Profiles without a scenario: what they hold.
CommandResult summary(const CommandCall& call, const po::variables_map& values,
                      const std::vector<std::string>& paths, const std::string& format) {
  for (const char* option : {"row", "set", "machine", "rank", "steps", "report", "force"}) {
    if (values.count(option) > 0 && !values[option].defaulted())
      throw InputError({}, std::string("--") + option,
                       "goes with a scenario, which comes before the profiles");
  }
  const bool json = wants_json(values);
  const std::vector<Profile> profiles = profiles_of(call, paths, format);
  return {json ? profile_summary_json(profiles) : profile_summary_text(profiles), 0, json};
}

OutputFiles profile_outputs(const CommandCall& call, const po::variables_map& values,
                            const std::vector<std::string>& paths) {
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, scenario_file(call, paths[0]));
  for (std::size_t i = 1; i < paths.size(); ++i) outputs.reads("a profile", paths[i]);
  outputs.writes("report", kPageFile);
  return outputs;
}

CommandResult profile_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kProfileOptions);
  const std::vector<std::string> paths = plain_arguments(values);
  if (paths.empty() || (paths.size() == 1 && is_scenario_path(paths[0])))
    throw InputError({}, "",
                     "profile takes profiles, with or without a scenario before them; 'simtrain "
                     "help profile' shows how");
  const std::string format = option_value(values, "profile-format").value_or("");
  if (!is_scenario_path(paths[0])) return summary(call, values, paths, format);
  const bool json = wants_json(values);
  const ProfileRequest request = request_of(values);

  const auto source = ScenarioSource::from_file(scenario_file(call, paths[0]));
  const std::string row = option_value(values, "row").value_or("");
  require_row(source, paths[0], row);
  const Scenario scenario = source.scenario(call.data, row, parsed_settings(values));
  OutputFiles outputs = profile_outputs(call, values, paths);
  outputs.reads_model(source.tree(row, parsed_settings(values)));
  outputs.start();
  const std::vector<ProfileReport> reports =
      compare_profiles(scenario, profiles_of(call, {paths.begin() + 1, paths.end()}, format),
                       request, call.console.bar("operations"));
  if (outputs.any()) outputs.write("report", profile_html(scenario.name, reports));
  return {json ? profile_json(scenario.name, reports) : profile_text(scenario.name, reports), 0,
          json};
}

}  // namespace

const CommandRow kProfileCommand{
    "profile",
    "kernels and calls of NCCL, as they ran",
    "simtrain profile scenarios/llama405b_a4_224.yaml nccl.log",
    "Predicts the scenario and compares with what ran: time and number of kernels by kind, or the "
    "calls of NCCL by kind and size. Errors are predicted over measured, less one. Without a "
    "scenario it says what the files hold.",
    profile_command,
    kProfileOptions,
    kOtherProfileOptions};

}  // namespace simtrain
