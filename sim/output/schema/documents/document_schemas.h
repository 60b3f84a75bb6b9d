#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// A kind of document that a command prints as JSON.
struct DocumentSchema {
  std::string_view name;     ///< as its schema is called: "result" is of simtrain.result/1
  std::string_view command;  ///< that prints it
  nlohmann::ordered_json (*members)();
};

/// All of them. What `calibrate --machine` prints is `machine-fit`; `machine` is a kind of file.
std::span<const DocumentSchema> document_schemas();

}  // namespace simtrain
