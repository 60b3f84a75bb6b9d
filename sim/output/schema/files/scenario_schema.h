#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/output/schema/files/named_files.h"

namespace simtrain {

/// What a scenario file may hold, without its head.
nlohmann::ordered_json scenario_file_schema(const std::vector<NamedFiles>& files);

/// Keys must be there unless `other` is: what it names holds them.
void require_unless(nlohmann::ordered_json& schema, std::string_view other,
                    nlohmann::ordered_json required);

/// Names of what a sweep varies: dotted keys of a scenario and their short names.
nlohmann::ordered_json varied_key_schema();

}  // namespace simtrain
