#pragma once

#include <array>
#include <utility>
#include <vector>

#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/layers/layer_list.h"
#include "sim/workload/model/piece.h"

namespace simtrain {

/// The blocks of a part of a model on one rank; `kind` is that of a layer of the recipe's `layers`.
/// The recipe must outlive them.
std::vector<Block> blocks_of(const Recipe& recipe, const LayerList& layers, Part part,
                             int kind = 0);

/// Rows and columns on one rank.
using MatrixShape = std::pair<std::int64_t, std::int64_t>;

/// A tensor of weights that are trained, on one rank.
struct TrainedTensor {
  GroupKind reduced_over{};
  std::int64_t elements = 0;
};

/// What the operators of one part of a model add up to on one rank. Bytes are those of one
/// micro-batch.
struct PartTotals {
  std::int64_t parameters = 0;
  std::int64_t quantized_parameters = 0;  ///< cast before they are multiplied
  int quantized_modules = 0;              ///< linear modules whose parameters are
  /// Trained ones that each rank of a tensor group has whole.
  std::int64_t replicated_parameters = 0;
  /// By the group over which gradients of micro-batches are summed; of frozen ones would be.
  std::array<std::int64_t, kGroupKinds> reduced_over{};
  std::array<std::int64_t, kGroupKinds> trained_over{};  ///< of those the ones that are trained
  std::int64_t adapters = 0;                             ///< parameters of adapters
  std::vector<MatrixShape> matrices;                     ///< weights of GEMMs that are trained
  std::vector<TrainedTensor> tensors;                    ///< these and all others that are

  double saved_bytes = 0;      ///< from forward to backward
  double offloaded_bytes = 0;  ///< of the saved ones, those that go to the host by their modules
  double dropped_bytes = 0;    ///< what recompute makes again, beside these
  double forward_bytes = 0;    ///< alive while the block runs whose forward needs most
  double backward_bytes = 0;   ///< of the block whose backward needs most, beside saved ones
  double deferred_bytes = 0;   ///< what its weight gradients need where they run later
  double user_buffer_bytes = 0;
  double dispatcher_buffer_bytes = 0;
  ModelFlops flops;  ///< of a forward
};
PartTotals part_totals(const Recipe& recipe, const LayerList& layers, Part part, int kind = 0);
inline PartTotals part_totals(const Recipe& recipe, Part part, int kind = 0) {
  return part_totals(recipe, layers_of(recipe), part, kind);
}

/// The totals of all parts of a recipe's model.
class ModelTotals {
 public:
  explicit ModelTotals(const Recipe& recipe);

  [[nodiscard]] const LayerList& layers() const { return list_; }
  [[nodiscard]] int kinds() const { return static_cast<int>(kinds_.size()); }
  [[nodiscard]] const PartTotals& layer(int number) const { return of_kind(list_.kind_of(number)); }
  [[nodiscard]] const PartTotals& of_kind(int kind) const {
    return kinds_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const PartTotals& embedding() const { return embedding_; }
  [[nodiscard]] const PartTotals& head() const { return head_; }

 private:
  LayerList list_;
  std::vector<PartTotals> kinds_;
  PartTotals embedding_;
  PartTotals head_;
};

/// Parameters of a whole model; a shared table of embeddings counts once.
std::int64_t model_parameters(const ModelSpec& model);

/// Those of a recipe's model that are trained: all, or adapters alone.
std::int64_t trained_parameters(const Recipe& recipe);

/// FLOPs of a forward over a whole model, of one sample. Packed documents attend to themselves;
/// adapters are not counted.
ModelFlops model_flops(const ModelSpec& model, std::int64_t seq_length,
                       const std::optional<PackedSequencesSpec>& packed = {});

}  // namespace simtrain
