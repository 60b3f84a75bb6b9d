#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// A paragraph of a usage text, or with a term what it says of that ("--row NAME").
struct UsageItem {
  std::string term;
  std::string text;
};

/// The usage text of a command, taken apart.
struct UsageText {
  std::vector<std::string> synopses;
  std::vector<UsageItem> items;
};

/// An option that a usage text names, and the words that it takes where they are listed
/// ("--format text|json").
struct UsageOption {
  std::string name;  ///< with its dashes
  std::vector<std::string> values;
};

/// Takes a usage text apart: lines from the margin are synopses, a line of two spaces and an
/// option, or of a word in capitals with a gap behind it, begins an item; what is indented further
/// goes on with it.
UsageText usage_text(std::string_view usage);

/// The options of the synopses and terms, each once, in the order of the text.
std::vector<UsageOption> usage_options(std::string_view usage);

}  // namespace simtrain
