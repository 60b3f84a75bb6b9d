#include "sim/workload/plan/memory/memory_parts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace simtrain {
namespace {

double rows_of(const Recipe& recipe) { return static_cast<double>(recipe.tokens()); }

/// Tokens whose hidden states a rank keeps.
double own_rows(const Recipe& recipe) {
  return rows_of(recipe) / (recipe.parallelism.sequence_parallel ? recipe.tp() : 1);
}

double hidden_of(const Recipe& recipe) { return static_cast<double>(recipe.model.hidden_size); }

double logits_of(const Recipe& recipe) {
  return rows_of(recipe) * static_cast<double>(recipe.model.vocab_size) / recipe.tp();
}

/// What a layer saves, by what would compute it again.
struct LayerTensors {
  double inputs = 0;        ///< of both norms
  double norm_outputs = 0;  ///< of both
  double masks = 0;         ///< of both dropouts
  double attention = 0;     ///< Q, K, V and the output
  double statistics = 0;    ///< log-sum-exp of the attention
  double fc1_output = 0;
  double fc2_input = 0;

  [[nodiscard]] double sum() const {
    return inputs + norm_outputs + masks + attention + statistics + fc1_output + fc2_input;
  }
};

LayerTensors layer_tensors(const Recipe& recipe) {
  const ModelSpec& model = recipe.model;
  const double hidden = hidden_of(recipe) * own_rows(recipe);
  const double rows = rows_of(recipe) / recipe.tp();
  const double gemm_input = recipe.precision().operand_bytes();
  const auto ffn = static_cast<double>(model.ffn_hidden_size);
  LayerTensors tensors;
  tensors.inputs = 4 * hidden;
  tensors.norm_outputs = 2 * gemm_input * hidden;
  tensors.masks = model.hidden_dropout > 0 ? 2 * hidden : 0;
  tensors.attention = 4 * rows * static_cast<double>(model.query_size() + model.key_value_size());
  tensors.statistics = 4 * rows * model.num_attention_heads;
  tensors.fc1_output = 2 * rows * static_cast<double>(model.fc1_size());
  tensors.fc2_input = gemm_input * rows * ffn;
  return tensors;
}

/// Of these what the backward computes again. The MLP's norm is part of it (Transformer Engine
/// fuses it into FC1).
double recomputed_bytes(const Recipe& recipe) {
  const LayerTensors tensors = layer_tensors(recipe);
  if (recipe.recompute == Recompute::full) return tensors.sum() - tensors.inputs / 2;
  const bool mlp = recipe.recomputes(RecomputeModule::mlp);
  double bytes = 0;
  if (recipe.recomputes(RecomputeModule::core_attn)) bytes += tensors.statistics;
  if (mlp) bytes += tensors.norm_outputs / 2 + tensors.fc1_output + tensors.fc2_input;
  if (recipe.recomputes(RecomputeModule::layernorm)) bytes += tensors.norm_outputs / (mlp ? 2 : 1);
  return bytes;
}

/// The final norm's input and output.
double final_norm_bytes(const Recipe& recipe) { return 4 * hidden_of(recipe) * own_rows(recipe); }

/// At the worst moment of the loss: the BF16 logits and what stands beside them. Transformer
/// Engine's kernel writes the gradient over the logits; the unfused loss works in place on an FP32
/// copy; the jit-fused one holds that copy, its exponentials and the softmax, 4 bytes each.
double bytes_per_logit(CrossEntropy loss) {
  switch (loss) {
    case CrossEntropy::fused:
      return 2;
    case CrossEntropy::unfused:
      return 2 + 4;
    case CrossEntropy::jit:
      return 2 + 3 * 4;
  }
  return 0;
}

}  // namespace

double fp8_copy_bytes(const Recipe& recipe, const GpuSpec& gpu) {
  const PrecisionRow& precision = recipe.precision();
  const int kept_anyway = recipe.training.fp8_params ? 1 : 0;
  return (operand_copies(precision, gpu) - kept_anyway) * precision.operand_bytes();
}

double optimizer_bytes(const Recipe& recipe) {
  return recipe.software.distributed_optimizer.value == OptimizerKind::apex ? 10 : 12;
}

double placeholder_bytes(const Recipe& recipe, bool head) {
  const auto& wanted = recipe.software.weight_gradient_placeholders;
  if (!wanted || !wanted->value) return 0;
  const ModelSpec& model = recipe.model;
  const std::int64_t tp = recipe.tp();
  std::set<std::pair<std::int64_t, std::int64_t>> shapes{
      {(model.query_size() + 2 * model.key_value_size()) / tp, model.hidden_size},
      {model.hidden_size, model.query_size() / tp},
      {model.fc1_size() / tp, model.hidden_size},
      {model.hidden_size, model.ffn_hidden_size / tp}};
  if (head) shapes.emplace(model.vocab_size / tp, model.hidden_size);
  double bytes = 0;
  for (const auto& [rows, columns] : shapes)
    bytes += 2 * static_cast<double>(rows) * static_cast<double>(columns);
  return bytes;
}

double layer_activation_bytes(const Recipe& recipe) {
  return layer_tensors(recipe).sum() - recomputed_bytes(recipe);
}

double embedding_mask_bytes(const Recipe& recipe) {
  return recipe.model.hidden_dropout > 0 ? hidden_of(recipe) * own_rows(recipe) : 0;
}

double layer_temporary_bytes(const Recipe& recipe) {
  const ModelSpec& model = recipe.model;
  const double branches =
      static_cast<double>(model.fc1_size() + model.ffn_hidden_size) / recipe.tp();
  return 2 * rows_of(recipe) * (2 * hidden_of(recipe) + branches) + recomputed_bytes(recipe);
}

double loss_peak_bytes(const Recipe& recipe) {
  return final_norm_bytes(recipe) + 2 * hidden_of(recipe) * rows_of(recipe) +
         bytes_per_logit(recipe.software.cross_entropy.value) * logits_of(recipe);
}

double loss_saved_bytes(const Recipe& recipe) {
  const bool fused = recipe.software.cross_entropy.value == CrossEntropy::fused;
  return final_norm_bytes(recipe) + (fused ? 2 : 4) * logits_of(recipe);
}

double deferred_bytes(const Recipe& recipe) {
  return 2 * hidden_of(recipe) * own_rows(recipe) + 2 * logits_of(recipe);
}

Communicators communicators(const Recipe& recipe, const RankGrid& grid, int stage) {
  Communicators opened;
  const auto open = [&](int ranks) {
    if (ranks == 2) ++opened.pairs;
    if (ranks > 2) ++opened.larger;
  };
  for (const GroupKind kind : {GroupKind::world, GroupKind::tensor, GroupKind::context,
                               GroupKind::data, GroupKind::model, GroupKind::amax})
    open(grid.ranks_of(kind));
  if (!recipe.overlap.overlap_p2p_comm) {
    open(recipe.pp());
  } else if (recipe.pp() > 1) {
    const bool ring = recipe.vp() > 1;
    const bool previous = ring || stage > 0;
    const bool next = ring || stage + 1 < recipe.pp();
    opened.pairs += recipe.pp() == 2 ? 1 : (previous ? 1 : 0) + (next ? 1 : 0);
  }
  return opened;
}

double user_buffer_bytes(const Recipe& recipe) {
  if (!recipe.overlap.tp_comm_overlap || recipe.tp() == 1) return 0;
  constexpr double kGathers =
      6;  // QKV and FC1 forward, projection and FC2 dgrad, QKV and FC1 dgrad
  constexpr double kGradientScatters = 2;  // QKV and FC1 wgrad
  const double gathered = recipe.precision().operand_bytes();
  double bytes = kGathers * gathered + kGradientScatters * 2;
  const auto scattered = [&](const TpOverlapEntry& entry) {
    return entry.method == TpOverlapMethod::ring_exchange ? gathered : 2.0;
  };
  if (recipe.tp_overlap)
    bytes += scattered(recipe.tp_overlap->proj_fprop) + scattered(recipe.tp_overlap->fc2_fprop);
  return bytes * rows_of(recipe) * hidden_of(recipe);
}

}  // namespace simtrain
