#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/run/scenario.h"

namespace simtrain {

/// Parses a command's arguments against its options. `positional` names the option that takes plain
/// arguments. Throws InputError, one line, at anything unknown, doubled or without its value.
boost::program_options::variables_map parse_options(
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options, const std::string& positional);

/// The `--set` options of a command, as they stand. Throws InputError at one that is not KEY=VALUE.
std::vector<Setting> parsed_settings(const boost::program_options::variables_map& values);

/// True for json, false for text; anything else is an InputError.
bool wants_json(const boost::program_options::variables_map& values);

}  // namespace simtrain
