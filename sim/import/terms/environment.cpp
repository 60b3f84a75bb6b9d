#include "sim/import/terms/environment.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

enum class Form { flag, count, bytes, algorithms, protocols };

struct Variable {
  std::string_view name;
  std::string_view key;
  Form form;
};
constexpr std::array<Variable, 11> kVariables{
    {{"CUDA_LAUNCH_BLOCKING", "cuda_launch_blocking", Form::flag},
     {"NCCL_NVLS_ENABLE", "nccl.nvls", Form::flag},
     {"NCCL_COLLNET_ENABLE", "nccl.collnet", Form::flag},
     {"NCCL_ALGO", "nccl.algo", Form::algorithms},
     {"NCCL_PROTO", "nccl.proto", Form::protocols},
     {"NCCL_MIN_NCHANNELS", "nccl.min_channels", Form::count},
     {"NCCL_MIN_CTAS", "nccl.min_channels", Form::count},
     {"NCCL_MAX_NCHANNELS", "nccl.max_channels", Form::count},
     {"NCCL_MAX_CTAS", "nccl.max_channels", Form::count},
     {"NCCL_P2P_NET_CHUNKSIZE", "nccl.p2p_net_chunk", Form::bytes},
     {"NCCL_NCHANNELS_PER_NET_PEER", "nccl.p2p_channels_per_peer", Form::count}}};

/// A variable, or all that start so, and why it is left aside.
struct LeftAside {
  std::string_view start;
  std::string_view why;
};
constexpr std::array<LeftAside, 9> kLeftAside{
    {{"CUDA_DEVICE_MAX_CONNECTIONS", "the order of kernels that Megatron asks for is simulated"},
     {"NVTE_FWD_LAYERNORM_SM_MARGIN", "SMs that norms leave free are not modelled"},
     {"NVTE_BWD_LAYERNORM_SM_MARGIN", "SMs that norms leave free are not modelled"},
     {"NVTE_CUTEDSL_FUSED_GROUPED_MLP",
      "experts are fused as use_transformer_engine_op_fuser says"},
     {"NVTE_", "of the software stack (--software), which has its own"},
     {"CUBLAS_", "of the software stack (--software), which has its own"},
     {"NCCL_IB_", "the fabric is simulated as the cluster's file has it"},
     {"NCCL_", "a setting of NCCL that is not modelled"},
     {"PYTORCH_", "the framework's allocator is as the software's file has it"}}};

/// NCCL's name without case and dashes: NVLSTree and nvls-tree are one.
std::string bare(std::string text) {
  std::erase_if(text, [](char c) { return c == '-' || c == '_'; });
  return lower_case(std::move(text));
}

/// "Ring,Tree" as a list of our names; "^NVLS" as all but it.
std::string names_in(const std::string& text, const std::vector<std::string_view>& known,
                     const YamlNode& node, const std::string& name) {
  const bool but = text.starts_with('^');
  std::vector<bool> chosen(known.size(), but);
  for (const std::string_view part : split(std::string_view(text).substr(but ? 1 : 0), ',')) {
    std::string word = bare(std::string(part));
    if (word.starts_with('^')) word.erase(0, 1);
    std::size_t at = 0;
    while (at < known.size() && bare(std::string(known[at])) != word) ++at;
    if (at == known.size()) {
      throw InputError(
          node.place, name,
          fmt::format("'{}' holds a word that is not known here", plain_text(text.substr(0, 80))));
    }
    chosen[at] = !but;
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (chosen[i]) names.push_back(known[i]);
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// What NCCL_ALGO knows.
std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  names.reserve(nccl_algorithms().size());
  for (const NcclAlgorithm& row : nccl_algorithms()) names.push_back(name_of(row.algorithm));
  return names;
}

/// What NCCL_PROTO knows.
std::vector<std::string_view> protocol_names() {
  std::vector<std::string_view> names;
  names.reserve(kNcclProtocols.size());
  for (const Protocol protocol : kNcclProtocols) names.push_back(name_of(protocol));
  return names;
}

std::string value_of(const Variable& variable, const YamlNode& node) {
  const std::string name(variable.name);
  switch (variable.form) {
    case Form::flag:
      return scalar_integer(node, name, Limits{0, 2}) == 0 ? "false" : "true";
    case Form::count:
      return std::to_string(scalar_integer(node, name, Limits{1, 64}));
    case Form::bytes:
      return fmt::format("{} B", scalar_integer(node, name, Limits{1, 1e12}));
    case Form::algorithms:
      return names_in(scalar_text(node, name), algorithm_names(), node, name);
    case Form::protocols:
      return names_in(scalar_text(node, name), protocol_names(), node, name);
  }
  return "";
}

/// A setting as NCCL reads it: `false` is 0, `512 KiB` a number of bytes, [ring, tree] ring,tree.
std::string variable_text(const Variable& variable, const YamlNode& value) {
  const std::string key(variable.key);
  if (variable.form == Form::flag) return scalar_bool(value, key) ? "1" : "0";
  if (variable.form == Form::bytes) {
    Bytes bytes;
    scalar_quantity(value, key, bytes);
    return fmt::format("{}", bytes.value());
  }
  if (value.kind != YamlNode::Kind::list) return scalar_text(value, key);
  std::vector<std::string> words;
  words.reserve(value.items.size());
  for (const YamlNode& item : value.items) words.push_back(scalar_text(item, key));
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> variables_of(const YamlNode& scenario) {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string_view known;  // of the names of one setting the first
  for (const Variable& variable : kVariables) {
    const YamlNode* value = find_yaml_value(scenario, variable.key);
    if (value == nullptr || variable.key == known) continue;
    known = variable.key;
    variables.emplace_back(std::string(variable.name), variable_text(variable, *value));
  }
  return variables;
}

bool is_environment(std::string_view name) {
  constexpr std::array<std::string_view, 6> kStarts{"NCCL_", "NVTE_",        "CUDA_",
                                                    "TORCH", "PYTORCH_CUDA", "CUBLAS_"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

void read_variable(const std::string& name, const YamlNode& value, RecipeReading& reading) {
  const auto variable = std::find_if(kVariables.begin(), kVariables.end(),
                                     [&](const Variable& row) { return row.name == name; });
  if (variable != kVariables.end() && value.text.find('$') != std::string::npos) {
    ++reading.left_out["a setting of NCCL that only a run knows"][name];
    return;
  }
  if (variable != kVariables.end()) {
    ++reading.taken;
    reading.settings.push_back({std::string(variable->key), value_of(*variable, value), name});
    return;
  }
  if (name == "NVTE_ALLOW_NONDETERMINISTIC_ALGO" && value.text == "0") {
    ++reading.left_out[std::string(kDeterministic.why)][name];
    return;
  }
  const auto row = std::find_if(kLeftAside.begin(), kLeftAside.end(),
                                [&](const LeftAside& one) { return name.starts_with(one.start); });
  const std::string_view why =
      row == kLeftAside.end() ? "a variable that has no part in what is simulated" : row->why;
  ++reading.ignored[std::string(why)][name];
}

}  // namespace simtrain
