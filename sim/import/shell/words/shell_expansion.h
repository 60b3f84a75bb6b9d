#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace simtrain {

/// Whether a pattern takes a text, as the shell matches names of files.
bool matches_pattern(const std::string& pattern, const std::string& text);

/// What `${NAME<operation>}` makes of a value: `#PATTERN`, `##PATTERN`, `%PATTERN` and `%%PATTERN`
/// take the shortest or longest match off its start or end, `/PATTERN/TEXT` and `//PATTERN/TEXT`
/// put a text in for the first or every longest match, `:FROM` and `:FROM:LENGTH` are a part,
/// `^^` and `,,` change its letters. Patterns are those of the shell for names of files. None for
/// any other operation.
std::optional<std::string> shell_expansion(const std::string& value, std::string_view operation);

}  // namespace simtrain
