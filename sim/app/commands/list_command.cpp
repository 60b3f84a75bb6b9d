#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/api/data_families.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/collectives/expert_exchange.h"
#include "sim/collectives/library.h"
#include "sim/core/suggestion.h"
#include "sim/import/formats/recipe_format.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/measured/run/step_window.h"
#include "sim/output/drawing/schedule_svg.h"
#include "sim/output/schema/schema.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/cluster.h"
#include "sim/topology/graph/wiring.h"
#include "sim/topology/import/import_format.h"
#include "sim/workload/kernels/precision.h"
#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/parallel/groups.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

std::string lines(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += name + "\n";
  return out;
}

/// A family without any file means a wrong data folder, not an empty answer.
std::vector<std::string> files_of(const DataFolder& data, const std::string& family) {
  std::vector<std::string> found = data.names(family);
  if (found.empty()) throw InputError({data.root() + "/" + family}, "", "holds no .yaml files");
  return found;
}

/// A name and what it is about.
using Helped = std::pair<std::string_view, std::string_view>;

std::string helped(const std::vector<Helped>& rows) {
  std::size_t width = 0;
  for (const auto& [name, help] : rows) width = std::max(width, name.size());
  std::string out;
  for (const auto& [name, help] : rows)
    out += fmt::format("{:<{}}  {}\n", name, width, wrapped(help, width + 2));
  return out;
}

std::string collectives() {
  return helped({{"all_reduce", "every rank gets the sum of all buffers"},
                 {"all_gather", "every rank gets the buffers of all, one after the other"},
                 {"reduce_scatter", "every rank gets its part of the sum of all buffers"},
                 {"broadcast", "every rank gets the buffer of rank 0"},
                 {"alltoall", "every rank sends a part of its buffer to each"},
                 {"send_receive", "a rank sends its buffer to another (nccl-tests: sendrecv)"}});
}

std::string algorithm_list() {
  std::vector<Helped> rows;
  for (const LibraryRow* library : library_rows()) {
    for (const AlgorithmRow& row : library->algorithms()) {
      const bool listed = std::any_of(rows.begin(), rows.end(), [&](const Helped& known) {
        return known.first == name_of(row.algorithm);
      });
      if (!listed) rows.emplace_back(name_of(row.algorithm), row.help);
    }
  }
  rows.emplace_back(
      name_of(Algorithm::user_buffers),
      "beside GEMMs: Transformer Engine's buffers, PyTorch's symmetric memory; not NCCL");
  for (const ExchangeLibraryRow& row : exchange_library_rows())
    rows.emplace_back(name_of(row.algorithm), row.meaning);
  return helped(rows);
}

std::string protocol_list() {
  return helped({{"ll", "a flag beside every 4 bytes: least latency, half of the bandwidth"},
                 {"ll128", "a flag in every 128 bytes: low latency, 120/128 of the bandwidth"},
                 {"simple", "chunks with a handshake each: all of the bandwidth"},
                 {"ce", "the GPU's copy engine, for user buffers; not NCCL"}});
}

std::string library_list() {
  std::vector<Helped> rows;
  for (const LibraryRow* row : library_rows()) rows.emplace_back(row->name, row->meaning);
  return helped(rows);
}

std::string wiring_list() {
  std::vector<Helped> rows;
  for (const WiringRow& row : wirings()) rows.emplace_back(row.name, row.help);
  return helped(rows);
}

std::string export_targets_list() {
  std::vector<Helped> rows;
  for (const ExportTarget* row : export_targets()) rows.emplace_back(row->name, row->help);
  return helped(rows);
}

std::string import_formats() {
  std::vector<Helped> rows;
  for (const ImportFormat& row : node_formats()) rows.emplace_back(row.name, row.help);
  for (const RecipeFormat& row : recipe_formats()) rows.emplace_back(row.name, row.help);
  return helped(rows);
}

std::string log_formats_list() {
  std::vector<Helped> rows;
  for (const LogFormat* row : log_formats()) rows.emplace_back(row->name, row->help);
  return helped(rows);
}

std::string profile_formats_list() {
  std::vector<Helped> rows;
  for (const ProfileFormat* row : profile_formats()) rows.emplace_back(row->name, row->help);
  return helped(rows);
}

std::string step_window_list() {
  std::vector<Helped> rows;
  for (const NamedWindow& row : named_windows()) rows.emplace_back(row.name, row.help);
  return helped(rows);
}

std::string placement_list() {
  std::vector<Helped> rows;
  for (const PlacementRow& row : placements()) rows.emplace_back(name_of(row.kind), row.help);
  return helped(rows);
}

/// Both sides of pipeline messages are listed once.
std::string group_list() {
  std::vector<Helped> rows;
  for (const GroupRow& row : group_rows()) {
    if (row.kind != GroupKind::self && (rows.empty() || rows.back().first != row.name))
      rows.emplace_back(row.name, row.meaning);
  }
  return helped(rows);
}

std::string block_list() {
  std::vector<Helped> rows;
  for (const BlockRow& row : block_rows()) rows.emplace_back(name_of(row.kind), row.meaning);
  return helped(rows);
}

std::string schedule_list() {
  std::vector<Helped> rows;
  for (const ScheduleRow& row : schedule_rows()) rows.emplace_back(name_of(row.kind), row.meaning);
  return helped(rows);
}

std::string sharding_list() {
  std::vector<Helped> rows;
  for (const ShardingRow& row : sharding_rows()) rows.emplace_back(name_of(row.kind), row.meaning);
  return helped(rows);
}

std::string format_text(const Operand& operand) {
  const TensorFormat& format = operand.rowwise;
  return fmt::format("{} of {:g} byte{}", format.name, format.bytes(),
                     format.bytes() > 1 ? "s" : "");
}

/// With what the linear modules of layers read.
std::string precision_list() {
  std::vector<std::string> meanings;
  for (const PrecisionRow& row : precision_rows()) {
    meanings.push_back(fmt::format("{}: inputs {}, weights {}, gradients {}", row.meaning,
                                   format_text(row.layers.input), format_text(row.layers.weight),
                                   format_text(row.layers.gradient)));
  }
  std::vector<Helped> rows;
  for (std::size_t i = 0; i < meanings.size(); ++i)
    rows.emplace_back(name_of(precision_rows()[i].precision), meanings[i]);
  return helped(rows);
}

/// Scenario files with the rows of their tables.
std::string scenarios(const DataFolder& data) {
  std::string out;
  for (const std::string& name : files_of(data, "scenarios")) {
    out += fmt::format("scenarios/{}.yaml\n", name);
    for (const std::string& row :
         ScenarioSource::from_file(data.root() + "/scenarios/" + name + ".yaml").row_names()) {
      out += fmt::format("  --row {}\n", row);
    }
  }
  return out;
}

struct Family {
  std::string_view name;
  std::string (*print)(const DataFolder&);  ///< none: the names of the files in `folder`
  std::string_view folder{};

  [[nodiscard]] std::string printed(const DataFolder& data) const {
    return print != nullptr ? print(data) : lines(files_of(data, std::string(folder)));
  }
};

/// What is not files.
const std::vector<Family>& other_families() {
  static const std::vector<Family> rows{
      {"collectives", [](const DataFolder&) { return collectives(); }},
      {"libraries", [](const DataFolder&) { return library_list(); }},
      {"algorithms", [](const DataFolder&) { return algorithm_list(); }},
      {"protocols", [](const DataFolder&) { return protocol_list(); }},
      {"wirings", [](const DataFolder&) { return wiring_list(); }},
      {"export-targets", [](const DataFolder&) { return export_targets_list(); }},
      {"import-formats", [](const DataFolder&) { return import_formats(); }},
      {"log-formats", [](const DataFolder&) { return log_formats_list(); }},
      {"profile-formats", [](const DataFolder&) { return profile_formats_list(); }},
      {"step-windows", [](const DataFolder&) { return step_window_list(); }},
      {"placements", [](const DataFolder&) { return placement_list(); }},
      {"blocks", [](const DataFolder&) { return block_list(); }},
      {"groups", [](const DataFolder&) { return group_list(); }},
      {"schedules", [](const DataFolder&) { return schedule_list(); }},
      {"shardings", [](const DataFolder&) { return sharding_list(); }},
      {"precisions", [](const DataFolder&) { return precision_list(); }},
      {"schemas", [](const DataFolder&) { return lines(schema_names()); }},
      {"mfu-conventions",
       [](const DataFolder&) { return lines(all_names<MfuConvention, std::string>()); }},
  };
  return rows;
}

std::vector<Family> families() {
  std::vector<Family> rows;
  rows.reserve(kDataFamilies.size() + other_families().size());
  for (const auto& [name, folder] : kDataFamilies)
    rows.push_back({name, name == "scenarios" ? scenarios : nullptr, folder});
  rows.insert(rows.end(), other_families().begin(), other_families().end());
  return rows;
}

constexpr std::array kListOptions{
    OptionRow{.value = "[FAMILY]", .type = OptionType::argument, .completes = kCompletesFamilies},
    OptionRow{.name = "svg",
              .value = "FILE",
              .help = "of schedules: draws them, four stages and eight micro-batches"},
    going_with(with_help(kForceOption, "replaces a file that is no such drawing"), "svg")};

/// Where --svg is given.
void draw_schedules(const boost::program_options::variables_map& values,
                    const std::vector<std::string>& asked) {
  OutputFiles outputs(values);
  outputs.writes("svg", kDrawingFile);
  if (outputs.any() && (asked.size() != 1 || asked.front() != "schedules"))
    throw InputError({}, "--svg", "draws pipeline schedules; 'list schedules' would do");
  outputs.start();
  if (outputs.any()) outputs.write("svg", schedules_svg(4, 8));
}

CommandResult list_command(const CommandCall& call) {
  const auto values = parse_options(call.arguments, kListOptions);
  const std::vector<std::string> asked = plain_arguments(values);
  draw_schedules(values, asked);
  std::vector<std::string> known;
  for (const Family& family : families()) known.emplace_back(family.name);
  if (asked.empty()) return for_programs(lines(known));
  if (asked.size() != 1) throw InputError({}, "", "list takes one family");
  for (const Family& family : families()) {
    if (family.name == asked.front()) return for_programs(family.printed(call.data));
  }
  throw InputError(
      {}, "list",
      fmt::format("'{}' is no family; {}", asked.front(), suggestion(asked.front(), known)));
}

}  // namespace

const CommandRow kListCommand{"list",
                              "prints what there is of something",
                              "simtrain list scenarios",
                              "Prints the names of a family; without one, the families.",
                              list_command,
                              kListOptions};

}  // namespace simtrain
