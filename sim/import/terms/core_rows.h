#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/input_error.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Megatron Core's settings of experts, and of what else the layers of a model are made of.
std::span<const KeyRow> core_expert_rows();
std::span<const KeyRow> core_layer_rows();

/// The rows of Megatron Core's settings that every format has under a prefix of its own
/// (`model.`). The rows refer to the keys here, so both live as long.
class CoreRows {
 public:
  explicit CoreRows(std::string_view prefix);
  CoreRows(const CoreRows&) = delete;
  CoreRows& operator=(const CoreRows&) = delete;
  ~CoreRows() = default;

  [[nodiscard]] const std::vector<KeyRow>& rows() const { return rows_; }

 private:
  std::vector<std::string> keys_;
  std::vector<KeyRow> rows_;
};

/// A layout that is a list of layers for each stage, as Megatron writes it: `Ettt|tttL`.
void take_layout(YamlNode& tree, const std::string& key);

/// A count that a recipe writes as nothing (`q_lora_rank: null`) is none, whereas one that it does
/// not write is a default.
void take_none(const YamlNode& tree, const std::string& key, WholeTerm& term);

}  // namespace simtrain
