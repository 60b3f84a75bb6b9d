#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// The text of a file of web/; `name` is its path below web/.
std::string_view web_file(std::string_view name);

/// The template web/templates/`name`.html (mustache) filled from `data`. {{x}} is escaped, {{{x}}}
/// is HTML already, {{>y}} the template y. An empty text, null and false open no section. A name
/// that the data lack is a fault of ours: nothing is left out without a word.
std::string filled(std::string_view name, const nlohmann::ordered_json& data);

/// A text for between tags and in quoted attributes of HTML or SVG: UTF-8 stays, control characters
/// are shown as '?'.
std::string html_text(std::string_view text);

/// The text that html_text wrote so.
std::string plain_text(std::string_view html);

}  // namespace simtrain
