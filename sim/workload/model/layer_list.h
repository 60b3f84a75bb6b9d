#pragma once

#include <vector>

#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// Layers that are alike: their blocks, and how many there are of them in the model.
struct LayerKind {
  std::vector<BlockKind> blocks;
  int layers = 0;
};

/// The layers of a model without a list.
inline const std::vector<BlockKind> kUsualLayer{BlockKind::gqa, BlockKind::mlp};

/// The layers of a model, numbered from 0 on, by what they are. A kind is numbered where it is
/// first met.
class LayerList {
 public:
  explicit LayerList(const ModelSpec& model);

  [[nodiscard]] const std::vector<LayerKind>& kinds() const { return kinds_; }
  [[nodiscard]] int kind_of(int layer) const;

 private:
  struct Run {
    int end = 0;  ///< the layer behind it
    int kind = 0;
  };
  void add(const std::vector<BlockKind>& blocks, int layers);

  std::vector<LayerKind> kinds_;
  std::vector<Run> runs_;
};

/// How many layers a model's list has; `num_layers` where it has none.
std::int64_t listed_layers(const ModelSpec& model);

}  // namespace simtrain
