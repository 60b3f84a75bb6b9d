#include "sim/import/terms/overlap_table.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/terms/key_table.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/fields/software_fields.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {
namespace {

constexpr std::string_view kFamily = "hardware/tp_overlap";

/// A GEMM of Transformer Engine's tables, by its name there.
struct OverlapRow {
  std::string_view gemm;
  TpOverlapEntry TpOverlapTable::*entry;
};
constexpr std::array<OverlapRow, 6> kEntries{{{"qkv_dgrad", &TpOverlapTable::qkv_dgrad},
                                              {"qkv_wgrad", &TpOverlapTable::qkv_wgrad},
                                              {"fc1_dgrad", &TpOverlapTable::fc1_dgrad},
                                              {"fc1_wgrad", &TpOverlapTable::fc1_wgrad},
                                              {"proj_fprop", &TpOverlapTable::proj_fprop},
                                              {"fc2_fprop", &TpOverlapTable::fc2_fprop}}};

bool is_true(const YamlNode& node) {
  return node.text == "true" || node.text == "True" || node.text == "1";
}

/// A GEMM's entry as Transformer Engine takes it: method, num_sm, num_splits, set_sm_margin. What
/// is left out there, but for the method, is not compared.
bool same_entry(const YamlNode& given, const TpOverlapEntry& known, const std::string& key) {
  const YamlNode* method = given.find("method");
  const YamlNode* sms = given.find("num_sm");
  const YamlNode* splits = given.find("num_splits");
  const YamlNode* margin = given.find("set_sm_margin");
  constexpr Limits kSmall{0, 1000};
  if (method == nullptr || scalar_text(*method, key + ".method") != name_of(known.method))
    return false;
  if (known.method == TpOverlapMethod::ring_exchange) return true;  // its SMs only poll
  if (sms != nullptr && scalar_integer(*sms, key + ".num_sm", kSmall) != known.sms) return false;
  if (splits != nullptr && known.method == TpOverlapMethod::pipeline &&
      scalar_integer(*splits, key + ".num_splits", kSmall) != known.splits)
    return false;
  return margin == nullptr || is_true(*margin) == known.set_sm_margin;
}

bool same_table(const YamlNode& given, const TpOverlapTable& known, const std::string& key) {
  return std::all_of(kEntries.begin(), kEntries.end(), [&](const OverlapRow& row) {
    const YamlNode* entry = given.find(row.gemm);
    return entry != nullptr &&
           same_entry(*entry, known.*row.entry, key + "." + std::string(row.gemm));
  });
}

/// userbuffers_bf16_h100_h8192_tp4_mbs1_seqlen8192 of NeMo 2 -> h100-h8192-tp4-bf16, as of
/// ub_cfg_h100_h8192_tp4_mbs1_seqlen4096 of NeMo 1 where BF16 is trained; others as they are.
std::string table_name(const std::string& word, const std::string& precision) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= word.size()) {
    const std::size_t end = std::min(word.find('_', begin), word.size());
    parts.push_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 5) return word;
  if (parts[0] == "ub" && parts[1] == "cfg")
    return fmt::format("{}-{}-{}-{}", parts[2], parts[3], parts[4], precision);
  if (parts[0] != "userbuffers") return word;
  return fmt::format("{}-{}-{}-{}", parts[2], parts[3], parts[4], parts[1]);
}

YamlNode plain_node(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

YamlNode entry_node(const TpOverlapEntry& entry) {
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.entries.push_back({"method", {}, plain_node(std::string(name_of(entry.method)))});
  map.entries.push_back({"num_sm", {}, plain_node(std::to_string(entry.sms))});
  if (entry.method == TpOverlapMethod::pipeline)
    map.entries.push_back({"num_splits", {}, plain_node(std::to_string(entry.splits))});
  map.entries.push_back({"set_sm_margin", {}, plain_node(entry.set_sm_margin ? "1" : "0")});
  return map;
}

}  // namespace

YamlNode overlap_configuration(const TpOverlapTable& table) {
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  for (const OverlapRow& row : kEntries)
    map.entries.push_back({std::string(row.gemm), {}, entry_node(table.*row.entry)});
  return map;
}

std::string overlap_table(const Given<YamlNode>& configuration, const std::string& precision,
                          const DataFolder& data) {
  const YamlNode& node = configuration.value;
  const std::string& origin = configuration.origin;
  const std::vector<std::string> names = data.names(kFamily);
  const YamlNode* target = node.find("_target_");
  if (node.kind == YamlNode::Kind::scalar || target != nullptr) {
    const std::string word =
        target != nullptr ? class_name(scalar_text(*target, origin)) : scalar_text(node, origin);
    std::string name = table_name(std::filesystem::path(word).stem().string(), precision);
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  } else {
    for (const std::string& name : names) {
      const auto table = data.load<TpOverlapTable>(kFamily, name, node.place, origin);
      if (same_table(node, table, origin)) return name;
    }
  }
  throw InputError(node.place, origin,
                   fmt::format("is no table of hardware/tp_overlap; add one, or --set "
                               "overlap.tp_comm_overlap_table=NAME takes one of {}",
                               fmt::join(names, ", ")));
}

void settle_tp_overlap(RecipeTerms& terms) {
  if (!holds(terms.tp_comm_overlap)) return;
  const WholeTerm& tp = terms.tensor_model_parallel_size;
  if (tp && tp->value > 1 && holds(terms.sequence_parallel)) return;
  terms.tp_comm_overlap->value = false;
  terms.tp_comm_overlap->origin += ", which is switched off without TP and sequence parallelism";
}

}  // namespace simtrain
