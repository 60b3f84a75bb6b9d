#include "sim/measured/profiles/kernel_kind.h"

#include <algorithm>
#include <iterator>

#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

/// A name that contains both words is of the kind; in small letters, the second may be empty.
struct KernelPattern {
  std::string_view word;
  std::string_view also;
  KernelKind kind{};
  bool begins = false;  ///< a word of the name begins with the first one
};

/// The first that fits counts. Attention comes before GEMM, since FlashAttention is built of
/// CUTLASS; GEMM before activation, since cuBLAS names its epilogues (gemm_relu); ATen's
/// element-wise kernels before casts, since their loaders are called LoadWithCast.
constexpr std::array kPatterns{
    KernelPattern{"nccl", "allreduce", KernelKind::nccl_all_reduce},
    KernelPattern{"nccl", "allgather", KernelKind::nccl_all_gather},
    KernelPattern{"nccl", "reducescatter", KernelKind::nccl_reduce_scatter},
    KernelPattern{"nccl", "broadcast", KernelKind::nccl_broadcast},
    KernelPattern{"nccl", "sendrecv", KernelKind::nccl_send_receive},
    KernelPattern{"nccl", "alltoall", KernelKind::nccl_send_receive},
    KernelPattern{"nccl", "", KernelKind::nccl_other},
    KernelPattern{"userbuffers", "", KernelKind::user_buffers},
    KernelPattern{"deep_ep", "", KernelKind::expert_exchange},
    KernelPattern{"hybrid_ep", "", KernelKind::expert_exchange},
    KernelPattern{"memcpy", "", KernelKind::copy},
    KernelPattern{"memset", "", KernelKind::copy},
    KernelPattern{"scaleandscaleinv", "", KernelKind::cast},
    KernelPattern{"multi_tensor", "", KernelKind::optimizer},
    KernelPattern{"multitensor", "", KernelKind::optimizer},
    KernelPattern{"adam", "", KernelKind::optimizer, true},
    KernelPattern{"flashinfer", "norm", KernelKind::norm},
    KernelPattern{"flash", "", KernelKind::attention},
    KernelPattern{"fmha", "", KernelKind::attention},
    KernelPattern{"sdpa", "", KernelKind::attention},
    KernelPattern{"attention", "", KernelKind::attention},
    KernelPattern{"fused_attn", "", KernelKind::attention},
    KernelPattern{"dot_do_o", "", KernelKind::attention},
    KernelPattern{"masked_softmax", "", KernelKind::attention},
    KernelPattern{"gemm", "", KernelKind::gemm},
    KernelPattern{"nvjet", "", KernelKind::gemm},
    KernelPattern{"cijk_", "", KernelKind::gemm},  // AMD's Tensile
    KernelPattern{"cutlass", "", KernelKind::gemm},
    KernelPattern{"cublas", "", KernelKind::gemm},
    KernelPattern{"xmma", "", KernelKind::gemm},
    KernelPattern{"splitkreduce", "", KernelKind::gemm},
    KernelPattern{"gemv", "", KernelKind::gemm},
    KernelPattern{"triton_", "_mm", KernelKind::gemm},
    KernelPattern{"triton_tem", "mm", KernelKind::gemm},
    KernelPattern{"rmsnorm", "", KernelKind::norm},
    KernelPattern{"rms_norm", "", KernelKind::norm},
    KernelPattern{"layernorm", "", KernelKind::norm},
    KernelPattern{"layer_norm", "", KernelKind::norm},
    KernelPattern{"ln_fwd", "", KernelKind::norm},
    KernelPattern{"ln_bwd", "", KernelKind::norm},
    KernelPattern{"normalization::", "", KernelKind::norm},
    KernelPattern{"gammabeta", "", KernelKind::norm},
    KernelPattern{"cucomputegradinput", "", KernelKind::norm},
    KernelPattern{"cross_entropy", "", KernelKind::loss},
    KernelPattern{"crossentropy", "", KernelKind::loss},
    KernelPattern{"nll_loss", "", KernelKind::loss},
    KernelPattern{"softmax", "", KernelKind::loss},
    KernelPattern{"gated", "", KernelKind::activation, true},
    KernelPattern{"glu", "", KernelKind::activation},
    KernelPattern{"gelu", "", KernelKind::activation},
    KernelPattern{"silu", "", KernelKind::activation},
    KernelPattern{"swish", "", KernelKind::activation},
    KernelPattern{"relu", "", KernelKind::activation},
    KernelPattern{"at::native", "elementwise", KernelKind::element_wise},
    KernelPattern{"cast", "", KernelKind::cast, true},
    KernelPattern{"transpose", "", KernelKind::cast},
    KernelPattern{"amax", "", KernelKind::cast},
    KernelPattern{"quantize", "", KernelKind::cast},
    KernelPattern{"elementwise", "", KernelKind::element_wise},
    KernelPattern{"rope", "", KernelKind::element_wise},
    KernelPattern{"rotary", "", KernelKind::element_wise},
    KernelPattern{"dropout", "", KernelKind::element_wise},
    KernelPattern{"embedding", "", KernelKind::element_wise},
    KernelPattern{"triton_", "", KernelKind::element_wise},
    KernelPattern{"nvfuser", "", KernelKind::element_wise},
    KernelPattern{"at::native", "", KernelKind::element_wise}};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view name, std::string_view word) {
  return word.empty() || find_word(name, word) != std::string_view::npos;
}

bool is_letter(char c) { return small(c) >= 'a' && small(c) <= 'z'; }

/// Whether a word begins at a place of a name: `cast` in `fp8_cast` and in `FP8Cast`, not in
/// `broadcast`.
bool begins_word(std::string_view name, std::size_t at) {
  if (at == 0 || !is_letter(name[at - 1])) return true;
  return name[at] != small(name[at]) && name[at - 1] == small(name[at - 1]);
}

bool holds_word(std::string_view name, std::string_view plain, std::string_view word) {
  for (std::size_t at = plain.find(word); at != std::string_view::npos;
       at = plain.find(word, at + 1)) {
    if (begins_word(name, at)) return true;
  }
  return false;
}

/// Takes a word out of a name, and leaves the rest where it is.
void blank_out(std::string& name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at))
    name.replace(at, word.size(), word.size(), '_');
}

}  // namespace

KernelKind kernel_kind(std::string_view name) {
  std::string plain(name);
  std::transform(plain.begin(), plain.end(), plain.begin(), small);
  blank_out(plain, "fbgemm_gpu");  // a library of which few kernels are GEMMs
  const auto* const found =
      std::find_if(kPatterns.begin(), kPatterns.end(), [&](const KernelPattern& pattern) {
        const bool first =
            pattern.begins ? holds_word(name, plain, pattern.word) : contains(plain, pattern.word);
        return first && contains(plain, pattern.also);
      });
  return found == kPatterns.end() ? KernelKind::unclassified : found->kind;
}

std::string named_by_collective(std::string_view name, std::string_view collective) {
  std::string full(name);
  if (collective.empty() || !contains(name, "Generic")) return full;
  full += ' ';
  std::copy_if(collective.begin(), collective.end(), std::back_inserter(full),
               [](char c) { return c != '_'; });
  if (collective == "send" || collective == "recv") full += " sendrecv";
  return full;
}

}  // namespace simtrain
