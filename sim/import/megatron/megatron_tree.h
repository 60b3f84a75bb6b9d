#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/shell/shell_documents.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// How an override starts that leaves out a file that a script takes in: `~source NAME`.
inline constexpr std::string_view kWithoutFile = "~source ";

/// A scalar node.
YamlNode scalar_node(std::string text, const SourcePlace& place);

/// Collects Megatron's arguments by their names (argparse's `dest`) as a map of one level.
class MegatronArguments {
 public:
  /// Overrides are `NAME=VALUE` with Hydra's signs; `~NAME` takes an argument away. Throws
  /// InputError at anything else and where simtrain reads no argument of that name.
  MegatronArguments(const std::string& file, const RecipeRequest& request);

  /// An argument by its name. One given twice must have one value, unless an override settles it or
  /// its value does not matter; InputError otherwise.
  void add(const std::string& name, YamlNode value);

  /// An option by its name without dashes, with its value ("true" where it has none).
  void add_option(const std::string& option, YamlNode value);

  /// The same of an option that only a run gives or not: it must be given for sure elsewhere, or be
  /// settled by an override.
  void add_undecided(const std::string& option, YamlNode value);

  /// All of them with the overrides. Throws InputError where one to take away is not there or one
  /// stays undecided.
  YamlNode take();

 private:
  struct Override {
    std::optional<YamlNode> value;  ///< none: taken away
    bool met = false;
  };

  YamlNode tree_;
  std::vector<YamlEntry> undecided_;
  std::map<std::string, Override> overrides_;
};

/// `tensor-model-parallel-size` as argparse's `dest` has it.
std::string underscored(std::string name);

/// Whether an option takes several values.
bool takes_many(const std::string& option);
/// Whether an option takes none.
bool takes_none(const std::string& option);

/// Where the number of nodes is from that `read_megatron_arguments` takes where no one says it.
inline constexpr std::string_view kOneNode = "torchrun's default, no --nnodes";

/// The recipe of Megatron's arguments, with its defaults. A configuration of DeepSpeed that they
/// name is one of `documents`, or a file beside the recipe.
RecipeReading read_megatron_arguments(const YamlNode& arguments, KeyStyle style,
                                      const RecipeRequest& request,
                                      const ScriptDocuments& documents = {});

/// Takes back what Megatron's defaults say of a shape: the recipe names a model, which has its own.
void forget_shape_defaults(RecipeTerms& terms);

}  // namespace simtrain
