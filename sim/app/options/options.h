#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/app/options/option_row.h"
#include "sim/core/input/number_range.h"
#include "sim/measured/logs/log_format.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Parses a command's arguments by the rows of its table. Throws InputError, one line, at an option
/// that is unknown, given twice or without its value, and at a word that its row does not list.
boost::program_options::variables_map parse_options(const std::vector<std::string>& arguments,
                                                    std::span<const OptionRow> rows);

/// The arguments that belong to no option.
std::vector<std::string> plain_arguments(const boost::program_options::variables_map& values);

/// The value of an option, its preset too; nothing where there is neither.
template <class T = std::string>
std::optional<T> option_value(const boost::program_options::variables_map& values,
                              const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return values[option].as<T>();
}

/// A switch.
bool is_on(const boost::program_options::variables_map& values, const std::string& option);

/// All values of an option that may be given several times.
std::vector<std::string> option_values(const boost::program_options::variables_map& values,
                                       const std::string& option);

/// A whole number; throws InputError where it is larger than any that a count of ours may be.
std::optional<int> int_option(const boost::program_options::variables_map& values,
                              const std::string& option);

/// The `--set` options of a command, as given. Throws InputError at one that is not KEY=VALUE.
std::vector<Setting> parsed_settings(const boost::program_options::variables_map& values);

/// The same of texts KEY=VALUE from elsewhere.
std::vector<Setting> settings_of(const std::vector<std::string>& texts);

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

/// Whether --format is json.
bool wants_json(const boost::program_options::variables_map& values);

}  // namespace simtrain
