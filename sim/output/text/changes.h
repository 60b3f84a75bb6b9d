#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// What was simulated in place of what a scenario's file gives, for the head of any report.
struct Changes {
  std::optional<ChangedFrom> from;  ///< none where the file's own keys were simulated
  std::vector<KeyChange> hardware;  ///< values of hardware files
};

Changes changes_of(const Report& report);
Changes changes_of(const Scenario& scenario);

/// Lines below a title: the file, its keys that changed, the number of GPUs where another cluster
/// changed it, values of hardware. Empty without changes.
std::string changes_text(const Changes& changes);

/// The same for web/templates/changes.html.
nlohmann::ordered_json changes_page(const Changes& changes);

/// The same as members `changed_from` and `hardware_changes`, where there are any.
void add_changes(nlohmann::ordered_json& json, const Changes& changes);

}  // namespace simtrain
