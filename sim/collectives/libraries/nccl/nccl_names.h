#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/collectives/transfer_cost.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// What a program asks of NCCL, under the name that NCCL's log gives it.
enum class NcclFunction {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  send,
  recv,
  all_to_all,
  gather,
  scatter
};

template <>
struct EnumNames<NcclFunction> {
  static constexpr std::array rows{
      std::pair{std::string_view("AllReduce"), NcclFunction::all_reduce},
      std::pair{std::string_view("AllGather"), NcclFunction::all_gather},
      std::pair{std::string_view("ReduceScatter"), NcclFunction::reduce_scatter},
      std::pair{std::string_view("Broadcast"), NcclFunction::broadcast},
      std::pair{std::string_view("Reduce"), NcclFunction::reduce},
      std::pair{std::string_view("Send"), NcclFunction::send},
      std::pair{std::string_view("Recv"), NcclFunction::recv},
      std::pair{std::string_view("AlltoAll"), NcclFunction::all_to_all},
      std::pair{std::string_view("Gather"), NcclFunction::gather},
      std::pair{std::string_view("Scatter"), NcclFunction::scatter}};
};

/// From one rank to one other.
constexpr bool is_message(NcclFunction function) {
  return function == NcclFunction::send || function == NcclFunction::recv;
}

/// One value of ncclDataType_t.
struct NcclType {
  int number = 0;  ///< as written in the log
  std::string_view name;
  int bytes = 0;  ///< of an element
};

inline constexpr std::array<NcclType, 12> kNcclTypes{{{0, "int8", 1},
                                                      {1, "uint8", 1},
                                                      {2, "int32", 4},
                                                      {3, "uint32", 4},
                                                      {4, "int64", 8},
                                                      {5, "uint64", 8},
                                                      {6, "float16", 2},
                                                      {7, "float32", 4},
                                                      {8, "float64", 8},
                                                      {9, "bfloat16", 2},
                                                      {10, "float8e4m3", 1},
                                                      {11, "float8e5m2", 1}}};

/// The number of ncclDataType_t under which our types travel: quantized tensors as bytes.
constexpr int nccl_type(DataType type) {
  switch (type) {
    case DataType::fp8:
    case DataType::fp8_block:
    case DataType::mxfp8:
    case DataType::nvfp4:
      return 1;
    case DataType::fp32:
    case DataType::tf32:
      return 7;
    case DataType::bf16:
      break;
  }
  return 9;
}

/// NCCL's own protocols, in its order.
inline constexpr std::array kNcclProtocols{Protocol::ll, Protocol::ll128, Protocol::simple};

/// A collective as NCCL calls its kernel: AllReduce, AllGather, ...; SendRecv for messages.
std::string_view nccl_function(Collective collective);

/// The same with the reduction where there is one: AllReduce_Sum.
std::string nccl_operation(Collective collective);

/// The kernel of a call as profiles name it: ncclDevKernel_AllReduce_Sum_RING_LL.
std::string nccl_kernel(const TransferCost& cost);

}  // namespace simtrain
