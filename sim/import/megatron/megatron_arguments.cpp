#include <algorithm>
#include <array>
#include <string_view>

#include "sim/import/megatron/command_line.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/shell/shell_script.h"

namespace simtrain {
namespace {

constexpr std::string_view kBlockStart = "- arguments -";
constexpr std::string_view kBlockEnd = "- end of arguments -";

/// Programs of Megatron-LM whose models are not those of GPT.
void refuse_other_programs(const std::vector<ShellWord>& words) {
  constexpr std::array<std::string_view, 6> kOthers{"pretrain_bert.py", "pretrain_t5.py",
                                                    "pretrain_ict.py",  "pretrain_retro.py",
                                                    "pretrain_vlm.py",  "pretrain_vision_"};
  for (const ShellWord& word : words) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    const bool other = name.ends_with(".py") &&
                       std::any_of(kOthers.begin(), kOthers.end(),
                                   [&](std::string_view one) { return name.starts_with(one); });
    if (other)
      throw InputError(word.place, plain_text(name.substr(0, 80)),
                       "trains a model with an encoder or retrieval, which is not modelled");
  }
}

/// Whether a launcher of PyTorch starts the ranks, which are of one node where it is told no other.
bool starts_by_torch(const std::vector<ShellWord>& words) {
  return std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return word.text.find("torchrun") != std::string::npos ||
           word.text.find("torch.distributed") != std::string::npos;
  });
}

RecipeReading read_command_line(const ImportFile& file, const RecipeRequest& request) {
  const ShellScript script = read_script(file.text, file.path, script_request(request));
  refuse_other_programs(script.words);
  MegatronArguments arguments(file.path, request);
  add_options(script.words, arguments);
  RecipeReading reading =
      read_megatron_arguments(arguments.take(), KeyStyle::option, request, script.documents);
  WholeTerm& nodes = reading.terms.num_nodes;
  if (nodes && nodes->origin == kOneNode && !starts_by_torch(script.words)) nodes.reset();
  read_environment(script, reading);
  note_unread(script, reading);
  return reading;
}

/// `  name ....... value` of a line, whatever a launcher put before it.
void read_line(std::string_view line, int number, const std::string& file,
               MegatronArguments& arguments) {
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
  arguments.add(name, scalar_node(value, {file, number, static_cast<int>(end) + 2}));
}

RecipeReading read_block(const ImportFile& file, const RecipeRequest& request) {
  MegatronArguments arguments(file.path, request);
  std::string_view rest = file.text;
  bool inside = false;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find(kBlockEnd) != std::string_view::npos) break;
    if (inside) read_line(line, number, file.path, arguments);
    if (line.find(kBlockStart) != std::string_view::npos) inside = true;
  }
  return read_megatron_arguments(arguments.take(), KeyStyle::dotted, request);
}

bool is_block(std::string_view text) { return text.find(kBlockStart) != std::string_view::npos; }

bool is_megatron(std::string_view text) {
  return is_block(text) || text.find("--num-layers") != std::string_view::npos ||
         text.find("--tensor-model-parallel-size") != std::string_view::npos;
}

ImportedRecipe read_megatron(const ImportFile& file, const RecipeRequest& request,
                             const DataFolder& data) {
  const bool block = is_block(file.text);
  const RecipeReading reading =
      block ? read_block(file, request) : read_command_line(file, request);
  return imported_scenario(block ? "Megatron-LM arguments, as printed" : "Megatron-LM command line",
                           reading, file, request, data);
}

}  // namespace

const RecipeFormat kMegatronArguments{
    "megatron-arguments", "Megatron-LM command line (a shell script) or the arguments it prints",
    is_megatron, read_megatron};

}  // namespace simtrain
