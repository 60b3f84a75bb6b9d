#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/output/schema/schema.h"

namespace simtrain {
namespace {

constexpr std::array kSchemaOptions{
    OptionRow{.value = "[KIND]", .type = OptionType::argument, .completes = "schemas"}};

CommandResult schema_command(const CommandCall& call) {
  const auto values = parse_options(call.arguments, kSchemaOptions);
  const std::vector<std::string> asked = plain_arguments(values);
  if (asked.size() > 1) throw InputError({}, "", "schema takes one kind of file or result");
  if (!asked.empty()) return for_programs(json_schema(call.data, asked.front()));
  std::string names;
  for (const std::string& name : schema_names()) names += name + "\n";
  return for_programs(std::move(names));
}

}  // namespace

const CommandRow kSchemaCommand{
    "schema",
    "prints the JSON Schema of a kind of file",
    "simtrain schema scenario",
    "Prints the JSON Schema (draft 2020-12) of scenarios, hardware files, models or results, for "
    "completion and hover in editors (docs/schema.md); without a kind, the kinds. It is made from "
    "the keys that the program reads and the names in its data folder.",
    schema_command,
    kSchemaOptions};

}  // namespace simtrain
