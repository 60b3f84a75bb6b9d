#include "sim/workload/model/layer_list.h"

#include <algorithm>

#include "sim/workload/model/blocks/block.h"

namespace simtrain {

LayerList::LayerList(const ModelSpec& model, const HighLayers& high) {
  const auto last = static_cast<int>(listed_layers(model)) - high.last;
  // Cut where layers begin and end to take part.
  const auto add_run = [&](const std::vector<BlockKind>& blocks, int layers) {
    const int begin = runs_.empty() ? 0 : runs_.back().end;
    const int end = begin + layers;
    const int low = std::clamp(high.first, begin, end);
    const int up = std::clamp(last, low, end);
    if (low > begin) add(blocks, low - begin, true);
    if (up > low || layers == 0) add(blocks, up - low, false);
    if (end > up) add(blocks, end - up, true);
  };
  for (const LayerSpec& spec : layer_specs(model)) add_run(spec.blocks, spec.repeat);
}

void LayerList::add(const std::vector<BlockKind>& blocks, int layers, bool high) {
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const LayerKind& kind) {
    return kind.blocks == blocks && kind.high == high;
  });
  const auto number = static_cast<int>(known - kinds_.begin());
  if (known == kinds_.end()) kinds_.push_back({blocks, 0, high});
  kinds_[static_cast<std::size_t>(number)].layers += layers;
  runs_.push_back({(runs_.empty() ? 0 : runs_.back().end) + layers, number});
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
