#include "sim/import/model/hugging_face_types.h"

#include <array>

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
    HuggingFaceType{
        .name = "dbrx", .normalization = "layernorm1p", .grouped = true, .experts = all},
    HuggingFaceType{.name = "grok-1", .grouped = true, .experts = all},  // GEGLU, of the same shape
    HuggingFaceType{.name = "llama4", .grouped = true, .experts = all},
    HuggingFaceType{.name = "llama4_text", .grouped = true, .experts = all},
    HuggingFaceType{
        .name = "deepseek_v2", .latent = true, .experts = all, .bias = TypeBias::latents},
    HuggingFaceType{
        .name = "deepseek_v3", .latent = true, .experts = all, .bias = TypeBias::latents},
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
                    .experts = all,
                    .window = TypeWindow::alternating,
                    .bias = TypeBias::all}};

}  // namespace

std::span<const HuggingFaceType> hugging_face_types() { return kHuggingFaceTypes; }

}  // namespace simtrain
