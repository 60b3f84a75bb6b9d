#include "sim/measured/profiles/kernel_kind.h"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::kernel_kind_test {
namespace {

TEST_CASE("Kernels of Megatron, Transformer Engine, PyTorch and NCCL by their names") {
  const std::vector<std::pair<std::string_view, KernelKind>> names{
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       KernelKind::nccl_all_reduce},
      {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
       KernelKind::nccl_all_gather},
      {"ncclDevKernel_ReduceScatter_Sum_f32_RING_SIMPLE", KernelKind::nccl_reduce_scatter},
      {"ncclDevKernel_Broadcast_RING_LL", KernelKind::nccl_broadcast},
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", KernelKind::nccl_send_receive},
      {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", KernelKind::nccl_other},
      {"kuserbuffers_pushrecv(int, int, int*)", KernelKind::user_buffers},
      {"userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_fp8<8>", KernelKind::user_buffers},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas", KernelKind::gemm},
      {"nvjet_qqtst_128x256_128x4_2x1_v_bz_TNT", KernelKind::gemm},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn>",
       KernelKind::gemm},
      {"Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x4x1", KernelKind::gemm},
      {"void fbgemm_gpu::permute_2D_data_kernel<false, int>(int)", KernelKind::unclassified},
      {"void fbgemm_gpu::_compute_FP8_quantize_cuda_kernel<float>(float const*)", KernelKind::cast},
      {"void split_embedding_codegen_forward_kernel<float>(fbgemm_gpu::FixedDivisor)",
       KernelKind::element_wise},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>", KernelKind::gemm},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_128x128x128",
       KernelKind::attention},
      {"void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<128>>",
       KernelKind::attention},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<a>>>",
       KernelKind::attention},
      {"void cudnn::fusion::compute_dot_do_o_specialized<true>", KernelKind::attention},
      {"fmha_v2_flash_attention_bf16_64_128_S_128_sm90_kernel", KernelKind::attention},
      {"void transformer_engine::normalization::rmsnorm_fwd_general_kernel<a>", KernelKind::norm},
      {"void transformer_engine::layer_norm::ln_bwd_tuned_kernel<a>", KernelKind::norm},
      {"void transformer_engine::gated_act_kernel<__nv_bfloat16, swish>", KernelKind::activation},
      {"triton_poi_fused_mul_silu_0", KernelKind::activation},
      {"void transformer_engine::cast_transpose_fused_kernel<false>", KernelKind::cast},
      {"transpose_optimized_kernel", KernelKind::cast},
      {"void transformer_engine::amax_kernel<8, true, float>", KernelKind::cast},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctorMaster<float>>",
       KernelKind::optimizer},
      {"_cross_entropy_kernel", KernelKind::loss},
      {"void (anonymous namespace)::softmax_warp_forward<float>", KernelKind::loss},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>",
       KernelKind::element_wise},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<a>", KernelKind::element_wise},
      {"fused_rope_forward_kernel", KernelKind::element_wise},
      {"[CUDA memcpy Device-to-Device]", KernelKind::copy},
      {"Memset (Device)", KernelKind::copy},
      {"void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
       "at::native::memory::LoadWithCast<2>, at::native::memory::StoreWithCast<1>>(int)",
       KernelKind::element_wise},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<a>>",
       KernelKind::element_wise},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::silu_kernel, LoadWithCast>",
       KernelKind::activation},
      {"my_broadcast_kernel", KernelKind::unclassified},
      {"FP8Cast_kernel", KernelKind::cast},
      {"transformer_engine::hadamard_transform_cast_fusion", KernelKind::cast},
      {"void FusedAdamW<float>", KernelKind::optimizer},
      {"sum_of_aggregated", KernelKind::unclassified},
      {"void multi_tensor_apply_kernel<TensorListMetadata<3>, ComputeScaleAndScaleInvFunctor>",
       KernelKind::cast},
      {"triton_tem_fused_mm_0", KernelKind::gemm},
      {"triton_tem_fused_addmm_3", KernelKind::gemm},
      {"triton_tem_fused_flex_attention_0", KernelKind::attention},
      {"void at::native::GammaBetaBackwardCUDAKernelTemplate<a>", KernelKind::norm},
      {"void cuComputePartGradGammaBeta<a>", KernelKind::norm},
      {"void cuComputeGradInput<a>", KernelKind::norm},
      {"void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>", KernelKind::norm},
      {"ncclDevKernel_AllToAll_X", KernelKind::nccl_send_receive},
      {"my_own_kernel", KernelKind::unclassified},
      {"", KernelKind::unclassified}};
  for (const auto& row : names) {
    CAPTURE(row.first);
    CHECK(name_of(kernel_kind(row.first)) == name_of(row.second));
  }
}

TEST_CASE("Kernels that serve all collectives, by the names that PyTorch gives these") {
  const auto kind = [](std::string_view collective) {
    return kernel_kind(named_by_collective("ncclDevKernel_Generic_1(...)", collective));
  };
  CHECK(kind("_allgather_base") == KernelKind::nccl_all_gather);
  CHECK(kind("reduce_scatter_tensor_coalesced") == KernelKind::nccl_reduce_scatter);
  CHECK(kind("allreduce") == KernelKind::nccl_all_reduce);
  CHECK(kind("recv") == KernelKind::nccl_send_receive);
  CHECK(kind("all_to_allv") == KernelKind::nccl_send_receive);
  CHECK(kind("") == KernelKind::nccl_other);
  CHECK(named_by_collective("ncclDevKernel_SendRecv", "send") == "ncclDevKernel_SendRecv");
}

}  // namespace
}  // namespace simtrain::testing::kernel_kind_test
