#pragma once

#include "sim/workload/model/layers/piece_program.h"
#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// The plan of one whole step. One rank is simulated for each class; its tensor, context and data
/// groups rendezvous among the classes that they hold.
Plan step_plan(const StepContext& context);

/// The program of one piece on a rank.
Program piece_program(const KernelContext& context, const Piece& piece, int rank);

/// A plan that simulates one piece on the first TP x CP group of a pass class, with one rank for
/// each class of its ranks. Its first simulated rank is the group's first.
Plan piece_plan(const PassContext& context, const Piece& piece, int pass);

}  // namespace simtrain
