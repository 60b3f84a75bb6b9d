#include <array>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/core/input/scalar_text.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/import_file.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

/// The options that only a node takes, and only a recipe.
constexpr std::array<std::string_view, 2> kNodeOptions{"gpu", "nic-bandwidth"};
constexpr std::array<std::string_view, 8> kRecipeOptions{
    "cluster", "nodes", "software", "model", "arguments", "override", "set", "defaults"};

constexpr std::array kImportOptions{
    OptionRow{.value = "FILE", .type = OptionType::argument},
    OptionRow{.name = "name",
              .value = "NAME",
              .help = "of what is made; without it the recipe's, or the name of FILE"},
    OptionRow{.name = "output",
              .value = "FILE",
              .help = "what is made, whole or not at all; without it it is printed"},
    going_with(with_help(kForceOption, "replaces a file that is there"), "output"),
    paragraph("For a recipe, what its file does not say:"),
    OptionRow{.name = "cluster",
              .value = "NAME",
              .help = "a name in hardware/clusters",
              .completes = "clusters"},
    OptionRow{.name = "nodes",
              .value = "N",
              .help = "servers of the job, where the recipe does not say them"},
    OptionRow{.name = "software",
              .value = "NAME",
              .help = "a name in hardware/software",
              .completes = "software"},
    OptionRow{.name = "model",
              .value = "NAME",
              .help = "a name in scenarios/models to start from; else the nearest by its shape",
              .completes = "models"},
    OptionRow{.name = "arguments",
              .value = "TEXT",
              .help = "of a script, as on its command line: \"MODEL=8B 1 8 bf16\" is a variable "
                      "of its environment and three arguments"},
    OptionRow{.name = "override",
              .value = "KEY=VALUE",
              .help = "changes a key of the recipe, as Hydra has it (+KEY=VALUE adds one)",
              .type = OptionType::texts},
    with_help(kSetOption,
              "sets a key of the scenario, whatever the recipe has; as for 'simtrain run'"),
    OptionRow{.name = "defaults",
              .help = "what only a run gives (a variable without a value, a recipe in Python) is "
                      "the framework's default; what has none is usual: 8192 tokens, a "
                      "micro-batch of 1, BF16"},
    paragraph("For a node ('nvidia-smi topo -m', the XML of NCCL_TOPO_DUMP_FILE):"),
    OptionRow{.name = "gpu",
              .value = "NAME",
              .help = "a name in hardware/gpus, where FILE leaves it open",
              .completes = "gpus"},
    OptionRow{.name = "nic-bandwidth",
              .value = "RATE",
              .help = "of one compute NIC, such as \"400 Gb/s\""}};

/// A name that a file of the data folder can have and YAML takes for a text.
std::string checked_name(const std::string& name, const std::string& key) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  if (name.empty() || name.size() > 64 || kLetters.find(name.front()) == std::string_view::npos ||
      name.find_first_not_of(kMarks) != std::string::npos || name == "null") {
    throw InputError(
        {}, key,
        fmt::format("'{}' is no name; a small letter, then small letters, digits, '.', "
                    "'-' and '_' would do; --name NAME gives one",
                    name.substr(0, 80)));
  }
  return name;
}

ImportRequest node_request(const po::variables_map& values, const std::string& path) {
  ImportRequest request;
  request.name = values.count("name") > 0
                     ? checked_name(values["name"].as<std::string>(), "--name")
                     : checked_name(std::filesystem::path(path).stem().string(), "name");
  request.gpu = option_value(values, "gpu");
  if (const auto text = option_value(values, "nic-bandwidth")) {
    YamlNode rate;
    rate.kind = YamlNode::Kind::scalar;
    rate.text = *text;
    scalar_quantity(rate, "--nic-bandwidth", request.nic_bandwidth.emplace());
  }
  return request;
}

RecipeRequest recipe_request(const po::variables_map& values) {
  RecipeRequest request;
  request.name = option_value(values, "name");
  request.cluster = option_value(values, "cluster");
  request.software = option_value(values, "software");
  request.model = option_value(values, "model");
  if (const auto nodes = option_value(values, "nodes")) {
    YamlNode count;
    count.kind = YamlNode::Kind::scalar;
    count.text = *nodes;
    request.nodes = static_cast<int>(scalar_integer(count, "--nodes", Limits{1, 1e6}));
  }
  request.arguments = option_value(values, "arguments");
  request.overrides = option_values(values, "override");
  request.settings = option_values(values, "set");
  request.defaults = is_on(values, "defaults");
  return request;
}

void refuse_options(const po::variables_map& values, std::span<const std::string_view> options,
                    std::string_view format) {
  for (const std::string_view option : options) {
    const auto given = values.find(std::string(option));
    if (given == values.end() || given->second.defaulted()) continue;
    throw InputError({}, fmt::format("--{}", option),
                     fmt::format("is of no use for a file of the format {}", format));
  }
}

/// What was made, and the lines for standard error that count what is behind it.
struct Imported {
  std::string yaml;
  std::string remark;
};

Imported import_file(const ImportFile& file, const po::variables_map& values,
                     const DataFolder& data) {
  if (const ImportFormat* node = node_format_of(file)) {
    refuse_options(values, kRecipeOptions, node->name);
    return {node->read(file, node_request(values, file.path), data), ""};
  }
  const RecipeFormat& recipe = recipe_format_of(file);
  refuse_options(values, kNodeOptions, recipe.name);
  const ImportedRecipe imported = read_recipe(recipe, file, recipe_request(values), data);
  std::string remark = fmt::format(
      "simtrain: note: {} keys taken, {} values assumed, {} keys ignored ({}); comments at the end "
      "name them\n",
      imported.taken, imported.assumed, imported.ignored, recipe.name);
  for (const std::string& note : imported.notes)
    remark += fmt::format("simtrain: note: {}\n", note);
  return {imported.yaml, remark};
}

/// Node and model files are what is made, so that one made earlier may be made anew.
OutputFiles outputs_of(const DataFolder& data, const po::variables_map& values,
                       const std::string& path) {
  OutputFiles outputs(values);
  outputs.reads("the file to import", path);
  for (const std::string family : {"gpus", "clusters", "fabrics", "software", "tp_overlap"})
    outputs.reads("a file of hardware/" + family, data.root() + "/hardware/" + family);
  if (const auto model = option_value(values, "model"))
    outputs.reads("the model", data.root() + "/scenarios/models/" + *model + ".yaml");
  outputs.writes("output", kYamlFile);
  return outputs;
}

CommandResult import_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kImportOptions);
  const std::vector<std::string> paths = plain_arguments(values);
  if (paths.size() != 1)
    throw InputError({}, "", "import takes one file; see 'simtrain help import'");
  const std::string& path = paths.front();
  OutputFiles outputs = outputs_of(call.data, values, path);
  outputs.check();
  const ImportFile file = read_import_file(path);
  const Imported imported = import_file(file, values, call.data);
  outputs.start();
  if (outputs.any()) outputs.write("output", imported.yaml);
  call.console.note(imported.remark);
  return for_programs(outputs.any() ? "" : imported.yaml);
}

}  // namespace

const CommandRow kImportCommand{
    "import",
    "makes a scenario of a recipe, a node file of a machine's own",
    "simtrain import recipe.yaml --cluster gcp-a4 --software nemo-25.02",
    "Makes a scenario of a training recipe, a model file of a Hugging Face config.json, or a node "
    "file of what a machine says of itself. 'simtrain list import-formats' lists the kinds of "
    "FILE. Comments say where each value is from, what is assumed and what was ignored.",
    import_command,
    kImportOptions};

}  // namespace simtrain
