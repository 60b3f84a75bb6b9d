#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/core/input/input_error.h"
#include "sim/output/schema/schema.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSchemaOptions{
    OptionRow{.value = "[KIND]", .type = OptionType::argument, .completes = "schemas"}};

constexpr std::array kAllSchemasOptions{
    OptionRow{.name = "all",
              .value = "DIR",
              .help = "writes the schemas of all kinds into a folder, all or none, and prints the "
                      "settings of VS Code that tell which files are of which kind; the folder is "
                      "made where there is none",
              .required = true},
    going_with(with_help(kForceOption, "replaces files that are no schemas of simtrain"), "all")};

/// A folder that is made where there is none, and is gone again unless it is kept.
class MadeFolder {
 public:
  explicit MadeFolder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    made_ = fs::create_directory(path_, error);
    if (error)
      throw InputError({path_}, "--all", fmt::format("cannot be made: {}", error.message()));
    if (!fs::is_directory(path_, error)) throw InputError({path_}, "--all", "is no folder");
  }
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;
  ~MadeFolder() {
    std::error_code ignored;
    if (made_) fs::remove(path_, ignored);
  }
  void keep() { made_ = false; }

 private:
  std::string path_;
  bool made_ = false;
};

CommandResult write_all_schemas(const CommandCall& call, const std::string& folder,
                                const boost::program_options::variables_map& values) {
  if (folder.empty()) throw InputError({}, "--all", "names no folder");
  MadeFolder made(folder);
  OutputFiles outputs(values);
  std::vector<std::string> texts;
  texts.reserve(schema_names().size());
  outputs.reads_hardware(call.data);
  for (const std::string& kind : schema_names()) {
    outputs.writes("all", fmt::format("the schema of {}", kind), kSchemaFile,
                   (fs::path(folder) / schema_file_name(kind)).string());
    texts.push_back(json_schema(call.data, kind));
  }
  outputs.start();
  outputs.write_all("all", texts);
  made.keep();
  return for_programs(editor_settings(folder));
}

CommandResult schema_command(const CommandCall& call) {
  const auto values = parse_options(call.arguments, joined(kSchemaOptions, kAllSchemasOptions));
  const std::vector<std::string> asked = plain_arguments(values);
  if (const auto folder = option_value(values, "all")) {
    if (!asked.empty()) throw InputError({}, "--all", "is of all kinds; name none beside it");
    return write_all_schemas(call, *folder, values);
  }
  if (is_on(values, "force"))
    throw InputError({}, "--force", "replaces files; name their folder with --all");
  if (asked.size() > 1) throw InputError({}, "", "schema takes one kind of file or result");
  if (!asked.empty()) return for_programs(json_schema(call.data, asked.front()));
  std::string names;
  for (const std::string& name : schema_names()) names += name + "\n";
  return for_programs(std::move(names));
}

constexpr std::array<std::span<const OptionRow>, 1> kOtherOptions{kAllSchemasOptions};

}  // namespace

const CommandRow kSchemaCommand{
    "schema",
    "prints the JSON Schema of a kind of file",
    "simtrain schema scenario",
    "Prints the JSON Schema (draft 2020-12) of a kind of file that simtrain reads or of a document "
    "that it prints, for completion and hover in editors (docs/schema.md); without a kind, the "
    "kinds. It is made from the keys that the program reads and the names in its data folder.",
    schema_command,
    kSchemaOptions,
    kOtherOptions};

}  // namespace simtrain
