#include "sim/output/text/changes.h"

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string head_line(const ChangedFrom& from) {
  return fmt::format("Changed from {}, {}{}", from.file, from.name, from.keys.empty() ? "" : ":");
}

Json keys_json(const std::vector<KeyChange>& changes) {
  Json keys = Json::array();
  for (const KeyChange& change : changes)
    keys.push_back({{"key", change.key}, {"from", change.from}, {"to", change.to}});
  return keys;
}

}  // namespace

Changes changes_of(const Report& report) { return {report.changed_from, report.hardware}; }
Changes changes_of(const Scenario& scenario) { return {scenario.changed_from, scenario.hardware}; }

std::string changes_text(const Changes& changes) {
  std::string out;
  if (changes.from) {
    out += wrapped_line(printable(head_line(*changes.from)), 0);
    for (const std::string& line : change_lines(changes.from->keys))
      out += wrapped_line(printable(line));
    if (!changes.from->gpus.empty()) out += wrapped_line(printable(changes.from->gpus), 0);
  }
  if (changes.hardware.empty()) return out;
  out += "Hardware changed:\n";
  for (const std::string& line : change_lines(changes.hardware))
    out += wrapped_line(printable(line));
  return out;
}

Json changes_page(const Changes& changes) {
  Json page{{"from", nullptr}, {"hardware", nullptr}};
  if (changes.from)
    page["from"] = {{"head", head_line(*changes.from)},
                    {"keys", change_lines(changes.from->keys)},
                    {"gpus", changes.from->gpus}};
  if (!changes.hardware.empty()) page["hardware"] = {{"keys", change_lines(changes.hardware)}};
  return page;
}

void add_changes(Json& json, const Changes& changes) {
  if (changes.from) {
    const ChangedFrom& from = *changes.from;
    json["changed_from"] = {{"file", from.file},
                            {"scenario", from.name},
                            {"source", from.source},
                            {"keys", keys_json(from.keys)}};
    if (!from.gpus.empty()) json["changed_from"]["gpus"] = from.gpus;
  }
  if (!changes.hardware.empty()) json["hardware_changes"] = keys_json(changes.hardware);
}

}  // namespace simtrain
