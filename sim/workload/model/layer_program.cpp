#include "sim/workload/model/layer_program.h"

#include <algorithm>

#include "sim/workload/model/attention_program.h"
#include "sim/workload/model/overlapped_gemm.h"

namespace simtrain {
namespace {

/// Sizes of a layer on one rank, and its two halves forward and backward.
class Layer {
 public:
  explicit Layer(const PieceContext& context)
      : builder_(context),
        model_(context.recipe.model),
        gemm_(builder_, context.recipe.tokens()),
        precision_(context.recipe.precision()),
        copies_(operand_copies(precision_, context.cluster.gpu)),
        rows_(static_cast<double>(context.recipe.tokens())),
        local_rows_(rows_ /
                    (context.recipe.parallelism.sequence_parallel ? context.recipe.tp() : 1)),
        tp_(context.recipe.tp()),
        dropout_(model_.hidden_dropout > 0),
        overlap_(context.recipe.tp_overlap ? &*context.recipe.tp_overlap : nullptr),
        hidden_(model_.hidden_size),
        query_(model_.query_size() / tp_),
        qkv_((model_.query_size() + 2 * model_.key_value_size()) / tp_),
        ffn_(model_.ffn_hidden_size / tp_),
        fc1_(model_.fc1_size() / tp_) {}

  Program forward() {
    forward_kernels();
    return builder_.take();
  }

  Program backward() {
    if (builder_.recipe().recompute == Recompute::full) forward_kernels();
    mlp_backward();
    attention_block_backward();
    return builder_.take();
  }

 private:
  void forward_kernels() {
    module("input_layernorm");
    norm_forward(kNoOp);
    module("linear_qkv");
    gemm_.gather_then(qkv_, hidden_, precision_.operand);
    rotary();
    module("core_attention");
    attention_forward(builder_);
    module("linear_proj");
    cast(static_cast<double>(query_) * rows_, copies_);
    const std::uint32_t projected =
        gemm_.then_scatter(hidden_, query_, entry(&TpOverlapTable::proj_fprop));
    dropout_residual_add(projected);
    dropout_residual_add(mlp_forward());
  }

  std::uint32_t mlp_forward() {
    module("pre_mlp_layernorm");
    norm_forward(kNoOp);
    module("linear_fc1");
    gemm_.gather_then(fc1_, hidden_, precision_.operand);
    module("activation");
    elements(activation_bytes(Direction::forward) * static_cast<double>(ffn_) * rows_);
    module("linear_fc2");
    cast(static_cast<double>(ffn_) * rows_, copies_);
    return gemm_.then_scatter(hidden_, ffn_, entry(&TpOverlapTable::fc2_fprop));
  }

  void module(std::string_view name) { builder_.module(name); }

  using Entry = TpOverlapEntry TpOverlapTable::*;
  [[nodiscard]] const TpOverlapEntry* entry(Entry member) const {
    return overlap_ != nullptr ? &(overlap_->*member) : nullptr;
  }

  std::uint32_t elements(double bytes, std::uint32_t after = kNoOp) {
    return builder_.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound, after);
  }
  /// Reads a BF16 tensor and writes so many quantized copies.
  void cast(double count, int copies) {
    if (copies == 0) return;
    builder_.stream_bytes(StreamingKind::cast, count * (2 + copies * precision_.operand_bytes()),
                          Share::fp8);
  }
  /// Whether a weight gradient reads turned copies.
  [[nodiscard]] bool transposes() const { return copies_ > 1; }
  /// Copy of a gathered tensor, turned for the weight gradient.
  void transpose(double count, std::uint32_t after = kNoOp) {
    if (!transposes()) return;
    builder_.stream_bytes(StreamingKind::cast, 2 * precision_.operand_bytes() * count, Share::fp8,
                          after);
  }
  /// The norm writes the operand itself.
  void norm_forward(std::uint32_t after) {
    builder_.stream_bytes(
        StreamingKind::norm_forward,
        (2 + precision_.operand_bytes()) * static_cast<double>(hidden_) * local_rows_,
        Share::memory_bound, after);
  }
  /// With dropout the kernel writes its mask too, a byte an element.
  void dropout_residual_add(std::uint32_t after) {
    module("residual");
    elements((dropout_ ? 7.0 : 6.0) * static_cast<double>(hidden_) * local_rows_, after);
  }
  void dropout_backward() {
    if (dropout_) elements(5.0 * static_cast<double>(hidden_) * local_rows_);
  }
  void residual_add(std::uint32_t after) {
    module("residual");
    elements(6.0 * static_cast<double>(hidden_) * local_rows_, after);
  }
  void rotary() {
    module("rotary");
    const double turned = static_cast<double>(model_.query_size() + model_.key_value_size()) / tp_ *
                          model_.rotary_percent;
    elements(4.0 * turned * rows_);
  }
  /// Bytes per activation output element: SwiGLU reads two branches, backward writes two. Eager, a
  /// squared ReLU is two element-wise kernels, its backward four.
  [[nodiscard]] double activation_bytes(Direction direction) const {
    const bool forward = direction == Direction::forward;
    if (model_.activation == Activation::swiglu) return forward ? 6 : 10;
    if (model_.activation == Activation::squared_relu &&
        builder_.recipe().software.squared_relu.value == SquaredRelu::eager)
      return forward ? 8 : 20;
    return forward ? 4 : 6;
  }
  void norm_backward(std::uint32_t after) {
    builder_.stream_bytes(StreamingKind::norm_backward,
                          6.0 * static_cast<double>(hidden_) * local_rows_, Share::memory_bound,
                          after);
    residual_add(kNoOp);
  }

  [[nodiscard]] bool recomputes(RecomputeModule module) const {
    return builder_.recipe().recomputes(module);
  }

  void mlp_backward() {
    const double gradient = static_cast<double>(hidden_);
    if (recomputes(RecomputeModule::mlp)) {
      mlp_forward();
    } else if (recomputes(RecomputeModule::layernorm)) {
      module("pre_mlp_layernorm");
      norm_forward(kNoOp);
    }
    module("linear_fc2");
    dropout_backward();
    cast(gradient * local_rows_, std::min(copies_, 1));
    gemm_.gather_then(ffn_, hidden_, precision_.operand);  // FC2 data gradient, gathers dY
    transpose(gradient * rows_);
    gemm_.weight_gradient(hidden_, ffn_);
    module("activation");
    elements(activation_bytes(Direction::backward) * static_cast<double>(ffn_) * rows_);
    module("linear_fc1");
    cast(static_cast<double>(fc1_) * rows_, copies_);
    const std::uint32_t gathered = gemm_.data_gradient_beside_gather(
        hidden_, fc1_, hidden_, entry(&TpOverlapTable::fc1_dgrad));
    const std::uint32_t scattered =
        weight_gradient(fc1_, gathered, entry(&TpOverlapTable::fc1_wgrad));
    module("pre_mlp_layernorm");
    norm_backward(scattered);
  }

  void attention_block_backward() {
    const double gradient = static_cast<double>(hidden_);
    if (recomputes(RecomputeModule::layernorm)) {
      module("input_layernorm");
      norm_forward(kNoOp);
    }
    module("linear_proj");
    dropout_backward();
    cast(gradient * local_rows_, std::min(copies_, 1));
    gemm_.gather_then(query_, hidden_, precision_.operand);  // projection data gradient, gathers dY
    transpose(gradient * rows_);
    gemm_.weight_gradient(hidden_, query_);
    module("core_attention");
    if (recomputes(RecomputeModule::core_attn)) attention_forward(builder_);
    const std::uint32_t complete = attention_backward(builder_);
    elements(4.0 * static_cast<double>(qkv_) * rows_, complete);  // dQ, dK, dV into one tensor
    rotary();
    module("linear_qkv");
    cast(static_cast<double>(qkv_) * rows_, copies_);
    const std::uint32_t gathered = gemm_.data_gradient_beside_gather(
        hidden_, qkv_, hidden_, entry(&TpOverlapTable::qkv_dgrad));
    const std::uint32_t scattered =
        weight_gradient(qkv_, gathered, entry(&TpOverlapTable::qkv_wgrad));
    module("input_layernorm");
    norm_backward(scattered);
  }

  /// Weight gradient of a column-parallel module from the gathered norm output.
  std::uint32_t weight_gradient(std::int64_t columns, std::uint32_t gathered,
                                const TpOverlapEntry* overlap) {
    if (!transposes())
      return gemm_.weight_gradient_beside_scatter(columns, hidden_, hidden_, overlap, gathered);
    transpose(static_cast<double>(hidden_) * rows_, gathered);
    return gemm_.weight_gradient_beside_scatter(columns, hidden_, hidden_, overlap, kNoOp);
  }

  ProgramBuilder builder_;
  const ModelSpec& model_;
  OverlappedGemm gemm_;
  const PrecisionRow& precision_;
  int copies_;  ///< of each operand that its GEMMs want
  double rows_;
  double local_rows_;
  int tp_;
  bool dropout_;
  const TpOverlapTable* overlap_;
  std::int64_t hidden_;
  std::int64_t query_;
  std::int64_t qkv_;
  std::int64_t ffn_;
  std::int64_t fc1_;
};

/// Quantized copies of a layer's weights.
Program layer_weight_cast(const PieceContext& context) {
  ProgramBuilder builder(context);
  builder.module("weights");
  const PrecisionRow& precision = context.recipe.precision();
  const int copies = operand_copies(precision, context.cluster.gpu);
  const double weights =
      static_cast<double>(context.recipe.model.layer_matrix_parameters()) / context.recipe.tp();
  builder.stream_bytes(StreamingKind::cast, weights * (2 + copies * precision.operand_bytes()),
                       Share::fp8);
  return builder.take();
}

/// The amax values of all FP8 tensors of the chunk are reduced in one small all-reduce, then one
/// kernel turns their histories into scales.
Program amax(const PieceContext& context) {
  constexpr std::int64_t kTensorsOfALayer =
      12;  // input, weight and gradient of four linear modules
  constexpr std::int64_t kHistory = 1024;
  const Recipe& recipe = context.recipe;
  const std::int64_t layers = std::max(1, recipe.model.num_layers / (recipe.pp() * recipe.vp()));
  const std::int64_t bytes = layers * kTensorsOfALayer * bytes_of(DataType::fp32);
  ProgramBuilder builder(context);
  builder.module("amax");
  std::uint32_t reduced = kNoOp;
  if (context.layout(GroupKind::amax).ranks > 1) {
    reduced =
        builder.collective(GroupKind::amax, Collective::all_reduce, bytes, kNoOp, DataType::fp32);
  }
  builder.stream_bytes(StreamingKind::element_wise, static_cast<double>(2 * kHistory * bytes),
                       Share::fp8, reduced);
  return builder.take();
}

}  // namespace

Program layer_forward(const PieceContext& context) { return Layer(context).forward(); }
Program layer_backward(const PieceContext& context) { return Layer(context).backward(); }

Program piece_program(const PieceContext& context, Piece piece) {
  switch (piece) {
    case Piece::layer_forward:
      return layer_forward(context);
    case Piece::layer_backward:
      return layer_backward(context);
    case Piece::embedding_forward:
      return embedding_forward(context);
    case Piece::embedding_backward:
      return embedding_backward(context);
    case Piece::head_forward:
      return head_forward(context);
    case Piece::head_backward:
      return head_backward(context, true);
    case Piece::head_backward_deferred:
      return head_backward(context, false);
    case Piece::head_weight_gradient:
      return head_weight_gradient(context);
    case Piece::layer_weight_cast:
      return layer_weight_cast(context);
    case Piece::amax:
      return amax(context);
  }
  return {};
}

}  // namespace simtrain
