#pragma once

#include <vector>

#include "sim/workload/model/piece.h"
#include "sim/workload/model/piece_context.h"

namespace simtrain {

/// The pieces that a recipe's passes run, in the order of ByPiece; `cut_backward`: by a schedule
/// that cuts backwards into input gradients and weight gradients.
std::vector<Piece> pieces_of(const Recipe& recipe, bool cut_backward);

/// Expands one piece into its kernels and collectives: the operators of its blocks, in order
/// forward, reversed backward. Full recompute begins the backward of a layer with its forward;
/// selective recompute runs again what its modules dropped.
Program piece_program(const PieceContext& context, const Piece& piece);

}  // namespace simtrain
