#include "sim/output/run/page/pipeline_picture.h"

#include <algorithm>

namespace simtrain {
namespace {

bool shown(const Op& op) {
  return op.compute || op.label == Label::gradient_reduce || op.label == Label::parameter_gather ||
         op.label == Label::gradient_norm;
}

/// What a rank does in the step; ops of no length are left out.
void add_boxes(std::vector<PipelineBox>& boxes, const Plan& plan, const Timeline& timeline,
               std::uint32_t rank) {
  const SimulatedRank& simulated = plan.ranks[rank];
  const std::vector<Op>& ops = plan.programs[simulated.program].ops;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const Span& span = timeline.span(rank, i);
    if (!shown(ops[i]) || span.start == span.end) continue;
    boxes.push_back({simulated.stage, to_seconds(span.start), to_seconds(span.end), ops[i].label,
                     ops[i].micro_batch, ops[i].chunk, !ops[i].compute});
  }
}

/// All boxes by stage, those of a stage in the order of time.
std::vector<PipelineBox> all_boxes(const Plan& plan, const Timeline& timeline, int stages) {
  std::vector<PipelineBox> boxes;
  std::vector<bool> done(static_cast<std::size_t>(stages), false);
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto stage = static_cast<std::size_t>(plan.ranks[rank].stage);
    if (done[stage]) continue;
    done[stage] = true;
    add_boxes(boxes, plan, timeline, rank);
  }
  std::stable_sort(boxes.begin(), boxes.end(), [](const PipelineBox& a, const PipelineBox& b) {
    return a.stage != b.stage ? a.stage < b.stage : a.start_s < b.start_s;
  });
  return boxes;
}

PipelineWindow window(std::string name, double from, double to,
                      const std::vector<PipelineBox>& boxes) {
  PipelineWindow result{std::move(name), from, to, {}};
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(result.boxes),
               [&](const PipelineBox& box) { return box.start_s < to && box.end_s > from; });
  return result;
}

}  // namespace

PipelinePicture pipeline_picture(const Plan& plan, const Timeline& timeline,
                                 std::size_t most_boxes) {
  PipelinePicture picture;
  for (const SimulatedRank& rank : plan.ranks)
    picture.stages = std::max(picture.stages, rank.stage + 1);
  const std::vector<PipelineBox> boxes = all_boxes(plan, timeline, picture.stages);
  for (const PipelineBox& box : boxes) picture.chunks = std::max(picture.chunks, box.chunk + 1);
  picture.all = boxes.size();
  const double end = to_seconds(timeline.end);
  if (boxes.size() <= most_boxes) {
    picture.windows.push_back(window("whole step", 0, end, boxes));
    return picture;
  }
  const double length =
      end / 3 * static_cast<double>(most_boxes) / static_cast<double>(boxes.size());
  picture.windows.push_back(window("warm-up", 0, length, boxes));
  picture.windows.push_back(window("middle", (end - length) / 2, (end + length) / 2, boxes));
  picture.windows.push_back(window("cool-down", end - length, end, boxes));
  return picture;
}

}  // namespace simtrain
