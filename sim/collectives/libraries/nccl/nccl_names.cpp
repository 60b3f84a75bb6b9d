#include "sim/collectives/libraries/nccl/nccl_names.h"

#include <cctype>

#include <fmt/format.h>

namespace simtrain {
namespace {

std::string upper(std::string_view text) {
  std::string result;
  for (const char letter : text)
    result +=
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return result;
}

}  // namespace

std::string_view nccl_function(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return name_of(NcclFunction::all_reduce);
    case Collective::all_gather:
      return name_of(NcclFunction::all_gather);
    case Collective::reduce_scatter:
      return name_of(NcclFunction::reduce_scatter);
    case Collective::broadcast:
      return name_of(NcclFunction::broadcast);
    case Collective::all_to_all:
    case Collective::send_receive:
    case Collective::none:
      break;
  }
  return "SendRecv";
}

std::string nccl_operation(Collective collective) {
  const bool reduces =
      collective == Collective::all_reduce || collective == Collective::reduce_scatter;
  return fmt::format("{}{}", nccl_function(collective), reduces ? "_Sum" : "");
}

std::string nccl_kernel(const TransferCost& cost) {
  const std::string operation = nccl_operation(cost.collective);
  if (cost.algorithm == Algorithm::direct) return fmt::format("ncclDevKernel_{}", operation);
  return fmt::format("ncclDevKernel_{}_{}_{}", operation, upper(name_of(cost.algorithm)),
                     upper(name_of(cost.protocol)));
}

}  // namespace simtrain
