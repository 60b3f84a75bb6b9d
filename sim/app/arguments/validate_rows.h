#pragma once

#include "sim/app/arguments/nccl_options.h"
#include "sim/app/options/shared_rows.h"

namespace simtrain {

// What `validate` and `calibrate` do in place of the usual is chosen by a switch. Such a call has a
// table of its own, which begins with the switch.

inline constexpr OptionRow kMeanErrorOption{
    .name = "max-mean-error",
    .value = "PERCENT",
    .help = "in place of the files' bound on the mean absolute error of all rows",
    .type = OptionType::number};

/// `validate --nccl`: a file of curves, or output of nccl-tests.
inline constexpr std::array kNcclModeRows{
    OptionRow{.name = "nccl",
              .help =
                  "compares with measured NCCL calls (validation/nccl) instead; with LOG, output "
                  "of nccl-tests (all_reduce_perf ...), with that: size by size, predicted for "
                  "--cluster; --nodes, --gpus and --op count more than what the log says, the "
                  "others are as for 'simtrain nccl'",
              .required = true},
    OptionRow{.value = "[LOG...]", .type = OptionType::argument},
    OptionRow{.name = "cluster",
              .value = "NAME",
              .help = "a name in hardware/clusters",
              .completes = "clusters"},
    OptionRow{.name = "nodes", .value = "N", .type = OptionType::whole},
    OptionRow{.name = "gpus",
              .value = "N",
              .help = "ranks in all, evenly over nodes",
              .type = OptionType::whole},
    OptionRow{.name = "op",
              .value = "OP",
              .help = "all_reduce, all_gather, reduce_scatter, broadcast, alltoall, sendrecv",
              .completes = "collectives"},
    with_help(kReportOption, "writes errors by size as one HTML page"),
    going_with(kForceOption, "report"),
    format_option("")};
inline constexpr std::array kNcclModeOptions = joined(kNcclModeRows, kNcclOptions);

/// `validate --leave-one-table-out`.
inline constexpr std::array kLeaveOutOptions{
    OptionRow{.name = "leave-one-table-out",
              .help = "each group of tables, and each table, as a fit to the others predicts it "
                      "('simtrain help calibrate')",
              .required = true},
    OptionRow{.name = "by", .value = "group|table", .help = "one of the two; both without it"},
    OptionRow{.name = "parameters", .value = "FILE", .help = "another list of parameters"},
    format_option(""),
    kMeanErrorOption,
    OptionRow{.name = "max-error",
              .value = "PERCENT",
              .help = "in place of the bound on the largest error of a row",
              .type = OptionType::number}};

/// `validate --kernels`.
inline constexpr std::array kKernelsOptions{
    OptionRow{.name = "kernels",
              .help = "compares with measured kernels instead: gemm.csv, attention.csv and "
                      "streaming.csv of FOLDER (hardware/measured/published without it); the bound "
                      "on the mean error is 8 % without --max-mean-error; json as "
                      "simtrain.kernel-validation/1",
              .required = true},
    OptionRow{.value = "[FOLDER]", .type = OptionType::argument}, format_option(""),
    OptionRow{
        .name = "max-mean-error", .value = "PERCENT", .type = OptionType::number, .preset = "8"}};

/// `validate --measured`.
inline constexpr std::array kMeasuredModeOptions{
    OptionRow{.name = "measured",
              .help = "compares with the measured runs of validation/measured instead, which no "
                      "parameter is fitted to, by source, GPU, precision, framework, year and "
                      "grade; json as simtrain.measured-validation/1",
              .required = true},
    format_option(""), kMeanErrorOption};

/// `calibrate --kernels`.
inline constexpr std::array kFitKernelsOptions{
    OptionRow{.name = "kernels",
              .help =
                  "fits the kernel parameters of a GPU to measured kernels instead (FOLDER as in "
                  "'simtrain help validate'), beside the errors on left-out shapes; json as "
                  "simtrain.kernel-fit/1",
              .required = true},
    OptionRow{.value = "[FOLDER]", .type = OptionType::argument},
    OptionRow{.name = "gpu",
              .value = "NAME",
              .help = "a name in hardware/gpus",
              .completes = "gpus",
              .required = true},
    format_option("")};

/// `calibrate --machine`.
inline constexpr std::array kFitMachineOptions{
    OptionRow{.name = "machine",
              .value = "NAME",
              .help = "values of one machine from what was measured on it, as a file for "
                      "hardware/machines, which --machine of other commands takes; json as "
                      "simtrain.machine/1",
              .required = true},
    OptionRow{.name = "cluster",
              .value = "NAME",
              .help = "a name in hardware/clusters, whose node the machine is",
              .completes = "clusters",
              .required = true},
    OptionRow{.name = "kernels",
              .value = "FOLDER",
              .help = "what hardware/measure/measure.py wrote on it: sustained GEMMs say what "
                      "power it has for kernels, memory-bound kernels its memory"},
    OptionRow{.name = "nccl",
              .value = "LOG",
              .help = "output of nccl-tests: its bandwidths; may be given more than once",
              .type = OptionType::texts},
    OptionRow{.name = "runs",
              .value = "FOLDER",
              .help = "training runs, as for 'simtrain validate FOLDER': they set the power where "
                      "no GEMMs do, and say how well the machine is known"},
    format_option(""),
    OptionRow{.name = "write", .value = "FILE", .help = "the machine's file, whole or not at all"},
    going_with(with_help(kForceOption, "replaces a file that is there"), "write")};

/// The switches alone, which the usual calls know too: an option misspelled is compared with them.
inline constexpr std::array kValidateModes{kNcclModeOptions.front(), kLeaveOutOptions.front(),
                                           kKernelsOptions.front(), kMeasuredModeOptions.front()};
inline constexpr std::array kFitModes{kFitMachineOptions.front(), kFitKernelsOptions.front()};

}  // namespace simtrain
