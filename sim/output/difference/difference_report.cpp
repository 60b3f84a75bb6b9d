#include "sim/output/difference/difference_report.h"

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/run/json_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

void add_side(std::string& out, std::string_view label, const RunSide& side) {
  labelled_line(out, label, printable(side.report.scenario));
  labelled_line(out, "", printable(side.report.cluster));
  labelled_line(out, "", side.report.layout);
  out += changes_text(changes_of(side.report));
}

void add_lines(std::string& out, std::string_view title, const std::vector<DifferenceLine>& lines) {
  if (lines.empty()) return;
  out +=
      fmt::format("\n{}\n  {:<24}{:>17}{:>17}{:>18}\n", title, "", "against", "this run", "change");
  for (const DifferenceLine& line : lines)
    out +=
        fmt::format("  {:<24}{:>17}{:>17}{:>18}\n", line.name, line.against, line.run, line.change);
}

std::string value_of(const std::string& value) {
  return value.empty() ? std::string(kNotSet) : value;
}

void add_keys(std::string& out, const std::vector<KeyDifference>& keys) {
  out += fmt::format("\nKeys that differ ({}), against -> this run\n", keys.size());
  for (const KeyDifference& key : keys)
    out += wrapped_line(
        printable(fmt::format("{}: {} -> {}", key.key, value_of(key.first), value_of(key.second))));
}

}  // namespace

std::string difference_text(const RunDifference& difference) {
  std::string out;
  add_side(out, "This run", difference.run);
  out += "\n";
  add_side(out, "Against", difference.against);
  add_lines(out, "Both steps", figure_lines(difference));
  if (!difference.same_tokens())
    out += wrapped_line("The steps are of unlike tokens: tokens/s a GPU compare, times do not.");
  add_lines(out, "Where the difference comes from (critical path)", part_lines(difference));
  add_keys(out, difference.keys);
  add_lines(out, "Memory of the fullest stage", memory_lines(difference));
  return out;
}

std::string difference_json(const RunDifference& difference) {
  Json parts = Json::array();
  for (const PartDifference& one : difference.parts)
    parts.push_back({{"share", name_of(one.share)},
                     {"against_s", one.against_s},
                     {"run_s", one.run_s},
                     {"change_s", one.change_s()}});
  Json keys = Json::array();
  for (const KeyDifference& key : difference.keys)
    keys.push_back({{"key", key.key}, {"against", key.first}, {"run", key.second}});
  return json_text({{"schema", "simtrain.difference/1"},
                    {"change_s", difference.change_s()},
                    {"same_tokens_per_step", difference.same_tokens()},
                    {"parts", std::move(parts)},
                    {"keys", std::move(keys)},
                    {"run", Json::parse(json_report(difference.run.report))},
                    {"against", Json::parse(json_report(difference.against.report))}});
}

}  // namespace simtrain
