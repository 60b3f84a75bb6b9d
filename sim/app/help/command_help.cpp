#include "sim/app/help/command_help.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/app/options/common_options.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string call_of(const OptionRow& row) {
  return row.is_switch() ? fmt::format("--{}", row.name)
                         : fmt::format("--{} {}", row.name, row.value);
}

/// An option with those that go with it: "[--trace FILE [--trace-ranks LIST]]".
std::string synopsis_part(const OptionRow& row, std::span<const OptionRow> rows) {
  std::string part = call_of(row);
  for (const OptionRow& other : rows) {
    if (other.with == row.name) part += " " + synopsis_part(other, rows);
  }
  if (!row.required) part = "[" + part + "]";
  return row.type == OptionType::texts ? part + "..." : part;
}

std::string wrapped_paragraph(std::string_view text) {
  return fmt::format("\n  {}\n", wrapped(text, 2));
}

std::string wrapped_item(const HelpItem& item) {
  constexpr std::size_t kColumn = 20;
  std::string out = "  " + item.term;
  out += out.size() < kColumn ? std::string(kColumn - out.size(), ' ')
                              : "\n" + std::string(kColumn, ' ');
  return out + wrapped(item.text, kColumn) + "\n";
}

std::string wrapped_items(std::span<const OptionRow> rows) {
  std::string out;
  bool after_paragraph = true;
  for (const HelpItem& item : help_items(rows)) {
    const bool is_paragraph = item.term.empty();
    if (is_paragraph) {
      out += wrapped_paragraph(item.text);
    } else {
      out += (after_paragraph && out.empty() ? "\n" : "") + wrapped_item(item);
    }
    after_paragraph = is_paragraph;
  }
  return out;
}

}  // namespace

std::vector<std::span<const OptionRow>> tables_of(const CommandRow& command) {
  std::vector<std::span<const OptionRow>> tables{command.options};
  tables.insert(tables.end(), command.other_options.begin(), command.other_options.end());
  return tables;
}

std::vector<OptionRow> rows_of(const CommandRow& command) {
  std::vector<OptionRow> rows;
  for (const std::span<const OptionRow> table : tables_of(command)) {
    for (const OptionRow& row : table) {
      const bool known =
          row.is_option() && std::any_of(rows.begin(), rows.end(), [&](const OptionRow& other) {
            return other.name == row.name;
          });
      if (!known) rows.push_back(row);
    }
  }
  return rows;
}

std::vector<HelpItem> help_items(std::span<const OptionRow> rows) {
  std::vector<HelpItem> items;
  std::string names;  // of options that share the help of the next
  for (const OptionRow& row : rows) {
    if (row.is_option() && row.help.empty()) names += fmt::format("--{}, ", row.name);
    if (row.help.empty()) continue;
    HelpItem item{"", std::string(row.help)};
    if (row.is_option()) {
      item.term = names.empty() ? call_of(row) : fmt::format("{}--{}", names, row.name);
    } else if (row.type == OptionType::argument) {
      item.term = row.value;
    }
    if (!row.preset.empty()) item.text += fmt::format("; {} without it", row.preset);
    items.push_back(std::move(item));
    names.clear();
  }
  return items;
}

std::vector<std::string> synopsis(std::string_view command, std::span<const OptionRow> rows) {
  std::vector<std::string> parts{fmt::format("simtrain {}", command)};
  for (const OptionRow& row : rows) {
    if (row.type == OptionType::argument) {
      parts.emplace_back(row.value);
    } else if (row.is_option() && row.with.empty()) {
      parts.push_back(synopsis_part(row, rows));
    }
  }
  return parts;
}

std::string wrapped_synopsis(std::string_view command, std::span<const OptionRow> rows) {
  const std::vector<std::string> parts = synopsis(command, rows);
  const std::size_t indent = fmt::formatted_size("simtrain {} ", command);
  std::string out = parts.front();
  std::size_t column = out.size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool fits = column + 1 + parts[i].size() <= kReportColumns;
    out += fits ? " " : "\n" + std::string(indent, ' ');
    column = (fits ? column + 1 : indent) + parts[i].size();
    out += parts[i];
  }
  return out + "\n";
}

std::string command_help(const CommandRow& command) {
  std::string out = fmt::format("Example\n  {}\n\n", command.example);
  for (const std::span<const OptionRow> table : tables_of(command))
    out += wrapped_synopsis(command.name, table);
  return out + wrapped_paragraph(command.about) + wrapped_items(rows_of(command)) +
         "\n  With every command:" + wrapped_items(kCommonOptions);
}

}  // namespace simtrain
