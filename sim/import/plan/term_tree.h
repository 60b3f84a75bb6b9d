#pragma once

#include <span>
#include <string_view>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Terms as a tree of the keys that a format's table has for them: the inverse of `read_recipe`. Of
/// rows of one term the first is written, and those of `also`; terms without a row are left out.
YamlNode term_tree(const RecipeTerms& terms, std::span<const KeyRow> rows,
                   std::span<const std::string_view> also = {});

/// A scalar that no file holds.
YamlNode written_node(std::string text);

/// Makes a list of the words of the scalar at a dotted key ("core_attn,moe"), where there is one.
void write_as_list(YamlNode& tree, std::string_view key);

/// The tree behind the lines of a comment, as a YAML file.
std::string written_yaml(const YamlNode& tree, const std::string& comment);

}  // namespace simtrain
