#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/yaml_tree.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// Whether a word is `--name` or `--name=value`.
inline bool is_long_option(std::string_view word) {
  return word.starts_with("--") && word.size() > 2;
}

/// The value of an option (`--config-name`, as good as `--config_name`), behind it or its equals
/// sign.
std::optional<ShellWord> option_word(const std::vector<ShellWord>& words, std::string_view option);

/// A command that starts a program, with the variables that are set in front of it or before it.
struct ProgramStart {
  std::vector<ShellWord> words;
  std::vector<ShellWord> variables;  ///< `NAME=value`, in their order
};

/// The first command of a script one of whose words ends with one of these programs, or else the
/// last variable that holds such a command.
std::optional<ProgramStart> program_start(const std::vector<ShellWord>& script,
                                          std::span<const std::string_view> programs);

/// The value that a variable has there, as the word that sets it.
std::optional<ShellWord> variable_word(const ProgramStart& start, std::string_view name);

/// What becomes of a launch whose configuration is not there.
enum class WithoutFile {
  refused,
  refused_with_option,  ///< `--defaults` would take the framework's own values in its place
  read                  ///< it was given
};

/// Of a framework whose own values do in place of a configuration.
inline WithoutFile without_file(const RecipeRequest& request) {
  return request.defaults ? WithoutFile::read : WithoutFile::refused_with_option;
}

/// A configuration that a script names, at its path or, with its name alone, beside the script.
/// Nothing where there is none and the launch is read without it, or else an InputError at the
/// word.
std::optional<ImportFile> configuration_beside(const ShellWord& named, const std::string& script,
                                               WithoutFile without);

/// Throws InputError where only a run gives a word or not and no override settles its key.
void refuse_undecided_key(const ShellWord& word, const std::string& key,
                          const RecipeRequest& request);

/// The overrides of a request that change keys. With `adds` one without a sign adds its key where
/// it is not there: what a launch gives is not all that there is.
std::vector<std::string> key_overrides(const RecipeRequest& request, bool adds);

/// `model.tensor_model_parallel_size=4` or `mixed_precision=bf16_mixed`, and Hydra's `+` and `++`
/// before it, as Megatron-Bridge's scripts take them; other words are left. Keys of a plan whose
/// value only a run knows are `open`.
void add_bridge_key(const ShellWord& word, const RecipeRequest& request, YamlNode& tree,
                    std::vector<std::string>& open);

/// The recipe that a launch names is a program in Python, whose own values are not known here.
/// Throws InputError with those of `wanted` that the launch does not give. Where an override gives
/// the degree of TP or PP the other is not wanted: what is not given is the framework's 1 then.
/// With the request's `defaults` none is.
void require_launch_keys(const YamlNode& tree, const ShellWord& recipe, std::string_view option,
                         const std::vector<std::string>& wanted, const RecipeRequest& request);

/// A count among the options of a launcher; `term` stays where it is no number.
void read_launch_count(const std::vector<ShellWord>& words,
                       std::initializer_list<std::string_view> options, WholeTerm& term);

}  // namespace simtrain
