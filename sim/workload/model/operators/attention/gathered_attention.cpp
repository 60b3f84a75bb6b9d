#include "sim/workload/model/operators/attention/gathered_attention.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

/// Pairs of a query and a key of so many rows of a causal mask.
double causal_pairs(std::int64_t rows) {
  return 0.5 * static_cast<double>(rows) * static_cast<double>(rows + 1);
}

}  // namespace

bool gathers_keys(const Recipe& recipe, const AttentionShape& attention) {
  const auto cuts = [&](std::int64_t keys) {
    return keys > 0 && keys < recipe.training.seq_length;
  };
  return recipe.cp() > 1 && (cuts(attention.span.window) || cuts(attention.span.chunk));
}

GatheredAttention::GatheredAttention(const Recipe& recipe, const AttentionShape& attention,
                                     const Attention& whole)
    : span_(attention.span),
      whole_(whole),
      samples_(recipe.training.micro_batch_size),
      length_(recipe.training.seq_length / (2 * std::int64_t{recipe.cp()})),
      gathered_(recipe.tokens() * attention.key_value_size() / recipe.tp() * recipe.cp()) {
  const std::int64_t last = 2 * std::int64_t{recipe.cp()} - 1;
  const auto work = [&](std::int64_t rank) { return seen(rank) + seen(last - rank); };
  for (std::int64_t rank = 1; rank < recipe.cp(); ++rank) {
    if (work(rank) > work(first_)) first_ = rank;
  }
  second_ = last - first_;
}

void GatheredAttention::kernels(ProgramBuilder& builder) const {
  builder.kernel(kernel_of(first_), Share::attention);
  builder.kernel(kernel_of(second_), Share::attention);
}

void GatheredAttention::reorder(ProgramBuilder& builder) const {
  const double element = builder.recipe().precision().activation.bytes();
  builder.stream_bytes(StreamingKind::element_wise, 2 * element * static_cast<double>(gathered_),
                       Share::attention);
}

void GatheredAttention::move(ProgramBuilder& builder, Collective collective) const {
  builder.wait_for(builder.context_collective(collective, gathered_, builder.last_kernel()));
}

/// Pairs of a query and a key of all queries before a position.
double GatheredAttention::seen_before(std::int64_t position) const {
  if (span_.chunk > 0) {
    const std::int64_t whole = position / span_.chunk;
    return static_cast<double>(whole) * causal_pairs(span_.chunk) +
           causal_pairs(position % span_.chunk);
  }
  const std::int64_t rising = std::min(position, span_.window);
  return causal_pairs(rising) +
         static_cast<double>(position - rising) * static_cast<double>(rising);
}

double GatheredAttention::seen(std::int64_t block) const {
  return seen_before((block + 1) * length_) - seen_before(block * length_);
}

/// Whole chunks, and windows shorter than the block, are causal kernels; where queries see more
/// keys than the block has, one without a mask of as many pairs.
Attention GatheredAttention::kernel_of(std::int64_t block) const {
  Attention kernel = whole_;
  kernel.batch = samples_;
  kernel.queries = length_;
  kernel.keys = length_;
  if (span_.chunk > 0 && length_ % span_.chunk == 0) {
    kernel.batch = samples_ * (length_ / span_.chunk);
    kernel.queries = span_.chunk;
    kernel.keys = span_.chunk;
  } else if (span_.window > 0 && span_.window < length_) {
    const auto queries = static_cast<double>(length_);
    const auto window = static_cast<double>(span_.window);
    kernel.unevenness = seen(block) / (queries * window - window * window / 2);
  } else {
    kernel.keys =
        std::max<std::int64_t>(1, std::llround(seen(block) / static_cast<double>(length_)));
    kernel.causal = false;
    kernel.window = 0;
  }
  return kernel;
}

}  // namespace simtrain
