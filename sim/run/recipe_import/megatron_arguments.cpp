#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/core/scalar_text.h"
#include "sim/run/recipe_import/megatron_keys.h"
#include "sim/run/recipe_import/scenario_text.h"
#include "sim/run/recipe_import/shell_words.h"

namespace simtrain {
namespace {

constexpr std::string_view kBlockStart = "- arguments -";
constexpr std::string_view kBlockEnd = "- end of arguments -";

YamlNode scalar(std::string text, const SourcePlace& place) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = place;
  node.text = std::move(text);
  return node;
}

YamlNode empty_map(const std::string& file) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {file};
  return tree;
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What `--override KEY=VALUE` tells, by the names of arguments.
std::map<std::string, YamlNode> overrides_of(const RecipeRequest& request) {
  std::map<std::string, YamlNode> told;
  for (const std::string& text : request.overrides) {
    const SourcePlace place{"--override " + text.substr(0, 120), 1, 1};
    const std::size_t equals = text.find('=');
    std::string name = text.substr(0, std::min(equals, text.size()));
    name.erase(0, std::min(name.find_first_not_of("+-"), name.size()));
    name = underscored(name);
    const MegatronOption* option = megatron_option(name);
    if (option != nullptr && option->value.empty()) name = option->dest;
    if (equals == std::string::npos || name.empty()) {
      throw InputError(place, "", "must be KEY=VALUE");
    }
    if (exact_row(megatron_keys(), name) == nullptr) {
      std::vector<std::string> known;
      known.reserve(megatron_keys().size());
      for (const KeyRow& row : megatron_keys()) known.emplace_back(row.key);
      throw InputError(place, name,
                       "is no argument that simtrain reads; " + suggestion(name, known));
    }
    told[name] = scalar(text.substr(equals + 1), place);
  }
  return told;
}

bool takes_no_value(const std::string& name) {
  const KeyRow* row = exact_row(megatron_keys(), name);
  return row != nullptr && std::holds_alternative<FlagTerm RecipeTerms::*>(row->meaning);
}

/// Whether two values of an argument matter: it sets a term or may be refused.
bool matters(const std::string& name) {
  const KeyRow* row = exact_row(megatron_keys(), name);
  return row != nullptr && !std::holds_alternative<Ignored>(row->meaning);
}

/// Collects arguments; one given twice must say the same, unless an override settles it.
class Arguments {
 public:
  Arguments(const std::string& file, std::map<std::string, YamlNode> told)
      : tree_(empty_map(file)), told_(std::move(told)) {}

  void add(const std::string& name, YamlNode value) {
    if (told_.count(name) > 0) return;
    const YamlNode* known = tree_.find(name);
    if (known == nullptr) {
      tree_.entries.push_back({name, value.place, std::move(value)});
    } else if (known->text != value.text && matters(name)) {
      throw InputError(value.place, name,
                       fmt::format("'{}' here, '{}' in line {}; --override {}=VALUE settles it",
                                   value.text.substr(0, 80), known->text.substr(0, 80),
                                   known->place.line, name));
    }
  }

  YamlNode take() {
    for (auto& [name, value] : told_) tree_.entries.push_back({name, value.place, value});
    return std::move(tree_);
  }

 private:
  YamlNode tree_;
  std::map<std::string, YamlNode> told_;
};

bool is_option(const ShellWord& word) {
  return word.text.starts_with("--") && word.text.size() > 2;
}

void read_option(const std::vector<ShellWord>& words, std::size_t at, Arguments& arguments) {
  const ShellWord& word = words[at];
  const std::size_t equals = word.text.find('=');
  std::string name =
      underscored(word.text.substr(2, equals == std::string::npos ? equals : equals - 2));
  const MegatronOption* option = megatron_option(name);
  if (option != nullptr) name = option->dest;
  if (option != nullptr && !option->value.empty())
    return arguments.add(name, scalar(std::string(option->value), word.place));
  if (equals != std::string::npos)
    return arguments.add(name, scalar(word.text.substr(equals + 1), word.place));
  const bool followed = at + 1 < words.size() && !words[at + 1].ends && !is_option(words[at + 1]);
  if (takes_no_value(name) || !followed) return arguments.add(name, scalar("true", word.place));
  std::string value = words[at + 1].text;
  for (std::size_t i = at + 2; name == "recompute_modules" && i < words.size(); ++i) {
    if (words[i].ends || is_option(words[i])) break;
    value += "," + words[i].text;
  }
  arguments.add(name, scalar(std::move(value), words[at + 1].place));
}

YamlNode read_command_line(const ImportFile& file, const RecipeRequest& request) {
  const std::vector<ShellWord> words = shell_words(file.text, file.path);
  Arguments arguments(file.path, overrides_of(request));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_option(words[i])) read_option(words, i, arguments);
  }
  return arguments.take();
}

/// `  name ....... value` of a line, whatever a launcher put before it.
void read_line(std::string_view line, int number, const std::string& file, Arguments& arguments) {
  const std::size_t dots = line.find(" .");
  if (dots == std::string_view::npos) return;
  const std::size_t end = line.find_first_not_of('.', dots + 1);
  if (end == std::string_view::npos || line[end] != ' ') return;
  const std::size_t blank = dots == 0 ? std::string_view::npos : line.rfind(' ', dots - 1);
  const std::size_t start = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string name(line.substr(start, dots - start));
  if (name.empty() ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
    return;
  }
  std::string value(line.substr(end + 1));
  value.erase(value.find_last_not_of(" \r") + 1);
  arguments.add(name, scalar(value, {file, number, static_cast<int>(end) + 2}));
}

YamlNode read_block(const ImportFile& file, const RecipeRequest& request) {
  Arguments arguments(file.path, overrides_of(request));
  std::string_view rest = file.text;
  bool inside = false;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find(kBlockEnd) != std::string_view::npos) break;
    if (inside) read_line(line, number, file.path, arguments);
    if (line.find(kBlockStart) != std::string_view::npos) inside = true;
  }
  return arguments.take();
}

bool is_block(std::string_view text) { return text.find(kBlockStart) != std::string_view::npos; }

bool is_megatron(std::string_view text) {
  return is_block(text) || text.find("--num-layers") != std::string_view::npos ||
         text.find("--tensor-model-parallel-size") != std::string_view::npos;
}

ImportedRecipe read_megatron(const ImportFile& file, const RecipeRequest& request,
                             const DataFolder& data) {
  const bool block = is_block(file.text);
  const YamlNode tree = block ? read_block(file, request) : read_command_line(file, request);
  RecipeReading reading =
      read_recipe(tree, megatron_keys(), block ? KeyStyle::dotted : KeyStyle::option);
  RecipeTerms& terms = reading.terms;
  default_to(terms.overlap_p2p_comm, true, "Megatron's default");
  default_to(terms.group_query_attention, false, "Megatron's default");
  // Without the flag Megatron reduces in FP32 if it trains in BF16, unless told BF16.
  if (terms.grad_reduce_in_fp32 && !terms.grad_reduce_in_fp32->value)
    terms.grad_reduce_in_fp32.reset();
  return imported_scenario(block ? "Megatron-LM arguments, as printed" : "Megatron-LM command line",
                           reading, file, request, data);
}

}  // namespace

const RecipeFormat kMegatronArguments{
    "megatron-arguments", "Megatron-LM command line (a shell script) or the arguments it prints",
    is_megatron, read_megatron};

}  // namespace simtrain
