#include "sim/workload/model/overlap/overlapped_gemm.h"

#include <algorithm>

#include "sim/workload/model/operators/casts.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {

OverlappedGemm::OverlappedGemm(ProgramBuilder& builder, const LinearFormats& formats,
                               GemmPlace place)
    : builder_(builder),
      rows_(builder.recipe().tokens()),
      tp_(builder.recipe().tp()),
      overlap_(place == GemmPlace::layer && builder.recipe().overlap.tp_comm_overlap && tp_ > 1),
      formats_(formats),
      output_(builder.recipe().precision().activation),
      share_(place == GemmPlace::head ? Share::embedding_loss : Share::gemm) {}

Gemm OverlappedGemm::gemm(const GemmFormats& formats, std::int64_t rows, std::int64_t n,
                          std::int64_t k) const {
  return {.m = rows,
          .n = n,
          .k = k,
          .type = formats.rate,
          .output = output_.type,
          .x_bytes = formats.left.bytes(),
          .w_bytes = formats.right.bytes()};
}

int OverlappedGemm::margin(const TpOverlapEntry* entry) const {
  return overlap_ && entry != nullptr && entry->set_sm_margin ? entry->sms : 0;
}

bool OverlappedGemm::sharded() const {
  return tp_ > 1 && builder_.recipe().parallelism.sequence_parallel;
}

void OverlappedGemm::gather_then(const GemmFormats& formats, const Operand& operand, std::int64_t n,
                                 std::int64_t k, const TensorFormat* moved) {
  const auto elements = static_cast<double>(rows_ * k);
  if (!overlap_ || moved != nullptr) {
    const TensorFormat& format = moved != nullptr ? *moved
                                 : operand.recast ? output_
                                                  : formats.left;
    const std::uint32_t gather = sharded()
                                     ? builder_.tensor_collective(Collective::all_gather, format,
                                                                  rows_ * k, builder_.last_kernel())
                                     : kNoOp;
    put_in_order(format, k, gather);
    if (operand.recast) {
      builder_.wait_for(gather);
      quantize(builder_, operand, elements);
    }
    multiply(gemm(formats, rows_, n, k), operand.recast ? kNoOp : gather);
    return;
  }
  if (operand.recast) quantize(builder_, operand, elements / tp_);
  const std::int64_t bytes = formats.left.bytes_for(rows_ * k);
  const int sms = builder_.recipe().tp_overlap->ring_exchange_sms;
  const double limit = builder_.gpu().nvlink.copy_engine_bandwidth.value.value();
  const std::uint32_t input = builder_.last_kernel();
  multiply(gemm(formats, rows_ / tp_, n, k));
  for (int chunk = 1; chunk < tp_; ++chunk) {
    const std::uint32_t arrived =
        builder_.user_buffers(Collective::all_gather, bytes / tp_, bytes / tp_, limit, sms, input);
    multiply(gemm(formats, rows_ / tp_, n, k), arrived);
  }
}

std::uint32_t OverlappedGemm::then_scatter(std::int64_t n, std::int64_t k,
                                           const TpOverlapEntry* entry) {
  if (overlap_ && entry->method == TpOverlapMethod::pipeline)
    return scatter_pipelined(n, k, *entry);
  if (overlap_ && entry->method == TpOverlapMethod::ring_exchange)
    return scatter_ring(n, k, *entry);
  multiply(gemm(formats_.forward(), rows_, n, k));
  if (tp_ == 1) return kNoOp;
  put_in_order(output_, n, kNoOp);
  const Collective collective = sharded() ? Collective::reduce_scatter : Collective::all_reduce;
  return builder_.tensor_collective(collective, output_, rows_ * n, builder_.last_kernel());
}

std::uint32_t OverlappedGemm::scatter_pipelined(std::int64_t n, std::int64_t k,
                                                const TpOverlapEntry& entry) {
  const std::int64_t split_rows = rows_ / entry.splits;
  const std::int64_t bytes = output_.bytes_for(split_rows * n);
  // The kernel's SMs read the peers' parts themselves, each at user_buffer_sm_bandwidth.
  const double limit = entry.sms * builder_.gpu().nvlink.user_buffer_sm_bandwidth.value.value();
  std::uint32_t scattered = kNoOp;
  for (int split = 0; split < entry.splits; ++split) {
    Gemm part = gemm(formats_.forward(), split_rows, n, k);
    part.sm_margin = margin(&entry);
    const std::uint32_t product = multiply(part);
    scattered = builder_.user_buffers(Collective::reduce_scatter, bytes, bytes / tp_ * (tp_ - 1),
                                      limit, entry.sms - margin(&entry), product);
  }
  return scattered;
}

std::uint32_t OverlappedGemm::scatter_ring(std::int64_t n, std::int64_t k,
                                           const TpOverlapEntry& entry) {
  const std::int64_t chunk_rows = rows_ / tp_;
  const std::int64_t bytes = formats_.ring_sums.bytes_for(chunk_rows * n);
  const double limit = builder_.gpu().nvlink.copy_engine_bandwidth.value.value();
  std::uint32_t sent = kNoOp;
  for (int chunk = 0; chunk < tp_; ++chunk) {
    const std::uint32_t product = multiply(gemm(formats_.forward(), chunk_rows, n, k));
    if (chunk + 1 == tp_) break;  // the last chunk is this rank's own
    sent =
        builder_.user_buffers(Collective::reduce_scatter, bytes, bytes, limit, entry.sms, product);
  }
  // Sums the tp parts.
  builder_.stream_bytes(StreamingKind::element_wise, static_cast<double>(bytes) * (tp_ + 1),
                        Share::tensor_parallel, sent);
  return kNoOp;
}

std::uint32_t OverlappedGemm::bulk(Collective collective, const TensorFormat& format,
                                   std::int64_t columns, const TpOverlapEntry* entry) {
  const std::uint32_t after = builder_.last_kernel();
  if (!overlap_ || entry == nullptr)
    return builder_.tensor_collective(collective, format, rows_ * columns, after);
  const std::int64_t bytes = format.bytes_for(rows_ * columns);
  // Bulk kernels use the switch: a store reaches all peers, a load sums them (multimem), so that
  // each SM's rate counts tp-fold.
  const double limit =
      entry->sms * tp_ * builder_.gpu().nvlink.user_buffer_sm_bandwidth.value.value();
  return builder_.user_buffers(collective, bytes, bytes / tp_ * (tp_ - 1), limit,
                               entry->sms - margin(entry), after);
}

bool OverlappedGemm::in_order() const {
  const SoftwareSpec& software = builder_.recipe().software;
  return !overlap_ && tp_ > 1 &&
         (sharded() ? software.uses_dtensor() : !software.reduces_beside_gemms());
}

void OverlappedGemm::put_in_order(const TensorFormat& format, std::int64_t columns,
                                  std::uint32_t after) {
  if (!in_order() || !sharded() || builder_.recipe().training.micro_batch_size == 1) return;
  const auto bytes = static_cast<double>(format.bytes_for(rows_ * columns));
  builder_.stream_bytes(StreamingKind::element_wise, 2 * bytes, Share::tensor_parallel, after);
}

std::uint32_t OverlappedGemm::scatter_after(std::int64_t columns) {
  put_in_order(output_, columns, kNoOp);
  return scatter_beside(columns, nullptr);
}

std::uint32_t OverlappedGemm::gather_beside(const TensorFormat& format, std::int64_t columns,
                                            const TpOverlapEntry* entry) {
  if (builder_.recipe().software.uses_dtensor()) return kNoOp;
  return sharded() ? bulk(Collective::all_gather, format, columns, entry) : kNoOp;
}

void OverlappedGemm::data_gradient(std::int64_t n, std::int64_t k, const TpOverlapEntry* entry) {
  Gemm product = gemm(formats_.input_gradient(), rows_, n, k);
  product.sm_margin = margin(entry);
  multiply(product);
}

std::uint32_t OverlappedGemm::scatter_beside(std::int64_t columns, const TpOverlapEntry* entry) {
  if (sharded()) return bulk(Collective::reduce_scatter, output_, columns, entry);
  if (tp_ == 1) return kNoOp;
  return builder_.tensor_collective(Collective::all_reduce, output_, rows_ * columns,
                                    builder_.last_kernel());
}

void OverlappedGemm::weight_gradient(std::int64_t m, std::int64_t n, std::uint32_t after,
                                     const TpOverlapEntry* entry, std::int64_t tokens) {
  Gemm product = gemm(formats_.weight_gradient(), m, n, tokens);
  const Recipe& recipe = builder_.recipe();
  const bool adds = adds_up_gradients(recipe);
  const GradientAccumulation how =
      adds ? recipe.software.adds_gradients() : GradientAccumulation::fused;
  const DataType sum = recipe.optimizer.grad_reduce_dtype;
  const bool apart = how != GradientAccumulation::fused;
  product.accumulate = adds;
  product.output = adds && !apart ? sum : output_.type;
  product.sm_margin = margin(entry);
  multiply(product, after);
  if (apart) add_gradient(m * n, how == GradientAccumulation::converted && sum != output_.type);
}

void OverlappedGemm::add_gradient(std::int64_t elements, bool converted) {
  const auto sum = static_cast<double>(bytes_of(builder_.recipe().optimizer.grad_reduce_dtype));
  const auto stream = [&](double bytes) {
    builder_.stream_bytes(StreamingKind::element_wise, bytes * static_cast<double>(elements),
                          Share::memory_bound);
  };
  if (converted) stream(output_.bytes() + sum);
  // Reads the gradient, reads and writes the sum.
  stream((converted ? sum : output_.bytes()) + 2 * sum);
}

}  // namespace simtrain
