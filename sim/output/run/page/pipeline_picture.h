#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/run/engine/timeline.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// An op of a stage as the picture of the pipeline shows it.
struct PipelineBox {
  int stage = 0;
  double start_s = 0;
  double end_s = 0;
  Label label{};
  std::uint32_t micro_batch = 0;
  int chunk = 0;
  bool transfer = false;  ///< runs beside the passes
};

/// A stretch of the step with all that the picture shows of it, by stage and then by time.
struct PipelineWindow {
  std::string name;
  double from_s = 0;
  double to_s = 0;
  std::vector<PipelineBox> boxes;
};

/// The pipeline as textbooks draw it: passes of the first simulated rank of each stage (those that
/// wait for parameters or send gradients by bucket as several boxes), and its data-parallel
/// transfers. A step of more than `most_boxes` is shown as three equally long windows
/// (its start, middle and end), chosen so that they hold about as many together.
struct PipelinePicture {
  int stages = 0;
  int chunks = 0;       ///< of each stage
  std::size_t all = 0;  ///< boxes of the whole step
  std::vector<PipelineWindow> windows;
};

PipelinePicture pipeline_picture(const Plan& plan, const Timeline& timeline,
                                 std::size_t most_boxes);

}  // namespace simtrain
