#pragma once

#include <array>
#include <string>

#include <boost/program_options.hpp>

#include "sim/app/command.h"
#include "sim/app/options/option_row.h"
#include "sim/collectives/libraries/nccl/nccl_settings.h"

namespace simtrain {

/// How NCCL is built and set.
inline constexpr std::array kNcclOptions{
    OptionRow{.name = "software",
              .value = "NAME",
              .help = "takes the NCCL settings of hardware/software/NAME.yaml",
              .completes = "software"},
    OptionRow{.name = "nccl-version",
              .value = "V",
              .help = "2.18 to 2.30; without it and --software 2.27.3 as it comes"},
    OptionRow{.name = "nvls", .value = "true|false", .help = "as NCCL_NVLS_ENABLE"},
    OptionRow{.name = "algo", .value = "A,..."},
    OptionRow{.name = "proto",
              .value = "P,...",
              .help = "as NCCL_ALGO and NCCL_PROTO: ring, tree, nvls, nvlstree, collnetdirect, "
                      "collnetchain, pat; ll, ll128, simple"},
    OptionRow{.name = "min-channels", .value = "N"},
    OptionRow{.name = "max-channels",
              .value = "N",
              .help = "as NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS, 1 to 64"}};

/// What these options say; without --software and --nccl-version NCCL of version `usual` as it
/// comes. Throws InputError at words that they do not know.
NcclSettings nccl_settings(const CommandCall& call,
                           const boost::program_options::variables_map& values,
                           const NcclVersion& usual);

}  // namespace simtrain
