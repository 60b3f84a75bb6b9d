#pragma once

#include "sim/app/options/option_row.h"

namespace simtrain {

// Rows that several commands have.

inline constexpr OptionRow kScenarioArgument{
    .value = "SCENARIO.yaml", .type = OptionType::argument, .completes = "scenarios"};
inline constexpr OptionRow kRowOption{.name = "row", .value = "NAME", .completes = kCompletesRows};
inline constexpr OptionRow kSetOption{.name = "set",
                                      .value = "KEY=VALUE",
                                      .help = "as for 'simtrain run'",
                                      .type = OptionType::texts};
inline constexpr OptionRow kMachineOption{
    .name = "machine",
    .value = "NAME",
    .help = "the machine at hand, of hardware/machines; for --set cluster.machine=NAME",
    .completes = "machines"};
inline constexpr OptionRow kTokensOption{
    .name = "tokens",
    .value = "T",
    .help = "of the training run whose days, GPU hours and cost are printed: 15T, 300B",
    .preset = "1T"};
inline constexpr OptionRow kPriceOption{.name = "price",
                                        .value = "USD",
                                        .help = "dollars of a GPU hour, such as 2.5",
                                        .type = OptionType::number};
inline constexpr OptionRow kReportOption{
    .name = "report",
    .value = "FILE.html",
    .help = "writes all of it as one HTML page that needs no other file"};
inline constexpr OptionRow kForceOption{.name = "force",
                                        .help = "replaces files that no earlier run wrote"};
inline constexpr OptionRow kJobsOption{.name = "jobs",
                                       .value = "N",
                                       .help = "threads; as many as there are cores without it",
                                       .type = OptionType::whole};
inline constexpr OptionRow kMpiOption{
    .name = "mpi",
    .help =
        "joins an MPI job where the environment shows none; under mpirun "
        "and srun the ranks share the work without it"};
inline constexpr OptionRow kLogFormatOption{
    .name = "log-format",
    .value = "NAME",
    .help = "one of 'simtrain list log-formats'; without it that of the first step",
    .completes = "log-formats"};

/// --format text|json; `help` says what the JSON is.
constexpr OptionRow format_option(std::string_view help) {
  return {.name = "format", .value = "text|json", .help = help, .preset = "text"};
}

/// A paragraph between the rows of help.
constexpr OptionRow paragraph(std::string_view text) {
  return {.help = text, .type = OptionType::paragraph};
}

/// A row that goes with another option, which comes before it.
constexpr OptionRow going_with(OptionRow row, std::string_view option) {
  row.with = option;
  return row;
}

}  // namespace simtrain
