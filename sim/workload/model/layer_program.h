#pragma once

#include "sim/workload/model/pass_program.h"

namespace simtrain {

// The pieces of a transformer layer; `piece_program` chooses among them.
Program layer_forward(const PieceContext& context);
Program layer_backward(const PieceContext& context);

// The pieces of the first and last stage.
Program embedding_forward(const PieceContext& context);
Program embedding_backward(const PieceContext& context);
Program head_forward(const PieceContext& context);
Program head_backward(const PieceContext& context, bool with_weight_gradient);
Program head_weight_gradient(const PieceContext& context);

}  // namespace simtrain
