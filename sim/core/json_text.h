#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// Whether brackets nest deeper than `most` anywhere in a text that may be JSON; those in quoted
/// texts do not count.
bool nests_deeper(std::string_view text, std::size_t most);

/// The value of a whole text, which nests at most 64 deep: what reads, compares or frees it
/// may call itself once a level. A discarded value (`is_discarded()`) where the text is anything
/// else.
nlohmann::json parse_json(std::string_view text);

/// Finds where a JSON object ends, in a text that is looked through part by part; braces in quoted
/// texts do not count.
class JsonObjectEnd {
 public:
  /// Behind the brace that closes the object, where this part has it.
  std::optional<std::size_t> find(std::string_view part);

 private:
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace simtrain
