#include "sim/workload/model/overlap/overlapped_gemm.h"

#include <algorithm>
#include <array>

#include "sim/workload/model/casts.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// Bytes of memory traffic for each byte of the rank's own rows in symmetric memory: two copies.
constexpr double kOwnRows = 4;

}  // namespace

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

bool OverlappedGemm::symmetric() const { return builder_.recipe().tp_overlap->symmetric(); }

bool OverlappedGemm::sharded() const {
  return tp_ > 1 && builder_.recipe().parallelism.sequence_parallel;
}

std::uint32_t OverlappedGemm::multiply_each(const GemmFormats& formats, std::int64_t rows,
                                            std::span<const std::int64_t> n, std::int64_t k,
                                            std::uint32_t after) {
  std::uint32_t last = kNoOp;
  for (const std::int64_t columns : n) {
    last = multiply(gemm(formats, rows, columns, k), after);
    after = kNoOp;
  }
  return last;
}

void OverlappedGemm::gather_then(const GemmFormats& formats, const Operand& operand,
                                 std::span<const std::int64_t> n, std::int64_t k,
                                 const TensorFormat* moved) {
  const auto elements = static_cast<double>(rows_ * k);
  if (!overlap_ || moved != nullptr || (operand.recast && symmetric())) {
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
    multiply_each(formats, rows_, n, k, operand.recast ? kNoOp : gather);
    return;
  }
  if (operand.recast) quantize(builder_, operand, elements / tp_);
  gather_in_chunks(formats, n, k);
}

/// PyTorch's symmetric memory: peers read the rank's rows from a buffer that they are copied to,
/// and they are copied to the gathered tensor. A chunk's transfer is behind the GEMM two chunks
/// before, in one of two streams (_pipelined_multi_all_gather_and_consume, as remembered).
void OverlappedGemm::gather_in_chunks(const GemmFormats& formats, std::span<const std::int64_t> n,
                                      std::int64_t k) {
  const TpOverlapTable& table = *builder_.recipe().tp_overlap;
  const std::int64_t part = formats.left.bytes_for(rows_ * k) / tp_;
  if (symmetric())
    builder_.stream_bytes(StreamingKind::element_wise, kOwnRows * static_cast<double>(part),
                          Share::tensor_parallel);
  const double limit = builder_.gpu().nvlink.copy_engine_bandwidth.value.value();
  const std::uint32_t input = builder_.last_kernel();
  std::array<std::uint32_t, 2> before{input, input};  // what a chunk's transfer is behind
  const std::uint32_t own = multiply_each(formats, rows_ / tp_, n, k);
  if (symmetric()) before[0] = own;
  for (int chunk = 1; chunk < tp_; ++chunk) {
    std::uint32_t& stream = before[static_cast<std::size_t>(chunk) % 2];
    const std::uint32_t arrived = builder_.user_buffers(Collective::all_gather, part, part, limit,
                                                        table.ring_exchange_sms, stream);
    const std::uint32_t product = multiply_each(formats, rows_ / tp_, n, k, arrived);
    if (symmetric()) stream = product;
  }
}

std::uint32_t OverlappedGemm::then_scatter(std::int64_t n, std::int64_t k,
                                           const TpOverlapEntry* entry) {
  switch (overlap_ && entry != nullptr ? entry->method : TpOverlapMethod::none) {
    case TpOverlapMethod::pipeline:
      return scatter_pipelined(n, k, *entry);
    case TpOverlapMethod::ring_exchange:
      return scatter_ring(n, k, *entry);
    case TpOverlapMethod::symmetric_memory:
      return scatter_symmetric(n, k);
    case TpOverlapMethod::none:
    case TpOverlapMethod::bulk:
      break;
  }
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
  add_parts(bytes, sent);
  return kNoOp;
}

/// _pipelined_produce_and_all2all, as remembered: a chunk is multiplied into a buffer from which
/// its rank reads it, and the stream goes on when all have read.
std::uint32_t OverlappedGemm::scatter_symmetric(std::int64_t n, std::int64_t k) {
  const std::int64_t chunk_rows = rows_ / tp_;
  const std::int64_t bytes = output_.bytes_for(chunk_rows * n);
  const double limit = builder_.gpu().nvlink.copy_engine_bandwidth.value.value();
  std::array<std::uint32_t, 2> read{kNoOp, kNoOp};  // by stream
  std::uint32_t last = kNoOp;
  for (int chunk = 1; chunk < tp_; ++chunk) {
    std::uint32_t& stream = read[static_cast<std::size_t>(chunk) % 2];
    const std::uint32_t product = multiply(gemm(formats_.forward(), chunk_rows, n, k), stream);
    stream = builder_.user_buffers(Collective::reduce_scatter, bytes, bytes, limit, 0, product);
    last = stream;
  }
  multiply(gemm(formats_.forward(), chunk_rows, n, k));  // the rank's own
  add_parts(bytes, last);
  return kNoOp;
}

void OverlappedGemm::add_parts(std::int64_t bytes, std::uint32_t after) {
  builder_.stream_bytes(StreamingKind::element_wise, static_cast<double>(bytes) * (tp_ + 1),
                        Share::tensor_parallel, after);
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
  return tp_ > 1 && (sharded() ? software.uses_dtensor() : !software.reduces_beside_gemms());
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
