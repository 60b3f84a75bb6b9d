#include "sim/app/options/usage_text.h"

#include <doctest/doctest.h>

#include "sim/app/command.h"

namespace simtrain {
namespace {

constexpr std::string_view kUsage =
    "simtrain do FILE [--row NAME] [--format text|json|csv]\n"
    "            [--by=one|two]\n"
    "simtrain do --all\n\n"
    "  Does it. And 'simtrain help --this'\n"
    "  goes on.\n\n"
    "  LIST              of what\n"
    "  --row NAME        one row,\n"
    "                    or more\n"
    "  --parameters FILE another one\n"
    "  --long-option-with-a-name\n"
    "                    below\n\n"
    "  And further:\n"
    "  --gpus N  --kind a-b|c\n";

TEST_CASE("A usage text is taken apart into synopses, paragraphs and terms") {
  const UsageText text = usage_text(kUsage);
  CHECK(text.synopses ==
        std::vector<std::string>{
            "simtrain do FILE [--row NAME] [--format text|json|csv] [--by=one|two]",
            "simtrain do --all"});
  REQUIRE(text.items.size() == 6);
  CHECK(text.items[0].term.empty());
  CHECK(text.items[0].text == "Does it. And 'simtrain help --this' goes on.");
  CHECK(text.items[1].term == "LIST");
  CHECK(text.items[1].text == "of what");
  CHECK(text.items[2].term == "--row NAME");
  CHECK(text.items[2].text == "one row, or more");
  CHECK(text.items[3].term == "--parameters FILE");
  CHECK(text.items[3].text == "another one");
  CHECK(text.items[4].term == "--long-option-with-a-name");
  CHECK(text.items[4].text == "below");
  CHECK(text.items[5].text == "And further: --gpus N  --kind a-b|c");
}

TEST_CASE(
    "Options are those of the synopses, the terms and lists, with the words that are listed") {
  const std::vector<UsageOption> options = usage_options(kUsage);
  std::string names;
  for (const UsageOption& option : options) names += option.name + " ";
  CHECK(names == "--row --format --by --all --parameters --long-option-with-a-name --gpus --kind ");
  CHECK(options[0].values.empty());
  CHECK(options[1].values == std::vector<std::string>{"text", "json", "csv"});
  CHECK(options[2].values == std::vector<std::string>{"one", "two"});
  CHECK(options[7].values == std::vector<std::string>{"a-b", "c"});
}

TEST_CASE("An empty usage text and one without an end have no parts that are made up") {
  CHECK(usage_text("").items.empty());
  CHECK(usage_text("\n\n").synopses.empty());
  CHECK(usage_text("a\n\n\n  b").items.size() == 1);
  CHECK(usage_options("simtrain --").size() == 1);
}

TEST_CASE("Every command tells how it is called, and what each of its terms means") {
  for (const CommandRow& row : commands()) {
    const UsageText text = usage_text(row.usage);
    CAPTURE(std::string(row.name));
    CHECK(!text.synopses.empty());
    CHECK(!text.items.empty());
    for (const UsageItem& item : text.items) {
      CAPTURE(item.term);
      CHECK(!item.text.empty());
    }
  }
}

}  // namespace
}  // namespace simtrain
