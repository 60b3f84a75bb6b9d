#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/layers/layer_list.h"

namespace simtrain {
namespace {

std::string adapted_blocks() {
  std::vector<std::string_view> names;
  for (const BlockRow& row : block_rows()) {
    if (row.takes_adapters) names.push_back(name_of(row.kind));
  }
  return enumerated(names);
}

void check_target_modules(const LoraSpec& lora, const YamlNode& tree) {
  const std::string key = "lora.target_modules";
  require(!lora.target_modules.empty(), tree, key, "is empty; [linear_qkv] would do");
  for (const LoraModule module : lora.target_modules)
    require_once(lora.target_modules, module, tree, key);
}

/// The model has linear modules of the known kinds, and every one that is a target.
void check_adapted_model(const ModelSpec& model, const LoraSpec& lora, const YamlNode& tree) {
  require(model.mtp_num_layers == 0, tree, "lora",
          "is not modelled with multi-token prediction; mtp_num_layers 0 would do");
  bool attention = false;
  bool mlp = false;
  for (const LayerSpec& layer : layer_specs(model)) {
    for (const BlockKind block : layer.blocks) {
      require(row_of(block).takes_adapters, tree, "lora",
              "is not modelled in layers with {}; a model of {} would do", name_of(block),
              adapted_blocks());
      (block == BlockKind::mlp ? mlp : attention) = true;
    }
  }
  for (const LoraModule module : lora.target_modules) {
    const bool of_mlp = module == LoraModule::linear_fc1 || module == LoraModule::linear_fc2;
    require(of_mlp ? mlp : attention, tree, "lora.target_modules",
            "has {}, which no layer of the model has; {} would do", name_of(module),
            of_mlp ? "[linear_qkv, linear_proj]" : "[linear_fc1, linear_fc2]");
  }
}

void check_lora(const Recipe& recipe, const LoraSpec& lora, const YamlNode& tree) {
  check_target_modules(lora, tree);
  check_adapted_model(recipe.model, lora, tree);
  require(lora.rank % recipe.tp() == 0, tree, "lora.rank",
          "{} is not divided by TP {}, which shards adapters; {} would do", lora.rank, recipe.tp(),
          (lora.rank / recipe.tp() + 1) * recipe.tp());
  require(lora.rank <= recipe.model.hidden_size, tree, "lora.rank",
          "{} is more than the hidden size, {}; up to that would do", lora.rank,
          recipe.model.hidden_size);
  require(!recipe.overlap.defer_embedding_wgrad_compute, tree,
          "overlap.defer_embedding_wgrad_compute",
          "is true with lora, which trains no output layer; false would do");
}

void check_document_lengths(const PackedSequencesSpec& packed, const YamlNode& tree) {
  const bool listed = !packed.documents.empty();
  require(listed || packed.mean_document, tree, "packed_sequences",
          "has no documents; {mean_document: 200} would do");
  require(!listed || !packed.mean_document, tree, "packed_sequences.mean_document",
          "is given beside documents; one of them would do");
  if (!listed) return;
  double shares = 0;
  for (const DocumentsSpec& some : packed.documents) shares += some.share;
  require(std::abs(shares - 1) < 1e-6, tree, "packed_sequences.documents",
          "has shares that are {:g} together; 1 would do", shares);
}

void check_packed(const Recipe& recipe, const PackedSequencesSpec& packed, const YamlNode& tree) {
  check_document_lengths(packed, tree);
  const std::string key =
      packed.mean_document ? "packed_sequences.mean_document" : "packed_sequences.documents";
  const auto fits = [&](std::int64_t length, std::string_view what) {
    require(packed.longest() <= static_cast<double>(length), tree, key,
            "has documents of {:g} tokens, longer than {}; up to {} would do", packed.longest(),
            what, length);
  };
  fits(recipe.training.seq_length, "the sequence");
  for (const LayerSpec& layer : layer_specs(recipe.model)) {
    for (const BlockKind block : layer.blocks) {
      if (block == BlockKind::swa) fits(*recipe.model.window_size, "the window of attention");
      if (block == BlockKind::chunked_gqa)
        fits(*recipe.model.attention_chunk_size, "a chunk of attention");
      require(row_of(block).packs_documents, tree, "packed_sequences",
              "is not modelled in layers with {}; a model without them would do", name_of(block));
    }
  }
  require(recipe.cp() == 1, tree, "parallelism.context_parallel_size",
          "is {} with packed_sequences, whose documents are not split; 1 would do", recipe.cp());
  require(recipe.software.attention.value != AttentionKernel::unfused, tree, "packed_sequences",
          "is of fused attention, which the software does not have; another software would do");
  require(recipe.attention() != AttentionKernel::unfused, tree, "packed_sequences",
          "is of fused attention, which takes no tensors of precision {}; bf16 would do",
          name_of(recipe.training.precision));
}

}  // namespace

void check_fine_tuning(const Recipe& recipe, const YamlNode& tree) {
  if (recipe.lora) check_lora(recipe, *recipe.lora, tree);
  if (recipe.packed_sequences) check_packed(recipe, *recipe.packed_sequences, tree);
}

}  // namespace simtrain
