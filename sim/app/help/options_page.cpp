#include "sim/app/help/options_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/command.h"
#include "sim/app/help/command_help.h"
#include "sim/app/options/common_options.h"

namespace simtrain {
namespace {

/// A text in which Markdown sees no sign of its own, neither between tables nor in a cell.
std::string markdown(std::string_view text) {
  constexpr std::string_view kSigns = "\\`*[<|";
  std::string out;
  for (const char c : text) {
    if (kSigns.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// A term in a cell, as it is typed; '|' would end the cell.
std::string cell(std::string_view term) {
  std::string out = "`";
  for (const char c : term) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out + "`";
}

/// Rows as a table, which a paragraph between them ends.
std::string table_of_items(std::span<const OptionRow> rows) {
  std::string out;
  bool in_table = false;
  for (const HelpItem& item : help_items(rows)) {
    const bool is_paragraph = item.term.empty();
    if (is_paragraph) {
      out += fmt::format("\n{}\n", markdown(item.text));
    } else {
      if (!in_table) out += "\n| argument | meaning |\n|---|---|\n";
      out += fmt::format("| {} | {} |\n", cell(item.term), markdown(item.text));
    }
    in_table = !is_paragraph;
  }
  return out;
}

std::string options_section(const CommandRow& command) {
  std::string out =
      fmt::format("\n## {}\n\n{}\n\n```text\n", command.name, markdown(command.about));
  for (const std::span<const OptionRow> table : tables_of(command))
    out += wrapped_synopsis(command.name, table);
  return out + "```\n" + table_of_items(rows_of(command));
}

}  // namespace

std::string options_page() {
  std::string out =
      "# Options\n\n"
      "Printed by `simtrain help options`: every command with its arguments. "
      "[commands.md](commands.md) has examples.\n\n"
      "| command | what it does |\n|---|---|\n";
  for (const CommandRow& command : commands())
    out += fmt::format("| [{0}](#{0}) | {1} |\n", command.name, markdown(command.help));
  out += "\nWith every command:\n" + table_of_items(kCommonOptions);
  for (const CommandRow& command : commands()) out += options_section(command);
  return out;
}

}  // namespace simtrain
