#include "sim/workload/model/layers/layer_list.h"

#include <algorithm>

#include "sim/workload/model/blocks/block.h"

namespace simtrain {
namespace {

/// The layers of a model as runs of layers with the same blocks, in order.
template <class Visit>
void for_each_run(const ModelSpec& model, const Visit& visit) {
  if (model.layers) {
    for (const LayerSpec& spec : *model.layers) visit(std::span(spec.blocks), spec.repeat);
  } else if (model.hybrid_override_pattern) {
    for (const char letter : *model.hybrid_override_pattern) {
      if (const BlockRow* row = row_of_letter(letter)) visit(std::span(&row->kind, 1), 1);
    }
  } else {
    visit(std::span(kUsualLayer), model.num_layers);
  }
}

}  // namespace

LayerList::LayerList(const ModelSpec& model, const HighLayers& high, bool first_apart, int again) {
  const auto last = static_cast<int>(listed_layers(model)) - high.last;
  const auto add_alike = [&](Blocks blocks, int layers, bool high_ones) {
    const int first = first_apart && runs_.empty() ? std::min(1, layers) : 0;
    if (first > 0) add(blocks, {first, high_ones, true}, again);
    if (layers > first || layers == 0) add(blocks, {layers - first, high_ones}, again);
  };
  // Cut where layers begin and end to take part.
  for_each_run(model, [&](Blocks blocks, int layers) {
    const int begin = runs_.empty() ? 0 : runs_.back().end;
    const int end = begin + layers;
    const int low = std::clamp(high.first, begin, end);
    const int up = std::clamp(last, low, end);
    if (low > begin) add_alike(blocks, low - begin, true);
    if (up > low || layers == 0) add_alike(blocks, up - low, false);
    if (end > up) add_alike(blocks, end - up, true);
  });
}

/// Cut where layers that are computed again begin and end.
void LayerList::add(Blocks blocks, Alike run, int again) {
  if (again == 1 || run.layers == 0) return add(blocks, run);
  for (int left = run.layers; left > 0; left -= run.layers) {
    const int begin = runs_.empty() ? 0 : runs_.back().end;
    const int before = again - 1 - begin % again;
    run.kept = before > 0;
    run.layers = std::min(left, std::max(1, before));
    add(blocks, run);
  }
}

void LayerList::add(Blocks blocks, const Alike& run) {
  const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const LayerKind& other) {
    return std::ranges::equal(other.blocks, blocks) && other.high == run.high &&
           other.first == run.first && other.kept == run.kept;
  });
  const auto number = static_cast<int>(known - kinds_.begin());
  runs_.push_back({(runs_.empty() ? 0 : runs_.back().end) + run.layers, number});
  if (known == kinds_.end())
    kinds_.push_back({{blocks.begin(), blocks.end()}, run.layers, run.high, run.first, run.kept});
  else
    known->layers += run.layers;
}

int LayerList::kind_of(int layer) const {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), layer,
                                    [](int at, const Run& one) { return at < one.end; });
  return run == runs_.end() ? runs_.back().kind : run->kind;
}

HighLayers high_layers(const Recipe& recipe) {
  return {recipe.training.num_layers_at_start_in_bf16, recipe.training.num_layers_at_end_in_bf16};
}

LayerList layers_of(const Recipe& recipe) {
  const int again = recipe.recompute == Recompute::full ? recipe.recompute_every_nth_layer : 1;
  return LayerList(recipe.model, high_layers(recipe), recipe.lora.has_value(), again);
}

bool recomputes_layer(const Recipe& recipe, const LayerKind& kind) {
  return recipe.recompute == Recompute::full && !kind.kept;
}

std::vector<LayerSpec> layer_specs(const ModelSpec& model) {
  if (model.layers) return *model.layers;
  std::vector<LayerSpec> specs;
  for_each_run(model, [&](std::span<const BlockKind> blocks, int layers) {
    specs.push_back({{blocks.begin(), blocks.end()}, layers, {}});
  });
  return specs;
}

std::int64_t listed_layers(const ModelSpec& model) {
  std::int64_t layers = 0;
  for_each_run(model, [&](std::span<const BlockKind> /*blocks*/, int run) { layers += run; });
  return layers;
}

}  // namespace simtrain
