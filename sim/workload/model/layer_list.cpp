#include "sim/workload/model/layer_list.h"

#include <algorithm>

#include "sim/workload/model/blocks/block.h"

namespace simtrain {

LayerList::LayerList(const ModelSpec& model, const HighLayers& high, bool first_apart, int again) {
  const auto last = static_cast<int>(listed_layers(model)) - high.last;
  const auto add_alike = [&](const std::vector<BlockKind>& blocks, int layers, bool high_ones) {
    const int first = first_apart && runs_.empty() ? std::min(1, layers) : 0;
    if (first > 0) add({blocks, first, high_ones, true}, again);
    if (layers > first || layers == 0) add({blocks, layers - first, high_ones}, again);
  };
  // Cut where layers begin and end to take part.
  const auto add_run = [&](const std::vector<BlockKind>& blocks, int layers) {
    const int begin = runs_.empty() ? 0 : runs_.back().end;
    const int end = begin + layers;
    const int low = std::clamp(high.first, begin, end);
    const int up = std::clamp(last, low, end);
    if (low > begin) add_alike(blocks, low - begin, true);
    if (up > low || layers == 0) add_alike(blocks, up - low, false);
    if (end > up) add_alike(blocks, end - up, true);
  };
  for (const LayerSpec& spec : layer_specs(model)) add_run(spec.blocks, spec.repeat);
}

/// Cut where layers that are computed again begin and end.
void LayerList::add(LayerKind kind, int again) {
  if (again == 1 || kind.layers == 0) return add(kind);
  for (int left = kind.layers; left > 0; left -= kind.layers) {
    const int begin = runs_.empty() ? 0 : runs_.back().end;
    const int before = again - 1 - begin % again;
    kind.kept = before > 0;
    kind.layers = std::min(left, std::max(1, before));
    add(kind);
  }
}

void LayerList::add(const LayerKind& kind) {
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const LayerKind& other) {
    return other.blocks == kind.blocks && other.high == kind.high && other.first == kind.first &&
           other.kept == kind.kept;
  });
  const auto number = static_cast<int>(known - kinds_.begin());
  runs_.push_back({(runs_.empty() ? 0 : runs_.back().end) + kind.layers, number});
  if (known == kinds_.end()) return kinds_.push_back(kind);
  known->layers += kind.layers;
}

int LayerList::kind_of(int layer) const {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), layer,
                                    [](int at, const Run& one) { return at < one.end; });
  return run == runs_.end() ? runs_.back().kind : run->kind;
}

std::vector<LayerSpec> layer_specs(const ModelSpec& model) {
  if (model.layers) return *model.layers;
  if (!model.hybrid_override_pattern) return {{kUsualLayer, model.num_layers, {}}};
  std::vector<LayerSpec> specs;
  specs.reserve(model.hybrid_override_pattern->size());
  for (const char letter : *model.hybrid_override_pattern) {
    if (const BlockRow* row = row_of_letter(letter)) specs.push_back({{row->kind}, 1, {}});
  }
  return specs;
}

std::int64_t listed_layers(const ModelSpec& model) {
  std::int64_t layers = 0;
  for (const LayerSpec& spec : layer_specs(model)) layers += spec.repeat;
  return layers;
}

}  // namespace simtrain
