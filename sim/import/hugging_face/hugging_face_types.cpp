#include "sim/import/hugging_face/hugging_face_types.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

using enum TypeExperts;

constexpr std::array kHuggingFaceTypes{
    HuggingFaceType{.name = "llama"},
    HuggingFaceType{.name = "mistral", .grouped = true, .window = TypeWindow::all},
    HuggingFaceType{
        .name = "qwen2", .grouped = true, .qkv_bias = true, .window = TypeWindow::switched},
    HuggingFaceType{.name = "qwen3",
                    .head_dim = 128,
                    .grouped = true,
                    .qk_norm = true,
                    .window = TypeWindow::switched},
    HuggingFaceType{.name = "qwen3_vl_text", .head_dim = 128, .grouped = true, .qk_norm = true},
    HuggingFaceType{.name = "qwen3_vl_moe_text",
                    .head_dim = 128,
                    .grouped = true,
                    .qk_norm = true,
                    .experts = all},
    HuggingFaceType{.name = "olmo2", .qk_norm = true},  // one norm of all heads, of the same bytes
    HuggingFaceType{.name = "phi3", .window = TypeWindow::all},
    HuggingFaceType{.name = "granite"},
    HuggingFaceType{
        .name = "nemotron", .normalization = "layernorm1p", .activation = "relu2", .rotary = 0.5},
    HuggingFaceType{.name = "nemotron_h",
                    .activation = "relu2",
                    .rotary = 0,
                    .head_dim = 128,
                    .grouped = true,
                    .experts = some},
    HuggingFaceType{.name = "mixtral", .grouped = true, .experts = all, .window = TypeWindow::all},
    HuggingFaceType{.name = "qwen2_moe",
                    .grouped = true,
                    .qkv_bias = true,
                    .experts = all,
                    .window = TypeWindow::switched},
    HuggingFaceType{.name = "qwen3_moe",
                    .grouped = true,
                    .qk_norm = true,
                    .experts = all,
                    .window = TypeWindow::switched},
    HuggingFaceType{.name = "qwen3_next",
                    .rotary = 0.25,
                    .head_dim = 256,
                    .grouped = true,
                    .qk_norm = true,
                    .delta = true,
                    .experts = all},
    HuggingFaceType{.name = "qwen3_5_text",
                    .rotary = 0.25,
                    .head_dim = 256,
                    .grouped = true,
                    .qk_norm = true,
                    .delta = true},
    HuggingFaceType{.name = "qwen3_5_moe_text",
                    .rotary = 0.25,
                    .head_dim = 256,
                    .grouped = true,
                    .qk_norm = true,
                    .delta = true,
                    .experts = all},
    HuggingFaceType{
        .name = "dbrx", .normalization = "layernorm1p", .grouped = true, .experts = all},
    HuggingFaceType{.name = "grok-1", .grouped = true, .experts = all},  // GEGLU, of the same shape
    HuggingFaceType{.name = "llama4", .grouped = true, .experts = all},
    HuggingFaceType{.name = "llama4_text", .grouped = true, .experts = all},
    HuggingFaceType{
        .name = "deepseek_v2", .latent = true, .experts = all, .bias = TypeBias::latents},
    HuggingFaceType{
        .name = "deepseek_v3", .latent = true, .experts = all, .bias = TypeBias::latents},
    HuggingFaceType{.name = "deepseek_v32",
                    .latent = true,
                    .sparse = true,
                    .experts = all,
                    .bias = TypeBias::latents},
    HuggingFaceType{.name = "glm_moe_dsa",
                    .latent = true,
                    .sparse = true,
                    .experts = all,
                    .bias = TypeBias::latents},
    HuggingFaceType{
        .name = "glm4_moe_lite", .latent = true, .experts = all, .bias = TypeBias::latents},
    HuggingFaceType{.name = "kimi_k2", .latent = true, .experts = all, .bias = TypeBias::latents},
    HuggingFaceType{.name = "glm4_moe",
                    .rotary = 0.5,
                    .grouped = true,
                    .experts = all,
                    .bias = TypeBias::queries_to_values},
    HuggingFaceType{
        .name = "minimax_m2", .rotary = 0.5, .head_dim = 128, .grouped = true, .experts = all},
    HuggingFaceType{.name = "gpt_oss",
                    .head_dim = 64,
                    .grouped = true,
                    .sinks = true,
                    .clamp = 7,
                    .experts = all,
                    .window = TypeWindow::patterned,
                    .bias = TypeBias::all},
    HuggingFaceType{.name = "qwen2_vl", .grouped = true, .qkv_bias = true},
    HuggingFaceType{.name = "qwen2_5_vl", .grouped = true, .qkv_bias = true},
    HuggingFaceType{.name = "qwen2_5_vl_text", .grouped = true, .qkv_bias = true},
    HuggingFaceType{.name = "qwen", .qkv_bias = true, .halved_ffn = true},
    HuggingFaceType{.name = "ministral", .grouped = true, .window = TypeWindow::all},
    HuggingFaceType{.name = "ministral3", .grouped = true, .window = TypeWindow::all},
    HuggingFaceType{.name = "mimo", .grouped = true, .bias = TypeBias::queries_to_values},
    HuggingFaceType{.name = "apertus", .activation = "relu2", .grouped = true, .qk_norm = true},
    HuggingFaceType{.name = "arcee", .activation = "relu2", .grouped = true},
    HuggingFaceType{.name = "baichuan"},
    HuggingFaceType{.name = "internlm"},
    HuggingFaceType{.name = "internlm2"},
    HuggingFaceType{.name = "internlm3"},
    HuggingFaceType{.name = "aquila"},
    HuggingFaceType{.name = "xverse"},
    HuggingFaceType{.name = "minicpm", .tied = true},
    HuggingFaceType{.name = "smollm3", .grouped = true, .tied = true},
    HuggingFaceType{.name = "seed_oss", .grouped = true, .bias = TypeBias::queries_to_values},
    HuggingFaceType{.name = "ernie4_5", .grouped = true, .tied = true},
    HuggingFaceType{.name = "ernie4_5_moe", .grouped = true, .experts = all, .tied = true},
    HuggingFaceType{.name = "bailing_moe", .grouped = true, .experts = all},
    HuggingFaceType{.name = "bailing_moe_v2",
                    .head_dim = 128,
                    .grouped = true,
                    .qk_norm = true,
                    .experts = all},
    HuggingFaceType{.name = "exaone"},
    HuggingFaceType{.name = "exaone4", .qk_norm = true, .window = TypeWindow::patterned},
    HuggingFaceType{.name = "olmo", .normalization = "layernorm1p"},
    HuggingFaceType{
        .name = "olmo3", .qk_norm = true, .window = TypeWindow::patterned, .full_every = 4},
    HuggingFaceType{.name = "olmoe", .qk_norm = true, .experts = all},
    HuggingFaceType{.name = "granitemoe", .grouped = true, .experts = all, .tied = true},
    HuggingFaceType{.name = "stablelm", .normalization = "layernorm1p", .rotary = 0.25},
    HuggingFaceType{
        .name = "cohere", .normalization = "layernorm1p", .tied = true, .parallel = true},
    HuggingFaceType{.name = "cohere2",
                    .normalization = "layernorm1p",
                    .window = TypeWindow::patterned,
                    .tied = true,
                    .parallel = true,
                    .full_every = 4},
    HuggingFaceType{.name = "chatglm", .rotary = 0.5, .grouped = true, .qkv_bias = true},
    HuggingFaceType{.name = "glm",
                    .rotary = 0.5,
                    .head_dim = 128,
                    .grouped = true,
                    .bias = TypeBias::queries_to_values},
    HuggingFaceType{.name = "glm4",
                    .rotary = 0.5,
                    .head_dim = 128,
                    .grouped = true,
                    .bias = TypeBias::queries_to_values,
                    .post_norms = true},
    HuggingFaceType{.name = "deepseek", .grouped = true, .experts = all},
    HuggingFaceType{.name = "dots1", .grouped = true, .qk_norm = true, .experts = all},
    HuggingFaceType{.name = "phimoe",
                    .normalization = "layernorm1p",
                    .grouped = true,
                    .experts = all,
                    .bias = TypeBias::queries_to_output},
    HuggingFaceType{.name = "gemma",
                    .activation = "gelu",
                    .head_dim = 256,
                    .grouped = true,
                    .gated_gelu = true,
                    .tied = true},
    HuggingFaceType{.name = "gemma2",
                    .activation = "gelu",
                    .head_dim = 256,
                    .grouped = true,
                    .window = TypeWindow::patterned,
                    .gated_gelu = true,
                    .tied = true,
                    .post_norms = true},
    HuggingFaceType{.name = "gemma3_text",
                    .activation = "gelu",
                    .head_dim = 256,
                    .qk_norm = true,
                    .window = TypeWindow::patterned,
                    .gated_gelu = true,
                    .tied = true,
                    .post_norms = true,
                    .full_every = 6,
                    .heads = 8,
                    .groups = 4,
                    .vocab_size = 262208},
    HuggingFaceType{.name = "phi",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0.5,
                    .bias = TypeBias::all,
                    .parallel = true},
    HuggingFaceType{.name = "gpt_neox",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0.25,
                    .bias = TypeBias::all},
    HuggingFaceType{.name = "gptj",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .bias = TypeBias::ffn,
                    .parallel = true,
                    .ffn_ratio = 4},
    HuggingFaceType{.name = "gpt2",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0,
                    .bias = TypeBias::all,
                    .tied = true,
                    .learned_positions = true,
                    .ffn_ratio = 4},
    HuggingFaceType{.name = "gpt_bigcode",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0,
                    .bias = TypeBias::all,
                    .tied = true,
                    .learned_positions = true,
                    .ffn_ratio = 4},
    HuggingFaceType{.name = "starcoder2",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .grouped = true,
                    .window = TypeWindow::all,
                    .tied = true},
    HuggingFaceType{.name = "bloom",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0,
                    .bias = TypeBias::all,
                    .tied = true,
                    .ffn_ratio = 4},
    HuggingFaceType{.name = "opt",
                    .normalization = "layernorm1p",
                    .activation = "relu",
                    .rotary = 0,
                    .bias = TypeBias::all,
                    .tied = true,
                    .learned_positions = true},
    HuggingFaceType{.name = "mpt",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .rotary = 0,
                    .tied = true,
                    .ffn_ratio = 4},
    HuggingFaceType{.name = "falcon",
                    .normalization = "layernorm1p",
                    .activation = "gelu",
                    .tied = true,
                    .ffn_ratio = 4}};

/// Types that are well known and cannot be stated, and why.
struct Unmodelled {
  std::string_view name;
  std::string_view what;
};

constexpr std::string_view kEncoder = "an encoder";
constexpr std::string_view kMambaBeside = "Mamba and attention side by side in a layer";
constexpr std::string_view kFirstMamba = "Mamba of the first kind";

constexpr std::array kUnmodelled{
    Unmodelled{"kimi_linear", "linear attention (Kimi delta attention)"},
    Unmodelled{"minimax", "linear attention (lightning attention)"},
    Unmodelled{"minimax_text_01", "linear attention (lightning attention)"},
    Unmodelled{"falcon_h1", kMambaBeside},
    Unmodelled{"hymba", kMambaBeside},
    Unmodelled{"granitemoehybrid", "an FFN behind each Mamba block of a layer"},
    Unmodelled{"bamba", "an FFN behind each Mamba block of a layer"},
    Unmodelled{"zamba2", "blocks of attention that layers share"},
    Unmodelled{"jamba", kFirstMamba},
    Unmodelled{"mamba", kFirstMamba},
    Unmodelled{"falcon_mamba", kFirstMamba},
    Unmodelled{"recurrent_gemma", "recurrent blocks (RG-LRU)"},
    Unmodelled{"rwkv", "recurrent blocks (RWKV)"},
    Unmodelled{"gemma3n_text", "embeddings of each layer and layers of several widths"},
    Unmodelled{"nemotron-nas", "layers that are not alike in their FFN"},
    Unmodelled{"phi3small", "block-sparse attention"},
    Unmodelled{"mllama_text_model", "attention to pictures"},
    Unmodelled{"t5", kEncoder},
    Unmodelled{"mt5", kEncoder},
    Unmodelled{"bart", kEncoder},
    Unmodelled{"bert", kEncoder},
    Unmodelled{"roberta", kEncoder},
    Unmodelled{"whisper", kEncoder}};

}  // namespace

std::span<const HuggingFaceType> hugging_face_types() { return kHuggingFaceTypes; }

const HuggingFaceType& hugging_face_type(const YamlNode& config, const std::string& path) {
  const YamlNode* given = config.find("model_type");
  if (given == nullptr || given->kind == YamlNode::Kind::null)
    throw InputError({path}, "model_type", "is missing; it names the architecture");
  const std::string name = scalar_text(*given, "model_type");
  std::vector<std::string_view> known;
  known.reserve(kHuggingFaceTypes.size());
  for (const HuggingFaceType& type : kHuggingFaceTypes) {
    if (type.name == name) return type;
    known.push_back(type.name);
  }
  for (const Unmodelled& type : kUnmodelled) {
    if (type.name == name)
      throw InputError(given->place, "model_type",
                       fmt::format("'{}' has {}, which is not modelled", type.name, type.what));
  }
  throw InputError(given->place, "model_type",
                   fmt::format("'{}' is not known here; known are {}; a file for scenarios/models "
                               "can be written by hand",
                               plain_text(name.substr(0, 80)), fmt::join(known, ", ")));
}

}  // namespace simtrain
