#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "sim/app/help/command_help.h"
#include "sim/app/help/man_page.h"
#include "sim/app/options/options.h"
#include "sim/core/input/input_error.h"

namespace simtrain::testing::option_table_test {
namespace {

constexpr std::array kRows{
    OptionRow{.value = "FILE", .type = OptionType::argument},
    OptionRow{.name = "row", .value = "NAME"},
    OptionRow{.name = "set", .value = "KEY=VALUE", .help = "changes", .type = OptionType::texts},
    OptionRow{.name = "format", .value = "text|json", .help = "json: all", .preset = "text"},
    OptionRow{.name = "trace", .value = "FILE", .help = "a timeline"},
    OptionRow{.name = "trace-ranks", .value = "LIST", .help = "which", .with = "trace"},
    OptionRow{.help = "And more:", .type = OptionType::paragraph},
    OptionRow{
        .name = "top", .value = "K", .help = "how many", .type = OptionType::whole, .preset = "5"},
    OptionRow{.name = "price", .value = "USD", .help = "of an hour", .type = OptionType::number},
    OptionRow{
        .name = "gpus", .value = "N", .help = "GPUs", .type = OptionType::whole, .required = true},
    OptionRow{.name = "force", .help = "replaces"}};

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    static_cast<void>(parse_options(arguments, kRows));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Values are read as their rows say, presets where an option is not given") {
  const auto values = parse_options(
      {"a", "--set", "k=1", "--price=2.5", "b", "--gpus", "8", "--set", "l=2", "--force"}, kRows);
  CHECK(plain_arguments(values) == std::vector<std::string>{"a", "b"});
  CHECK(option_values(values, "set") == std::vector<std::string>{"k=1", "l=2"});
  CHECK(option_value<double>(values, "price") == 2.5);
  CHECK(int_option(values, "gpus") == 8);
  CHECK(int_option(values, "top") == 5);
  CHECK(option_value(values, "format") == "text");
  CHECK(!option_value(values, "row"));
  CHECK(is_on(values, "force"));
  CHECK(!is_on(parse_options({}, kRows), "force"));
}

TEST_CASE("What no row allows is refused in one line") {
  CHECK(refusal({"--format", "xml"}) == "--format: 'xml' is not known; text or json would do");
  CHECK(refusal({"--pric", "1"}) == "unknown option '--pric'; did you mean '--price'?");
  CHECK(refusal({"--colo", "1"}) == "unknown option '--colo'; did you mean '--color'?");
  CHECK(refusal({"-f"}).starts_with("unknown option '-f'; known are --row, --set, "));
  CHECK(refusal({"--row"}).find("'--row' is missing") != std::string::npos);
  CHECK(refusal({"--row", "a", "--row", "b"}).find("more than once") != std::string::npos);
  CHECK(refusal({"--top", "many"}).find("('many') for option '--top'") != std::string::npos);
  const auto values = parse_options({"--top", "3000000000"}, kRows);
  CHECK_THROWS_AS(static_cast<void>(int_option(values, "top")), InputError);
}

TEST_CASE("A synopsis nests what goes together and marks what is optional or repeated") {
  CHECK(synopsis("do", kRows) ==
        std::vector<std::string>{"simtrain do", "FILE", "[--row NAME]", "[--set KEY=VALUE]...",
                                 "[--format text|json]", "[--trace FILE [--trace-ranks LIST]]",
                                 "[--top K]", "[--price USD]", "--gpus N", "[--force]"});
}

TEST_CASE("Help has an item an option, one for several that share it, and tells presets") {
  const std::vector<HelpItem> items = help_items(kRows);
  REQUIRE(items.size() == 9);
  CHECK(items[0].term == "--row, --set");
  CHECK(items[0].text == "changes");
  CHECK(items[1].term == "--format text|json");
  CHECK(items[1].text == "json: all; text without it");
  CHECK(items[4].term.empty());
  CHECK(items[4].text == "And more:");
  CHECK(items[5].term == "--top K");
  CHECK(items[8].term == "--force");
}

TEST_CASE("The words of an option are those that its row lists") {
  CHECK(words_of(kRows[3]) == std::vector<std::string>{"text", "json"});
  CHECK(words_of(kRows[1]).empty());
  CHECK(words_of({.value = "[a|b]", .type = OptionType::argument}).empty());
  CHECK(words_of({.name = "by", .value = "FILE|none"}).empty());
}

/// Whether help says something of a row, by itself or with another.
bool is_helped(const OptionRow& row, const std::vector<HelpItem>& items) {
  return std::any_of(items.begin(), items.end(), [&](const HelpItem& item) {
    const std::string term = item.term + " ";
    const std::string name = "--" + std::string(row.name);
    return term.find(name + " ") != std::string::npos || term.find(name + ",") != std::string::npos;
  });
}

TEST_CASE("The table of every command is whole: names, help, options that go together, presets") {
  for (const CommandRow& command : commands()) {
    CAPTURE(std::string(command.name));
    CHECK(!command.about.empty());
    const std::vector<HelpItem> items = help_items(rows_of(command));
    for (const std::span<const OptionRow> table : tables_of(command)) {
      std::set<std::string_view> names;
      for (const OptionRow& row : table) {
        if (!row.is_option()) continue;
        CAPTURE(std::string(row.name));
        CHECK(names.insert(row.name).second);
        CHECK((row.with.empty() || names.count(row.with) == 1));
        CHECK(is_helped(row, items));
        const std::vector<std::string> words = words_of(row);
        if (!words.empty() && !row.preset.empty())
          CHECK(std::find(words.begin(), words.end(), row.preset) != words.end());
      }
    }
  }
}

TEST_CASE("Help fits 80 columns, and the manual page has all that it says") {
  const std::string page = man_page();
  for (const CommandRow& command : commands()) {
    const std::string help = command_help(command);
    CAPTURE(help);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    CHECK(help.find("  --quiet           no progress") != std::string::npos);
    CHECK(help.ends_with("\n"));
    CHECK(help.find("\n\n\n") == std::string::npos);
    CHECK(page.find(".SS " + std::string(command.name) + "\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace simtrain::testing::option_table_test
