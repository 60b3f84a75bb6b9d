#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/output/training/share_report.h"

namespace simtrain {
namespace {

constexpr std::array kShareOptions{
    OptionRow{.value = "JOBS.yaml", .type = OptionType::argument},
    OptionRow{.name = "place-last",
              .help = "tries several placements of the file's last job and says which costs the "
                      "others least"},
    format_option("json: schema simtrain.share/1"), kReportOption,
    going_with(kForceOption, "report")};

CommandResult share_command(const CommandCall& call) {
  const auto values = parse_options(call.arguments, kShareOptions);
  const bool json = wants_json(values);
  const std::vector<std::string> files = plain_arguments(values);
  if (files.size() != 1) throw InputError({}, "", "share takes one file of jobs");
  const std::string file = scenario_file(call, files.front());
  const FabricScenario fabric = load_fabric(call.data, file);
  const bool places = is_on(values, "place-last");
  if (places && fabric.jobs.size() < 2)
    throw InputError({files.front()}, "--place-last",
                     "needs other jobs beside the one that it places; the file holds one");
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  outputs.reads("the jobs", file);
  for (const FabricJob& job : fabric.jobs) outputs.reads("a scenario", job.file);
  outputs.writes("report", kPageFile);
  outputs.start();
  const FabricResult result = share_fabric(fabric, {.watch = call.console.bar("simulations")});
  const std::vector<PlacementChoice> choices =
      places ? place_last_job(fabric, call.console.bar("placements"))
             : std::vector<PlacementChoice>{};
  if (outputs.any()) outputs.write("report", fabric_html(result, choices));
  if (json) return for_programs(fabric_json(result, choices));
  return {fabric_text(result, choices)};
}

}  // namespace

const CommandRow kShareCommand{
    "share",
    "several jobs on one cluster: who slows whom",
    "simtrain share scenarios/jobs/three_on_a_clos.yaml",
    "Simulates the jobs of a file on one cluster, each alone and all together: what their steps "
    "take, who slows whom by how much and on which links. Where no link can be asked for more than "
    "it has, jobs do not meet, and it says so at once.",
    share_command,
    kShareOptions};

}  // namespace simtrain
