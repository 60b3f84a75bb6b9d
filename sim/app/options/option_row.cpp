#include "sim/app/options/option_row.h"

#include "sim/core/input/text_parts.h"

namespace simtrain {

std::vector<std::string> words_of(const OptionRow& row) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const bool listed = row.value.find('|') != std::string_view::npos &&
                      row.value.find_first_of(kCapitals) == std::string_view::npos;
  if (!row.is_option() || !listed) return {};
  std::vector<std::string> words;
  for (const std::string_view word : split(row.value, '|')) words.emplace_back(word);
  return words;
}

}  // namespace simtrain
