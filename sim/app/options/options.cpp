#include "sim/app/options/options.h"

#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "sim/app/options/common_options.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

/// All options are long ones; the plain arguments' own is not for users.
InputError unknown_option(const std::string& word, const po::options_description& options,
                          const std::string& positional) {
  std::vector<std::string> known;
  for (const auto& option : options.options()) {
    if (option->long_name() != positional) known.push_back("--" + option->long_name());
  }
  const std::vector<std::string>& common = common_option_names();
  known.insert(known.end(), common.begin(), common.end());
  return {{}, "", fmt::format("unknown option '{}'; {}", word, suggestion(word, known))};
}

}  // namespace

po::variables_map parse_options(const std::vector<std::string>& arguments,
                                const po::options_description& options,
                                const std::string& positional) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with("-") && !argument.starts_with("--") && argument.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(argument[1])) == 0)
      throw unknown_option(argument, options, positional);
  }
  po::positional_options_description plain;
  plain.add(positional.c_str(), -1);
  po::variables_map values;
  try {
    constexpr int kStyle = po::command_line_style::allow_long |
                           po::command_line_style::long_allow_adjacent |
                           po::command_line_style::long_allow_next;
    po::store(
        po::command_line_parser(arguments).options(options).positional(plain).style(kStyle).run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    throw unknown_option(error.get_option_name(), options, positional);
  } catch (const po::error& error) {
    throw InputError({}, "", fmt::format("{}; 'simtrain help' shows what there is", error.what()));
  }
  return values;
}

std::vector<Setting> parsed_settings(const po::variables_map& values) {
  std::vector<Setting> settings;
  if (values.count("set") == 0) return settings;
  const auto& texts = values["set"].as<std::vector<std::string>>();
  settings.reserve(texts.size());
  for (const std::string& text : texts) {
    settings.push_back(parse_setting(text));
    const Setting& last = settings.back();
    for (const Setting& other : settings) {
      if (exclude_each_other(last.key, other.key))
        throw InputError(last.key_place, last.key,
                         fmt::format("is set, and so is {}; one of them would do", other.key));
    }
  }
  return settings;
}

std::optional<double> percent_option(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  const double percent = values[option].as<double>();
  if (!(percent >= 0) || !std::isfinite(percent))
    throw InputError({}, "--" + option, "must be a number of percent, 0 or more");
  return percent / 100;
}

std::optional<std::vector<NumberRange>> ranges_option(const po::variables_map& values,
                                                      const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return number_ranges(values[option].as<std::string>(), "--" + option);
}

LogRequest log_request(const po::variables_map& values) {
  LogRequest request;
  if (values.count("steps") > 0)
    request.window = parse_window(values["steps"].as<std::string>(), "--steps");
  if (values.count("log-format") > 0) request.format = values["log-format"].as<std::string>();
  return request;
}

bool wants_json(const po::variables_map& values) {
  const auto& format = values["format"].as<std::string>();
  if (format != "json" && format != "text") {
    throw InputError({}, "--format",
                     fmt::format("'{}' is not known; text or json would do", format));
  }
  return format == "json";
}

}  // namespace simtrain
