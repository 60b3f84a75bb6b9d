#include "sim/app/options/options.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/app/options/common_options.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

using Texts = std::vector<std::string>;

/// What the plain arguments are kept under: no name that an option can have.
constexpr const char* kArguments = "plain arguments";

InputError unknown_option(const std::string& word, std::span<const OptionRow> rows) {
  std::vector<std::string> known;
  for (const std::span<const OptionRow> table :
       {rows, std::span<const OptionRow>(kCommonOptions)}) {
    for (const OptionRow& row : table) {
      if (row.is_option()) known.push_back(fmt::format("--{}", row.name));
    }
  }
  return {{}, "", fmt::format("unknown option '{}'; {}", word, suggestion(word, known))};
}

template <class T>
po::value_semantic* number_semantic(const OptionRow& row) {
  auto* value = po::value<T>();
  if (const auto preset = number_as<T>(row.preset)) value->default_value(*preset);
  return value;
}

po::value_semantic* text_semantic(const OptionRow& row) {
  auto* value = po::value<std::string>();
  if (!row.preset.empty()) value->default_value(std::string(row.preset));
  return value;
}

po::value_semantic* semantic_of(const OptionRow& row) {
  if (row.is_switch()) return po::bool_switch();
  if (row.type == OptionType::texts) return po::value<Texts>()->composing();
  if (row.type == OptionType::whole) return number_semantic<std::int64_t>(row);
  if (row.type == OptionType::number) return number_semantic<double>(row);
  return text_semantic(row);
}

po::options_description description_of(std::span<const OptionRow> rows) {
  po::options_description description;
  auto add = description.add_options();
  add(kArguments, po::value<Texts>());
  for (const OptionRow& row : rows) {
    if (row.is_option()) add(std::string(row.name).c_str(), semantic_of(row));
  }
  return description;
}

/// "a, b or c".
std::string choice_of(const Texts& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i)
    text += (i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

void refuse_unlisted_words(const po::variables_map& values, std::span<const OptionRow> rows) {
  for (const OptionRow& row : rows) {
    const Texts words = words_of(row);
    const auto word = words.empty() ? std::nullopt : option_value(values, std::string(row.name));
    if (!word || std::find(words.begin(), words.end(), *word) != words.end()) continue;
    throw InputError({}, fmt::format("--{}", row.name),
                     fmt::format("'{}' is not known; {} would do", *word, choice_of(words)));
  }
}

InputError wrong_call(const std::string& what) {
  return {{}, "", fmt::format("{}; 'simtrain help' shows what there is", what)};
}

}  // namespace

po::variables_map parse_options(const std::vector<std::string>& arguments,
                                std::span<const OptionRow> rows) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with("-") && !argument.starts_with("--") && argument.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(argument[1])) == 0)
      throw unknown_option(argument, rows);
  }
  const po::options_description description = description_of(rows);
  po::positional_options_description plain;
  plain.add(kArguments, -1);
  po::variables_map values;
  try {
    constexpr int kStyle = po::command_line_style::allow_long |
                           po::command_line_style::long_allow_adjacent |
                           po::command_line_style::long_allow_next;
    po::store(po::command_line_parser(arguments)
                  .options(description)
                  .positional(plain)
                  .style(kStyle)
                  .run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    throw unknown_option(error.get_option_name(), rows);
  } catch (const po::error& error) {
    throw wrong_call(error.what());
  }
  refuse_unlisted_words(values, rows);
  return values;
}

std::vector<std::string> plain_arguments(const po::variables_map& values) {
  return option_values(values, kArguments);
}

bool is_on(const po::variables_map& values, const std::string& option) {
  return values[option].as<bool>();
}

std::vector<std::string> option_values(const po::variables_map& values, const std::string& option) {
  return option_value<Texts>(values, option).value_or(Texts());
}

std::optional<int> int_option(const po::variables_map& values, const std::string& option) {
  const auto number = option_value<std::int64_t>(values, option);
  if (!number) return std::nullopt;
  using Int = std::numeric_limits<int>;
  if (*number < Int::min() || *number > Int::max())
    throw wrong_call(
        fmt::format("the argument ('{}') for option '--{}' is invalid", *number, option));
  return static_cast<int>(*number);
}

std::vector<Setting> parsed_settings(const po::variables_map& values) {
  Texts texts = option_values(values, "set");
  if (const auto machine = option_value(values, "machine"))
    texts.insert(texts.begin(), "cluster.machine=" + *machine);
  return settings_of(texts);
}

std::vector<Setting> settings_of(const Texts& texts) {
  std::vector<Setting> settings;
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
  if (const auto window = option_value(values, "steps"))
    request.window = parse_window(*window, "--steps");
  if (const auto format = option_value(values, "log-format")) request.format = *format;
  return request;
}

bool wants_json(const po::variables_map& values) {
  return option_value(values, "format") == "json";
}

}  // namespace simtrain
