#pragma once

#include <string>

#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// A pipeline_model_parallel_layout that deals a model over `chunks` as evenly as whole layers go:
/// each layer to the chunk that has least, where the embedding and the loss count as a layer each
/// and a depth of multi-token prediction, a layer and a loss, as two. Of equal ones to the last
/// before the loss, since the first stages keep most micro-batches and the loss takes longer than a
/// layer. Empty where a chunk would get nothing.
std::string even_layout(const ModelSpec& model, int chunks);

}  // namespace simtrain
