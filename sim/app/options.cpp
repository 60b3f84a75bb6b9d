#include "sim/app/options.h"

#include <fmt/format.h>

#include "sim/core/input_error.h"

namespace simtrain {

namespace po = boost::program_options;

po::variables_map parse_options(const std::vector<std::string>& arguments,
                                const po::options_description& options,
                                const std::string& positional) {
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
  } catch (const po::error& error) {
    throw InputError({}, "", fmt::format("{}; 'simtrain help' shows what there is", error.what()));
  }
  return values;
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
