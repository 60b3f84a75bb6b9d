#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/terms/key_table.h"

namespace simtrain {

inline constexpr Refused kNoExchangeOverlap{
    "the exchange of tokens beside another micro-batch is not modelled"};
inline constexpr Refused kNoDelayedGradients{
    "weight gradients of layers that wait are not modelled"};

/// The rows of Megatron Core's settings of experts, which every format has under a prefix of its
/// own
/// (`model.`). The rows refer to the keys here, so both live as long.
class ExpertRows {
 public:
  explicit ExpertRows(std::string_view prefix);
  ExpertRows(const ExpertRows&) = delete;
  ExpertRows& operator=(const ExpertRows&) = delete;
  ~ExpertRows() = default;

  [[nodiscard]] const std::vector<KeyRow>& rows() const { return rows_; }

 private:
  std::vector<std::string> keys_;
  std::vector<KeyRow> rows_;
};

}  // namespace simtrain
