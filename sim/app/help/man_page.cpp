#include "sim/app/help/man_page.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/command.h"
#include "sim/app/help/command_help.h"
#include "sim/app/options/common_options.h"
#include "sim/app/version.h"

namespace simtrain {
namespace {

/// A text in which roff sees no command of its own.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string tagged(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(term), roff(text));
}

std::string items(std::span<const OptionRow> rows) {
  std::string out;
  for (const HelpItem& item : help_items(rows))
    out += item.term.empty() ? fmt::format(".PP\n{}\n", roff(item.text))
                             : tagged(item.term, item.text);
  return out;
}

/// How a command is called, a paragraph for each of its tables.
std::string calls(const CommandRow& command) {
  std::string out;
  for (const std::span<const OptionRow> table : tables_of(command))
    out += fmt::format(".PP\n.B {}\n",
                       roff(fmt::format("{}", fmt::join(synopsis(command.name, table), " "))));
  return out;
}

std::string command_section(const CommandRow& command) {
  return fmt::format(".SS {}\n{}.PP\n{}\n{}", roff(command.name), calls(command),
                     roff(command.about), items(rows_of(command)));
}

/// What a page opens with: its name in the index of manual pages, and what it is of.
std::string head(std::string_view name, std::string_view about) {
  std::string capitals(name);
  std::transform(name.begin(), name.end(), capitals.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"{}\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                     roff(capitals), roff(version_text()), roff(name), roff(about));
}

std::string tail() {
  return ".SH EXIT STATUS\n" + tagged("0", "Done.") +
         tagged("1", "The answer is no, such as a validation outside its bound.") +
         tagged("2",
                "The input is wrong; one line has the place, what was found and what would "
                "do.") +
         tagged("3", "A failure of the program itself, or a plan that can never finish.") +
         ".SH ENVIRONMENT\n" +
         tagged("NO_COLOR", "Where it is set and not empty, nothing is coloured.") +
         tagged("SIMTRAIN_DATA",
                "The folder with hardware/, scenarios/ and validation/, in place of the installed "
                "one.") +
         ".SH FILES\n" +
         tagged(
             "PREFIX/share/simtrain",
             "hardware/, scenarios/ and validation/ of an installed program. scenarios/NAME.yaml "
             "on the command line is read from there where the current folder has none.") +
         tagged("PREFIX/share/doc/simtrain", "A tutorial, and what the numbers mean.");
}

}  // namespace

std::string man_page() {
  std::string out =
      head("simtrain", "predicts the step time and MFU of LLM training on a GPU cluster");
  out +=
      ".B simtrain\n.I COMMAND\n[\\fIARGUMENT\\fR]...\n.PP\n.B simtrain\n.I SCENARIO.yaml\n"
      "[\\fIARGUMENT\\fR]...\n.PP\n.B simtrain\n.B \\-\\-version\n.SH DESCRIPTION\nA "
      "discrete\\-event "
      "simulator of one training step. It reads a recipe and a cluster, and prints step time, "
      "tokens/s, TFLOP/s per GPU, MFU, where the time goes and the memory of each pipeline "
      "stage.\n.SH EXAMPLES\n";
  for (const CommandRow& row : commands()) out += tagged(row.example, row.help);
  out += ".SH COMMANDS\n";
  for (const CommandRow& row : commands()) out += command_section(row);
  return out + ".SH OPTIONS\n" + items(kCommonOptions) +
         tagged("--version", "Alone: prints version and, where it is known, commit.") + tail();
}

std::string man_page(const CommandRow& command) {
  return head(fmt::format("simtrain-{}", command.name), command.help) + calls(command) +
         fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n", roff(command.about)) +
         items(rows_of(command)) + items(kCommonOptions) +
         fmt::format(".SH EXAMPLE\n.B {}\n.SH SEE ALSO\n.BR simtrain (1)\n", roff(command.example));
}

}  // namespace simtrain
