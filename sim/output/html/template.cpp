#include "sim/output/html/template.h"

#include <algorithm>
#include <array>
#include <kainjow/mustache.hpp>
#include <map>
#include <sstream>
#include <utility>

#include "sim/core/invariant.h"
#include "sim/output/html/html_assets.h"

namespace simtrain {
namespace {

namespace mustache = kainjow::mustache;
using Json = nlohmann::ordered_json;

mustache::data data_of(const Json& json);

mustache::data list_of(const Json& json) {
  mustache::list list;
  list.reserve(json.size());
  for (const Json& item : json) list.push_back(data_of(item));
  return list;
}

mustache::data object_of(const Json& json) {
  mustache::data object;
  for (const auto& [key, value] : json.items()) object[key] = data_of(value);
  return object;
}

/// As the library takes it: an empty text counts as false, a number is its digits.
mustache::data data_of(const Json& json) {
  if (json.is_object()) return object_of(json);
  if (json.is_array()) return list_of(json);
  if (json.is_null()) return false;
  if (json.is_boolean()) return json.get<bool>();
  if (!json.is_string()) return json.dump();
  const auto& text = json.get_ref<const std::string&>();
  return text.empty() ? mustache::data(false) : mustache::data(text);
}

/// Templates by name, for {{>name}}.
const std::map<std::string, mustache::data>& templates() {
  static const auto all = [] {
    constexpr std::string_view kFolder = "templates/";
    std::map<std::string, mustache::data> by_name;
    for (const WebFile& file : web_files()) {
      if (!file.name.starts_with(kFolder)) continue;
      const std::string_view name = file.name.substr(kFolder.size());
      by_name.emplace(name.substr(0, name.find('.')), std::string(file.text));
    }
    return by_name;
  }();
  return all;
}

/// Finds what templates name, and takes nothing for an answer where there is nothing.
class Names : public mustache::context<std::string> {
 public:
  using context::context;

  [[nodiscard]] const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = context::get(name);
    if (found == nullptr) invariant(false, ("a template names " + name + ", not there").c_str());
    return found;
  }

  [[nodiscard]] const mustache::data* get_partial(const std::string& name) const override {
    const auto found = templates().find(name);
    if (found == templates().end()) invariant(false, ("no template " + name).c_str());
    return &found->second;
  }
};

}  // namespace

std::string_view web_file(std::string_view name) {
  const auto files = web_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const WebFile& file) { return file.name == name; });
  invariant(found != files.end(), "a file of web/ is not in the program");
  return found->text;
}

std::string filled(std::string_view name, const Json& data) {
  mustache::mustache page("{{>" + std::string(name) + "}}");
  page.set_custom_escape(html_text);
  const mustache::data content = data_of(data);
  Names names(&content);
  std::ostringstream out;
  page.render(names, out);
  invariant(page.is_valid(), page.error_message().c_str());
  return out.str();
}

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string plain_text(std::string_view html) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
  std::string out;
  while (!html.empty()) {
    const auto* const entity =
        std::find_if(kEntities.begin(), kEntities.end(),
                     [&](const auto& one) { return html.starts_with(one.first); });
    out += entity == kEntities.end() ? html.front() : entity->second;
    html.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return out;
}

}  // namespace simtrain
