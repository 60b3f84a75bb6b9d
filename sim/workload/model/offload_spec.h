#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"

namespace simtrain {

/// Modules of a layer whose inputs may be kept on the host: Megatron core's `offload_modules`.
enum class OffloadModule {
  attn_norm,
  qkv_linear,
  core_attn,
  attn_proj,
  mlp_norm,
  expert_fc1,
  moe_act
};

template <>
struct EnumNames<OffloadModule> {
  static constexpr std::array rows{
      std::pair{std::string_view("attn_norm"), OffloadModule::attn_norm},
      std::pair{std::string_view("qkv_linear"), OffloadModule::qkv_linear},
      std::pair{std::string_view("core_attn"), OffloadModule::core_attn},
      std::pair{std::string_view("attn_proj"), OffloadModule::attn_proj},
      std::pair{std::string_view("mlp_norm"), OffloadModule::mlp_norm},
      std::pair{std::string_view("expert_fc1"), OffloadModule::expert_fc1},
      std::pair{std::string_view("moe_act"), OffloadModule::moe_act}};
};

/// What is kept in the memory of hosts, in the words of Megatron core and, for parameters,
/// DeepSpeed.
struct OffloadSpec {
  /// Activations of the first layers, whole: Transformer Engine's `cpu_offload`.
  bool cpu_offloading = false;
  int cpu_offloading_num_layers = 0;
  /// Inputs of some modules, of all layers but the one whose backward follows at once.
  bool fine_grained_activation_offloading = false;
  std::vector<OffloadModule> offload_modules;
  /// A part of the optimizer's state, which the host's processors update.
  bool optimizer_cpu_offload = false;
  double optimizer_offload_fraction = 1;
  bool overlap_cpu_optimizer_d2h_h2d = false;
  /// Sharded parameters: a rank's shard comes from the host before each gather.
  bool offload_param = false;

  [[nodiscard]] bool activations() const {
    return cpu_offloading || fine_grained_activation_offloading;
  }
  [[nodiscard]] bool anything() const { return activations() || optimizer_cpu_offload; }
  /// Whether the inputs of a module go to the host by themselves.
  [[nodiscard]] bool takes(OffloadModule module) const {
    return fine_grained_activation_offloading &&
           std::find(offload_modules.begin(), offload_modules.end(), module) !=
               offload_modules.end();
  }
  /// Of the optimizer's state, the share on the host.
  [[nodiscard]] double optimizer_share() const {
    return optimizer_cpu_offload ? optimizer_offload_fraction : 0;
  }
  friend bool operator==(const OffloadSpec&, const OffloadSpec&) = default;
};
template <>
struct Fields<OffloadSpec>;

}  // namespace simtrain
