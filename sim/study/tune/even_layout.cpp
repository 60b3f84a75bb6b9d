#include "sim/study/tune/even_layout.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Chunks of `layers` in Megatron's letters, those that are alike in one: `(t*4|)*13`.
std::string middle_text(const std::vector<int>& layers) {
  std::string text;
  for (auto run = layers.begin(); run != layers.end();) {
    const auto end = std::find_if(run, layers.end(), [&](int other) { return other != *run; });
    const std::string chunk = *run == 1 ? "t|" : fmt::format("t*{}|", *run);
    text += end - run == 1 ? chunk : fmt::format("({})*{}", chunk, end - run);
    run = end;
  }
  return text;
}

std::string layers_text(int layers) {
  return layers == 0 ? "" : layers == 1 ? "t" : fmt::format("t*{}", layers);
}

}  // namespace

std::string even_layout(const ModelSpec& model, int chunks) {
  if (chunks < 2 || chunks - 2 > model.num_layers) return "";
  const auto count = static_cast<std::size_t>(chunks);
  std::vector<int> layers(count);
  std::vector<int> beside(count);
  beside.front() = 1;
  beside.back() = 1 + 2 * model.mtp_num_layers;
  for (int layer = 0; layer < model.num_layers; ++layer) {
    std::size_t least = 0;
    for (std::size_t chunk = 1; chunk < count; ++chunk) {
      const int less = layers[least] + beside[least] - layers[chunk] - beside[chunk];
      if (less > 0 || (less == 0 && chunk + 1 < count)) least = chunk;
    }
    ++layers[least];
  }
  const std::vector<int> middle(layers.begin() + 1, layers.end() - 1);
  if (std::find(middle.begin(), middle.end(), 0) != middle.end()) return "";
  return fmt::format("E{}|{}{}{}L", layers_text(layers.front()), middle_text(middle),
                     layers_text(layers.back()),
                     std::string(static_cast<std::size_t>(model.mtp_num_layers), 'm'));
}

}  // namespace simtrain
