#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"

namespace simtrain {

/// Linear modules that adapters may be added to, in Megatron's words.
enum class LoraModule { linear_qkv, linear_proj, linear_fc1, linear_fc2 };

template <>
struct EnumNames<LoraModule> {
  static constexpr std::array rows{
      std::pair{std::string_view("linear_qkv"), LoraModule::linear_qkv},
      std::pair{std::string_view("linear_proj"), LoraModule::linear_proj},
      std::pair{std::string_view("linear_fc1"), LoraModule::linear_fc1},
      std::pair{std::string_view("linear_fc2"), LoraModule::linear_fc2}};
};

/// Fine-tuning of low-rank adapters (LoRA): all weights of the model are frozen, and beside each
/// target module of `outputs` x `inputs` weights two products of `rank` columns are trained.
struct LoraSpec {
  int rank = 0;
  std::vector<LoraModule> target_modules{LoraModule::linear_qkv, LoraModule::linear_proj,
                                         LoraModule::linear_fc1, LoraModule::linear_fc2};

  [[nodiscard]] bool targets(LoraModule module) const {
    return std::find(target_modules.begin(), target_modules.end(), module) != target_modules.end();
  }
};
template <>
struct Fields<LoraSpec>;

/// Documents of one length among those of a data set.
struct DocumentsSpec {
  double length = 0;  ///< tokens
  double share = 0;   ///< of the number of documents
};
template <>
struct Fields<DocumentsSpec>;

/// Sequences that are packed with documents, each of which attends to itself alone: documents that
/// are all of the mean length, or of several lengths.
struct PackedSequencesSpec {
  std::optional<double> mean_document;
  std::vector<DocumentsSpec> documents{};

  /// Tokens of the mean document.
  [[nodiscard]] double mean() const { return moment(1); }
  /// Length of the document of the mean token: the sum of squared lengths over that of lengths.
  [[nodiscard]] double mean_of_tokens() const { return moment(2) / moment(1); }
  [[nodiscard]] double longest() const {
    double longest = mean_document.value_or(0);
    for (const DocumentsSpec& some : documents) longest = std::max(longest, some.length);
    return longest;
  }

 private:
  [[nodiscard]] double moment(int power) const {
    const auto raised = [&](double length) { return power == 1 ? length : length * length; };
    if (mean_document) return raised(*mean_document);
    double sum = 0;
    for (const DocumentsSpec& some : documents) sum += some.share * raised(some.length);
    return sum;
  }
};
template <>
struct Fields<PackedSequencesSpec>;

}  // namespace simtrain
