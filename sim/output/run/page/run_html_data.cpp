#include "sim/output/run/page/run_html_data.h"

#include <algorithm>
#include <cmath>

#include "sim/output/html/html_colours.h"
#include "sim/output/run/energy_report.h"
#include "sim/output/run/page/pipeline_picture.h"
#include "sim/output/run/page/run_html_memory.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Boxes of the pipeline picture: enough to look into, few enough to be drawn at once.
constexpr std::size_t kMostTasks = 9000;
/// GPUs of the placement picture.
constexpr int kMostGpus = 4096;

Json colour_json(const PageColour& colour) { return {colour.light, colour.dark}; }

Json waterfall_json(const Waterfall& fall, const Report& report) {
  const std::vector<double> levels = waterfall_levels(fall);
  Json losses = Json::array();
  for (std::size_t i = 0; i < fall.losses.size(); ++i) {
    const WaterfallLoss& loss = fall.losses[i];
    losses.push_back({{"name", loss.name},
                      {"meaning", loss.meaning},
                      {"colour", colour_json(kShareColours[static_cast<std::size_t>(loss.colour)])},
                      {"seconds", loss.seconds},
                      {"from", levels[i]},
                      {"to", levels[i + 1]}});
  }
  return {{"step_s", fall.step_s},
          {"useful_s", fall.useful_s},
          {"peak_tflops", report.peak_tflops_per_gpu},
          {"losses", std::move(losses)}};
}

/// Kinds of boxes, in the order of the legend.
enum class BoxKind { forward, backward, weight_gradient, step_end, transfer };

BoxKind kind_of(const PipelineBox& box) {
  if (box.transfer) return BoxKind::transfer;
  if (box.label == Label::forward) return BoxKind::forward;
  if (box.label == Label::backward || box.label == Label::input_gradient) return BoxKind::backward;
  if (box.label == Label::weight_gradient || box.label == Label::cut_weight_gradient)
    return BoxKind::weight_gradient;
  return BoxKind::step_end;
}

std::string_view transfer_name(Label label) {
  if (label == Label::parameter_gather) return "parameter all-gather";
  return label == Label::gradient_reduce ? "gradient reduce-scatter" : "gradient norm";
}

/// [stage, start, end, kind, micro-batch, chunk]; times in whole microseconds of the window.
Json box_json(const PipelineBox& box, double from_s) {
  const auto us = [&](double seconds) { return std::llround((seconds - from_s) * 1e6); };
  Json json{box.stage,       us(box.start_s), us(box.end_s), static_cast<int>(kind_of(box)),
            box.micro_batch, box.chunk};
  if (box.transfer) json.push_back(transfer_name(box.label));
  return json;
}

Json pipeline_json(const PipelinePicture& picture) {
  Json windows = Json::array();
  for (const PipelineWindow& window : picture.windows) {
    Json boxes = Json::array();
    for (const PipelineBox& box : window.boxes) boxes.push_back(box_json(box, window.from_s));
    windows.push_back({{"name", window.name},
                       {"from_s", window.from_s},
                       {"to_s", window.to_s},
                       {"boxes", std::move(boxes)}});
  }
  return {{"stages", picture.stages},
          {"chunks", picture.chunks},
          {"all_boxes", picture.all},
          {"windows", std::move(windows)}};
}

/// [host, place in the host, rank, tp, cp, dp, pp] by rank.
Json placement_json(const SimulatedStep& simulated) {
  const std::vector<Host>& hosts = simulated.cluster.hosts();
  std::vector<int> host_of(static_cast<std::size_t>(simulated.cluster.spec().gpus()), 0);
  int most = 0;
  Json names = Json::array();
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    names.push_back(hosts[host].name);
    most = std::max(most, hosts[host].gpus);
    std::fill_n(host_of.begin() + hosts[host].first_gpu, hosts[host].gpus, static_cast<int>(host));
  }
  Json ranks = Json::array();
  for (int rank = 0; rank < std::min(simulated.grid.ranks(), kMostGpus); ++rank) {
    const int gpu = simulated.placement.gpu(rank);
    const int host = host_of[static_cast<std::size_t>(gpu)];
    const RankCoordinates at = simulated.grid.coordinates(rank);
    ranks.push_back({host, gpu - hosts[static_cast<std::size_t>(host)].first_gpu, rank, at.tp,
                     at.cp, at.dp, at.pp});
  }
  return {{"hosts", std::move(names)},
          {"gpus_of_host", most},
          {"ranks", std::move(ranks)},
          {"all_ranks", simulated.grid.ranks()}};
}

}  // namespace

Json run_page_data(const SimulatedStep& simulated, const Report& report, const Waterfall& fall) {
  const PipelinePicture picture = pipeline_picture(simulated.plan, simulated.timeline, kMostTasks);
  return {{"waterfall", waterfall_json(fall, report)},
          {"pipeline", pipeline_json(picture)},
          {"memory", memory_json(report)},
          {"memory_over_time", memory_over_time(simulated, picture)},
          {"power", energy_page_data(report.energy)},
          {"placement", placement_json(simulated)}};
}

}  // namespace simtrain
