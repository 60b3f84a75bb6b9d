#pragma once

#include <string>
#include <string_view>

#include "sim/core/files/data_folder.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {

/// The name of the table of hardware/tp_overlap that a recipe's user-buffer configuration is: by
/// its entries, or by the name of a table (a file, or NeMo's
/// userbuffers_bf16_h100_h8192_tp4_mbs1_seqlen8192; `precision` is for names without one). Throws
/// InputError where there is none.
std::string overlap_table(const Given<YamlNode>& configuration, const std::string& precision,
                          const DataFolder& data);

/// Such a configuration: the entries of a table as Transformer Engine takes them.
YamlNode overlap_configuration(const TpOverlapTable& table);

/// NeMo 2 and Megatron-Bridge switch the overlap of tensor parallelism off, with a warning, where
/// there is none or no sequence parallelism.
void settle_tp_overlap(RecipeTerms& terms);

}  // namespace simtrain
