#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// What a row is, and how an option reads its value.
enum class OptionType {
  text,
  texts,      ///< may be given several times
  whole,      ///< a whole number
  number,     ///< a number
  argument,   ///< no option: the plain arguments
  paragraph,  ///< no option: a text between the rows of help
};

/// One row of the table of a command. What the command line parses, the text of `help`, the manual
/// page and the completion of the shell are all made from these rows.
struct OptionRow {
  std::string_view name{};   ///< of an option, without its dashes
  std::string_view value{};  ///< as help calls it: "FILE", or its words "text|json"; none: a switch
  std::string_view help{};   ///< an option without one shares that of the next row
  OptionType type = OptionType::text;
  std::string_view preset{};     ///< the value where the option is not given
  std::string_view completes{};  ///< values: a family of 'simtrain list', or one of those below
  std::string_view with{};       ///< the option that it goes with
  bool required = false;

  [[nodiscard]] constexpr bool is_option() const { return !name.empty(); }
  [[nodiscard]] constexpr bool is_switch() const { return is_option() && value.empty(); }
};

/// What OptionRow::completes may be beside a family.
inline constexpr std::string_view kCompletesFamilies = "(families)";
inline constexpr std::string_view kCompletesTopics = "(topics)";  ///< of 'simtrain help'
inline constexpr std::string_view kCompletesRows = "(rows)";      ///< of the scenario on the line

/// A row with another help.
constexpr OptionRow with_help(OptionRow row, std::string_view help) {
  row.help = help;
  return row;
}

/// Two tables in one.
template <std::size_t N, std::size_t M>
constexpr std::array<OptionRow, N + M> joined(const std::array<OptionRow, N>& first,
                                              const std::array<OptionRow, M>& second) {
  std::array<OptionRow, N + M> rows;
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), rows.begin()));
  return rows;
}

/// The words that an option takes, where its row lists them.
std::vector<std::string> words_of(const OptionRow& row);

}  // namespace simtrain
