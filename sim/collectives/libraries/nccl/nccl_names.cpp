#include "sim/collectives/libraries/nccl/nccl_names.h"

namespace simtrain {

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

}  // namespace simtrain
