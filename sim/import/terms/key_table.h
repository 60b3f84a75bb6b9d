#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// A key that does not change what is simulated, and why.
struct Ignored {
  std::string_view why;
};

/// A key whose every value but null, false, none and 0 changes the step in a way that is not
/// simulated.
struct Refused {
  std::string_view why;
  std::string_view harmless = "";  ///< one more value that changes nothing
  bool goes_without = false;       ///< the error names the override that goes on without it
};

/// The same where the change is small: the import goes on and reports it.
struct NotSimulated {
  std::string_view why;
};

using Meaning =
    std::variant<WholeTerm RecipeTerms::*, RealTerm RecipeTerms::*, FlagTerm RecipeTerms::*,
                 WordTerm RecipeTerms::*, TreeTerm RecipeTerms::*, Ignored, Refused, NotSimulated>;

/// A row of a format's key table: a dotted key of its files, or all that start so (`data.*`), and
/// what simtrain makes of it. An exact key goes before a start, an earlier row before a later one.
struct KeyRow {
  std::string_view key;
  Meaning meaning;
};

/// The row of this very key, or nullptr.
const KeyRow* exact_row(std::span<const KeyRow> rows, std::string_view key);

inline constexpr Ignored kOutside{"has no part in the time of a step"};
inline constexpr Ignored kRange{"how far positions may go, not how many there are"};
inline constexpr Ignored kLearned{"decides what is learned, not how long a step takes"};
inline constexpr NotSimulated kBiases{"biases of the linear modules"};
inline constexpr NotSimulated kQkNorm{"the norms of queries and keys"};
inline constexpr Refused kOtherContext{"context parallelism other than p2p is not modelled", "p2p",
                                       true};
inline constexpr NotSimulated kDeterministic{"deterministic kernels, which can be slower"};
inline constexpr NotSimulated kPackedDocuments{
    "attention inside each packed document alone; --set packed_sequences.mean_document=N, in "
    "tokens, says how long they are"};
inline constexpr Ignored kSoftware{"of the software stack (--software), which has its own"};
inline constexpr Refused kNoOffload{"this kind of offloading to the host is not modelled", "",
                                    true};

/// Reason -> the patterns of the keys left aside for it and how many keys match each.
using KeysByReason = std::map<std::string, std::map<std::string, std::size_t>, std::less<>>;

/// The terms of a recipe, and what of it was left aside.
struct RecipeReading {
  RecipeTerms terms;
  std::size_t taken = 0;  ///< keys that set a term
  KeysByReason ignored;
  KeysByReason left_out;          ///< asked for by the recipe, but not simulated
  std::vector<Finding> settings;  ///< keys of the scenario set by the environment
};

/// How the origin of a value is written: the key as it is written, or as an option (--key-words).
enum class KeyStyle { dotted, option };

/// What becomes of an option or key whose value is a variable that the file does not set.
enum class WithoutValue { refused, left_out };

/// That which the user asks for: with `--defaults` it is left out.
inline WithoutValue without_value(const RecipeRequest& request) {
  return request.defaults ? WithoutValue::left_out : WithoutValue::refused;
}

/// Reads a tree of a recipe by a table. Interpolations are resolved where a row takes the value.
/// Items of lists are `list[0]`, or `list[Class]` where they have a `_target_`. Keys that set one
/// term must agree, unless an override gives one. Throws InputError where they do not, a value is
/// of the wrong kind, a Refused row is set, or a count not given elsewhere is at a key that no row
/// has.
RecipeReading read_recipe(const YamlNode& tree, std::span<const KeyRow> rows, KeyStyle style,
                          WithoutValue without_value = WithoutValue::refused);

/// The last word of a dotted class name: `Trainer` of `nemo.lightning.Trainer`.
std::string class_name(const std::string& target);

}  // namespace simtrain
