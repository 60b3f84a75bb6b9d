#include "sim/import/other_programs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

/// A part of a program's name, and what such a program does.
struct Purpose {
  std::string_view word;
  std::string_view what;
};
constexpr std::array<Purpose, 13> kPurposes{{{"text_generation", "inference"},
                                             {"generate", "inference"},
                                             {"infer", "inference"},
                                             {"server", "inference"},
                                             {"eval", "evaluation"},
                                             {"conver", "conversion of a checkpoint"},
                                             {"export", "conversion of a checkpoint"},
                                             {"checkpoint", "conversion of a checkpoint"},
                                             {"quantiz", "quantization of a checkpoint"},
                                             {"ptq", "quantization of a checkpoint"},
                                             {"prune", "pruning of a checkpoint"},
                                             {"preprocess", "preparation of data"},
                                             {"pytest", "a test"}}};

bool in_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

/// A line without its comment.
std::string_view code_of(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && line[start] == '#' ? std::string_view() : line;
}

/// The programs in Python of a text, by file (`x/y.py`) or as a module (`-m x.y`).
std::vector<std::string_view> programs_in(std::string_view text) {
  std::vector<std::string_view> programs;
  while (!text.empty()) {
    const std::string_view line = code_of(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && in_path(line[end])) ++end;
      const std::string_view word = line.substr(at, end - at);
      const bool module = at >= 3 && line.substr(at - 3, 3) == "-m " && word.size() > 1;
      const bool file = word.ends_with(".py") && word.size() > 3;
      if (file || module) programs.push_back(word);
      at = std::max(end, at + 1);
    }
  }
  return programs;
}

/// Whether a program is only there to start others.
bool is_launcher(std::string_view program) {
  return program.find("distributed") != std::string_view::npos ||
         program.find("torchrun") != std::string_view::npos ||
         program.find("debugpy") != std::string_view::npos;
}

std::string_view name_of_program(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  return program;
}

std::optional<std::string> purpose_of_programs(std::string_view text) {
  std::optional<std::string> purpose;
  for (const std::string_view program : programs_in(text)) {
    if (is_launcher(program)) continue;
    const std::string_view name = name_of_program(program);
    const auto* const row = std::find_if(
        kPurposes.begin(), kPurposes.end(),
        [&](const Purpose& one) { return name.find(one.word) != std::string_view::npos; });
    const bool trains = name.find("train") != std::string_view::npos;
    if (row == kPurposes.end() || trains) return std::nullopt;  // one that may train
    if (!purpose) purpose = fmt::format("{} ({})", row->what, name.substr(0, 80));
  }
  return purpose;
}

}  // namespace

std::optional<std::string> other_purpose(std::string_view text, bool is_script) {
  if (is_script) return purpose_of_programs(text);
  const bool trains = has_top_key(text, "exp_manager");
  if (has_top_key(text, "quantization") && has_top_key(text, "export") && !trains)
    return "quantization of a checkpoint (its key quantization)";
  if (has_top_key(text, "inference") && !trains) return "inference (its key inference)";
  if (has_top_key(text, "base_config") &&
      text.find("inference_jetstream") != std::string_view::npos)
    return "inference (its base_config)";
  if (has_top_key(text, "teacher_overrides"))
    return "distillation (its key teacher_overrides): the teacher runs forward beside";
  if (text.find("\"quant_algo\"") != std::string_view::npos &&
      text.find("\"hidden_size\"") == std::string_view::npos)
    return "quantization of a checkpoint; the config.json beside it has the shape of the model";
  return std::nullopt;
}

}  // namespace simtrain
