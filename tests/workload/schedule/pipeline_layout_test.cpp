#include "sim/workload/schedule/pipeline_layout.h"

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace simtrain::testing::pipeline_layout_test {

namespace {

/// Layers of each chunk; E and L mark the chunks with embedding and head.
std::string text_of(const std::vector<ChunkLayout>& chunks) {
  std::string text;
  for (const ChunkLayout& chunk : chunks) {
    text +=
        (chunk.embedding ? "E" : "") + std::to_string(chunk.layers) + (chunk.head ? "L" : "") + " ";
  }
  return text;
}

std::string refusal_of(const std::string& layout) {
  try {
    chunks_of_layout(layout);
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "";
}

}  // namespace

TEST_CASE("layouts of Megatron are read chunk by chunk") {
  CHECK(text_of(chunks_of_layout("EtL")) == "E1L ");
  CHECK(text_of(chunks_of_layout("Ett|ttt|tL")) == "E2 3 1L ");
  CHECK(text_of(chunks_of_layout("E|t*2||tL")) == "E0 2 0 1L ");
  // Megatron-Bridge 067f987df: Llama 3 70B and Kimi-K2 on H100.
  const auto llama = chunks_of_layout("Et*2|(t*2|)*34,t*3|(t*2|)*3,tL");
  CHECK(llama.size() == 40);
  int layers = 0;
  for (const ChunkLayout& chunk : llama) layers += chunk.layers;
  CHECK(layers == 80);
  CHECK(llama[35].layers == 3);
  CHECK(chunks_of_layout("Et|(tt|)*30L").size() == 32);
  const auto deepseek = chunks_of_layout("Et*4|(t*4|)*14tm*2L");
  CHECK(deepseek.size() == 16);
  CHECK(deepseek.back().layers == 1);
  CHECK(deepseek.back().mtp_layers == 2);
  CHECK(deepseek.front().mtp_layers == 0);
  CHECK(text_of(chunks_of_layout("E((t|)*2,t|)*2L")) == "E1 1 1 1 1 1 0L ");
}

TEST_CASE("a layout that cannot be is refused with the place") {
  CHECK(refusal_of("") == "the embedding E has to come first, once");
  CHECK(refusal_of("tEL") == "the embedding E has to come first, once");
  CHECK(refusal_of("EtLt") == "the loss L has to come last, once");
  CHECK(refusal_of("EEtL") == "the embedding E has to come first, once");
  CHECK(refusal_of("EtLL") == "the loss L has to come last, once");
  CHECK(refusal_of("Et*L").starts_with("character 4: a number"));
  CHECK(refusal_of("Et*0L").starts_with("character 4: a number"));
  CHECK(refusal_of("Et*99999999999999999999L").starts_with("character 4: a number"));
  CHECK(refusal_of("E(tL").starts_with("character 5: a ')' is missing"));
  CHECK(refusal_of("Et)L").starts_with("character 3: ')' closes nothing"));
  CHECK(refusal_of("Exxx").starts_with("character 2: E, t, m, L"));
  for (const char* text : {"Etm|L", "EmtL", "Emt|tmL"})
    CHECK(
        refusal_of(text).starts_with("'m', a layer of multi-token prediction, has to come right"));
  CHECK(refusal_of("E((t*999999)*999999)*999999L").find("more than 1000000") != std::string::npos);
  CHECK(refusal_of(std::string(100000, '(')).find("beyond reason") != std::string::npos);
}

}  // namespace simtrain::testing::pipeline_layout_test
