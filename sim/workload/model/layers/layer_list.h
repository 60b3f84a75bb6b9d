#pragma once

#include <span>
#include <vector>

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// Layers at both ends of a model that stay out of a recipe's precision.
struct HighLayers {
  int first = 0;
  int last = 0;
};

/// Layers that are alike: their blocks, whether they stay out of the recipe's precision or of its
/// full recompute, and how many there are of them in the model.
struct LayerKind {
  std::vector<BlockKind> blocks;
  int layers = 0;
  bool high = false;
  bool first = false;  ///< the first layer of a model of which it is apart
  bool kept = false;   ///< not computed again where full recompute is of every n-th layer
};

/// The layers of a model without a list.
inline const std::vector<BlockKind> kUsualLayer{BlockKind::gqa, BlockKind::mlp};

/// The layers of a model, numbered from 0 on, by what they are. A kind is numbered where it is
/// first met.
class LayerList {
 public:
  /// `first_apart`: the first layer is of a kind of its own, whatever the others are. `again`: the
  /// last of so many layers each is computed again, the others are kept.
  explicit LayerList(const ModelSpec& model, const HighLayers& high = {}, bool first_apart = false,
                     int again = 1);

  [[nodiscard]] const std::vector<LayerKind>& kinds() const { return kinds_; }
  [[nodiscard]] int kind_of(int layer) const;

 private:
  struct Run {
    int end = 0;  ///< the layer behind it
    int kind = 0;
  };
  using Blocks = std::span<const BlockKind>;
  /// What a run of layers has, but its blocks.
  struct Alike {
    int layers = 0;
    bool high = false;
    bool first = false;
    bool kept = false;
  };
  void add(Blocks blocks, Alike run, int again);
  void add(Blocks blocks, const Alike& run);

  std::vector<LayerKind> kinds_;
  std::vector<Run> runs_;
};

/// The layers that a recipe keeps out of its precision.
HighLayers high_layers(const Recipe& recipe);

/// The layers of a recipe by what they are. Where all of the model is frozen the first is of a kind
/// of its own, in whose backward the input gradients end.
LayerList layers_of(const Recipe& recipe);

/// Whether a backward computes layers of a kind again whole.
bool recomputes_layer(const Recipe& recipe, const LayerKind& kind);

/// The layers of a model in order, whichever way it says them. Letters that no block has are left
/// out (the scenario refuses them).
std::vector<LayerSpec> layer_specs(const ModelSpec& model);

/// How many layers a model's list has; `num_layers` where it has none.
std::int64_t listed_layers(const ModelSpec& model);

}  // namespace simtrain
