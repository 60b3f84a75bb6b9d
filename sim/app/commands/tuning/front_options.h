#pragma once

#include "sim/app/commands/tuning/asked_plans.h"

namespace simtrain {

// `tune --objectives`.

inline constexpr std::array kObjectivesRows{OptionRow{
    .name = "objectives",
    .value = "LIST",
    .help = "the front of plans instead: those of which none has less of one objective without "
            "more of another; of step_time, price (of a token, needs --price), memory (what the "
            "fullest GPU needs: the rest is room) and energy (of a token), such as "
            "step_time,memory",
    .required = true}};
inline constexpr std::array kFrontRows{
    kPriceOption,
    OptionRow{.name = "allow-tight", .help = "tight plans count as the others"},
    kExhaustiveOption,
    OptionRow{.name = "hdf5",
              .value = "FILE",
              .help = "writes the figures of every plan that was simulated"},
    OptionRow{.name = "csv", .value = "FILE", .help = "the same as lines of text"},
    kReportOption,
    with_help(kJobsOption, "threads that simulate; as many as there are cores without it"),
    OptionRow{.name = "resume",
              .help = "goes on where a search with the same --hdf5 or --csv was stopped or killed"},
    kForceOption,
    kMpiOption,
    format_option("json: the same as simtrain.tune-front/1"),
    paragraph("While it runs, simulated plans lie in FILE.journal beside the file of --hdf5 or "
              "--csv. Ctrl-C ends with what is done (exit status 130).")};
inline constexpr std::array kFrontOptions = joined(
    joined(joined(kObjectivesRows, kScenarioRows), joined(kSizeRows, kPlanRows)), kFrontRows);

/// Whether a call is one of these.
bool asks_front(const CommandCall& call);

CommandResult front_command(const CommandCall& call);

}  // namespace simtrain
