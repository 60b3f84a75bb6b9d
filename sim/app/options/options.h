#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/core/input/number_range.h"
#include "sim/measured/logs/log_format.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Parses a command's arguments against its own options. `positional` names the option that takes
/// plain arguments. Throws InputError, one line, at anything unknown, doubled or without its value.
boost::program_options::variables_map parse_options(
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options, const std::string& positional);

/// The `--set` options of a command, as they stand. Throws InputError at one that is not KEY=VALUE.
std::vector<Setting> parsed_settings(const boost::program_options::variables_map& values);

/// An option's number of percent as a fraction; nothing where it is not given. Throws InputError at
/// one that is not 0 or more.
std::optional<double> percent_option(const boost::program_options::variables_map& values,
                                     const std::string& option);

/// An option's numbers, "0-7,16" or "all"; nothing where it is not given. Throws InputError at
/// anything else.
std::optional<std::vector<NumberRange>> ranges_option(
    const boost::program_options::variables_map& values, const std::string& option);

/// The options --steps and --log-format: what to take from a log. Throws InputError where --steps
/// names no window.
LogRequest log_request(const boost::program_options::variables_map& values);

/// True for json, false for text; anything else is an InputError.
bool wants_json(const boost::program_options::variables_map& values);

}  // namespace simtrain
