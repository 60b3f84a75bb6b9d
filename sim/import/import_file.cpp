#include "sim/import/import_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"
#include "sim/import/other_programs.h"
#include "sim/import/shell/words/shell_parameters.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

constexpr TextFileKind kImportedFile{"a file to import", 256};  // console logs are long

/// The bytes as a text file: what no text holds is refused at its place.
void check_text(const ImportFile& file) {
  SourcePlace place{file.path, 1, 1};
  for (const char c : file.text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\x1b') || byte == 0x7f) {
      throw InputError(place, "",
                       fmt::format("holds the byte 0x{:02x}; a text was expected", byte));
    }
    ++place.column;
    if (c != '\n') continue;
    ++place.line;
    place.column = 1;
  }
  if (file.text.empty()) throw InputError({file.path}, "", "is empty");
}

template <class Format>
const Format* format_of(const ImportFile& file, const std::vector<Format>& formats) {
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const Format& row) { return row.recognizes(file.text); });
  return format == formats.end() ? nullptr : &*format;
}

/// Whether a file is a program in Python, which only Python can run.
bool is_python(const ImportFile& file) {
  return file.path.ends_with(".py") || file.text.starts_with("import ") ||
         file.text.find("\nimport ") != std::string::npos ||
         file.text.find("\ndef ") != std::string::npos;
}

[[noreturn]] void refuse_python(const ImportFile& file) {
  throw InputError(
      {file.path}, "",
      "is a program in Python, which simtrain does not run; export the recipe that it makes: "
      "NeMo 2 with 'nemo llm pretrain --factory NAME --to-yaml recipe.yaml', Megatron-Bridge "
      "with cfg.to_yaml(\"recipe.yaml\"), Megatron-LM with the block of arguments that it "
      "prints at start");
}

/// Whether a script starts a recipe that is a program in Python, by its name.
bool starts_python(const ImportFile& file) {
  return file.text.starts_with("#!") && (file.text.find("--recipe") != std::string::npos ||
                                         file.text.find("run_recipe") != std::string::npos ||
                                         file.text.find("torchtitan.train") != std::string::npos ||
                                         file.text.find("run_train.sh") != std::string::npos);
}

/// Whether a file is a script of the shell.
bool is_script(const ImportFile& file) {
  return file.text.starts_with("#!") || file.path.ends_with(".sh");
}

/// Whether a script asks for arguments by their number.
bool wants_arguments(const ImportFile& file) {
  return asks_for_parameters(split_script(file.text, file.path));
}

/// Whether what is wrong is what an option of its own sets.
bool is_option(std::string_view key) { return key == "cluster" || key == "software"; }

[[noreturn]] void refuse_unknown(const ImportFile& file) {
  if (is_python(file) && !is_script(file)) refuse_python(file);
  if (starts_python(file)) {
    throw InputError(
        {file.path}, "",
        "starts a recipe that is a program in Python, which simtrain does not run; its "
        "configuration would do: Megatron-Bridge writes it with cfg.to_yaml(\"recipe.yaml\") and "
        "prints it at start, torchtitan's is its job configuration in TOML");
  }
  if (is_script(file)) {
    throw InputError({file.path}, "",
                     "is a script without arguments that simtrain reads (--num-layers, "
                     "--tensor-model-parallel-size, per_device_batch_size=); the script or "
                     "configuration that it starts would do");
  }
  if (has_top_key(file.text, "trainer") && !has_top_key(file.text, "model")) {
    throw InputError({file.path}, "model",
                     "is not there: a configuration of NeMo has a trainer and a model; the "
                     "recipe that it is composed with would do");
  }
  std::vector<std::string> known;
  known.reserve(node_formats().size() + recipe_formats().size());
  for (const ImportFormat& row : node_formats())
    known.push_back(fmt::format("{} ({})", row.name, row.help));
  for (const RecipeFormat& row : recipe_formats())
    known.push_back(fmt::format("{} ({})", row.name, row.help));
  throw InputError({file.path}, "",
                   fmt::format("is of no format known here; known are {}", fmt::join(known, ", ")));
}

}  // namespace

ImportFile read_import_file(const std::string& path) {
  ImportFile file{path, read_text_file(path, kImportedFile)};
  check_text(file);
  return file;
}

const ImportFormat* node_format_of(const ImportFile& file) {
  return format_of(file, node_formats());
}

const RecipeFormat& recipe_format_of(const ImportFile& file) {
  if (const auto purpose = other_purpose(file.text, is_script(file))) {
    throw InputError(
        {file.path}, "",
        fmt::format("is no training recipe but of {}; training steps are simulated", *purpose));
  }
  const RecipeFormat* recipe = format_of(file, recipe_formats());
  if (recipe == nullptr) refuse_unknown(file);
  return *recipe;
}

ImportedRecipe read_recipe(const RecipeFormat& format, const ImportFile& file,
                           const RecipeRequest& request, const DataFolder& data) {
  if (request.arguments && !is_script(file))
    throw InputError({file.path}, "arguments", "are for a script, which this file is not");
  try {
    return format.read(file, request, data);
  } catch (const InputError& error) {
    if (request.arguments || !is_script(file) || is_option(error.key()) || !wants_arguments(file))
      throw;
    throw InputError(error.place(), error.key(),
                     error.sentence() + "; --arguments TEXT has the arguments of the script");
  }
}

}  // namespace simtrain
