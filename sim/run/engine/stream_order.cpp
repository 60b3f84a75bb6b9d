#include "sim/run/engine/stream_order.h"

namespace simtrain {

StreamOrder::StreamOrder(const Program& its_program)
    : program(&its_program), links(its_program.ops.size()) {
  first.fill(kNoOp);
  for (std::size_t i = links.size(); i-- > 0;) {
    const Op& op = program->ops[i];
    std::uint32_t& first_behind = first[stream_of(op)];
    links[i].next = first_behind;
    first_behind = static_cast<std::uint32_t>(i);
    for (std::size_t k = 0; k < op.after.size(); ++k) {
      if (op.after[k] != kNoOp)
        links[i].after_stream[k] = static_cast<std::uint8_t>(program->ops[op.after[k]].stream);
    }
  }
}

}  // namespace simtrain
