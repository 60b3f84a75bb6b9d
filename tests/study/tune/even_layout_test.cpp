// Layouts that deal a model over a pipeline as evenly as whole layers go.
#include "sim/study/tune/even_layout.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "sim/workload/schedule/pipeline_layout.h"

namespace simtrain::testing::even_layout_test {

namespace {

ModelSpec model_of(int layers, int depths) {
  ModelSpec model;
  model.num_layers = layers;
  model.mtp_num_layers = depths;
  return model;
}

}  // namespace

TEST_CASE("DeepSeek-V3 over 16 stages is four layers a stage, fewer beside embedding and loss") {
  CHECK(even_layout(model_of(61, 1), 16) == "Et*3|(t*4|)*13t*5|tmL");
  CHECK(even_layout(model_of(61, 0), 16) == "Et*3|(t*4|)*14t*2L");
  CHECK(even_layout(model_of(2, 0), 2) == "Et|tL");
}

TEST_CASE("no chunk has two layers more than another, and all layers are somewhere") {
  std::mt19937 random(29);
  for (int i = 0; i < 500; ++i) {
    const ModelSpec model =
        model_of(1 + static_cast<int>(random() % 120), static_cast<int>(random() % 3));
    const int chunks = 1 + static_cast<int>(random() % 64);
    CAPTURE(model.num_layers);
    CAPTURE(chunks);
    const std::string text = even_layout(model, chunks);
    if (text.empty()) {
      CHECK((chunks == 1 || chunks > model.num_layers / 2));
      continue;
    }
    const std::vector<ChunkLayout> layout = chunks_of_layout(text);
    REQUIRE(static_cast<int>(layout.size()) == chunks);
    CHECK(std::accumulate(layout.begin(), layout.end(), 0, [](int sum, const ChunkLayout& chunk) {
            return sum + chunk.layers;
          }) == model.num_layers);
    CHECK(layout.front().embedding);
    CHECK(layout.back().head);
    CHECK(layout.back().mtp_layers == model.mtp_num_layers);
    const auto [least, most] =
        std::minmax_element(layout.begin() + 1, layout.end() - 1,
                            [](const auto& a, const auto& b) { return a.layers < b.layers; });
    if (chunks > 2) CHECK(most->layers - least->layers <= 1);
    CHECK(layout.front().layers <= (chunks > 2 ? most->layers : model.num_layers));
  }
}

}  // namespace simtrain::testing::even_layout_test
