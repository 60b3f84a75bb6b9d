#include "sim/import/scenario/scenario_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/job/sharding_keys.h"
#include "sim/import/job/usual_terms.h"
#include "sim/import/job/virtual_stages.h"
#include "sim/import/model/expert_keys.h"
#include "sim/import/scenario/scenario_keys.h"
#include "sim/import/shell/slurm_lines.h"
#include "sim/run/scenario/scenario.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

constexpr std::size_t kWidth = 110;

/// `words` behind `# head: `, broken into lines that start with `#     `.
std::string paragraph(const std::string& head, const std::vector<std::string>& words) {
  std::string out;
  std::string line = "#   " + head + ":";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = plain_text(words[i]) + (i + 1 < words.size() ? "," : "");
    if (line.size() + word.size() + 1 > kWidth) {
      out += line + "\n";
      line = "#    ";
    }
    line += " " + word;
  }
  return out + line + "\n";
}

std::string values(const std::vector<Finding>& findings) {
  std::string out;
  std::string section;
  for (const Finding& finding : findings) {
    const std::size_t dot = finding.key.find('.');
    const std::string above = dot == std::string::npos ? "" : finding.key.substr(0, dot);
    if (above != section && !above.empty()) out += above + ":\n";
    section = above;
    out +=
        fmt::format("{}{}: {} # {}{}\n", above.empty() ? "" : "  ",
                    dot == std::string::npos ? finding.key : finding.key.substr(dot + 1),
                    finding.value, finding.assumed ? "ASSUMED: " : "", plain_text(finding.origin));
  }
  return out;
}

/// Keys of one section are together, the first of each where the section first is.
std::vector<Finding> by_section(const std::vector<Finding>& findings) {
  const auto section = [](const Finding& f) { return f.key.substr(0, f.key.find('.')); };
  std::vector<Finding> sorted;
  sorted.reserve(findings.size());
  for (const Finding& finding : findings) {
    const auto last = std::find_if(sorted.rbegin(), sorted.rend(), [&](const Finding& f) {
      return section(f) == section(finding);
    });
    sorted.insert(last == sorted.rend() ? sorted.end() : last.base(), finding);
  }
  return sorted;
}

std::string by_reason(const KeysByReason& reasons) {
  std::string out;
  for (const auto& [why, keys] : reasons) {
    std::vector<std::string> words;
    words.reserve(keys.size());
    for (const auto& [key, count] : keys)
      words.push_back(key.ends_with('*') ? fmt::format("{} ({})", key, count) : key);
    out += paragraph(why, words);
  }
  return out;
}

std::vector<std::string> notes_of(const std::vector<Finding>& findings,
                                  const RecipeReading& reading) {
  std::vector<std::string> notes;
  for (const Finding& finding : findings) {
    if (finding.noted)
      notes.push_back(fmt::format("{} {} is assumed: {}", finding.key, finding.value,
                                  plain_text(finding.origin)));
  }
  for (std::string& note : left_out_notes(reading)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

std::string plain_text(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
  }
  return text;
}

std::vector<std::string> left_out_notes(const RecipeReading& reading) {
  std::vector<std::string> notes;
  for (const auto& [what, keys] : reading.left_out) {
    std::vector<std::string_view> names;
    names.reserve(keys.size());
    for (const auto& [key, count] : keys) names.emplace_back(key);
    notes.push_back(plain_text(
        fmt::format("not simulated, though asked for: {} ({})", what, fmt::join(names, ", "))));
  }
  return notes;
}

std::string findings_text(const std::vector<Finding>& findings) {
  return values(by_section(findings));
}

ImportedRecipe imported_text(const ImportTitle& title, const std::vector<Finding>& findings,
                             const RecipeReading& reading) {
  ImportedRecipe result;
  result.taken = reading.taken;
  std::vector<std::string> assumed;
  for (const Finding& finding : findings) {
    if (finding.assumed) assumed.push_back(fmt::format("{} {}", finding.key, finding.value));
  }
  result.assumed = assumed.size();
  for (const auto& [why, keys] : reading.ignored) {
    for (const auto& [key, count] : keys) result.ignored += count;
  }
  std::string& out = result.yaml;
  out = fmt::format(
      "# Made by 'simtrain import' from {} ({}).\n# Behind each value: the key of the "
      "recipe, or the option, that gives it.\n",
      plain_text(title.path), title.format);
  out += values(by_section(findings));
  out += fmt::format("# Assumed, to be checked: {}\n", assumed.empty() ? "nothing" : "");
  if (!assumed.empty()) out.erase(out.size() - 2, 1);
  for (const std::string& line : assumed) out += "#   " + plain_text(line) + "\n";
  if (!reading.left_out.empty()) {
    out += "# Not simulated, though the recipe asks for it:\n";
    out += by_reason(reading.left_out);
  }
  out += fmt::format("# Ignored keys of the recipe: {}\n", result.ignored);
  out += by_reason(reading.ignored);
  result.notes = notes_of(findings, reading);
  return result;
}

void require_taken(const RecipeReading& reading, const ImportFile& file, std::string_view format) {
  if (reading.taken > 0) return;
  throw InputError({file.path}, "",
                   fmt::format("holds no key that simtrain reads in a file of this kind ({}); "
                               "'simtrain list import-formats' lists the kinds",
                               format));
}

namespace {

/// Loads what was imported: an import that succeeds can be simulated. An error names the option
/// that changes what does not fit.
void check_scenario(const std::string& yaml, const std::string& path, const RecipeRequest& request,
                    const DataFolder& data) {
  constexpr std::array<std::string_view, 3> kOfNodes{"cluster.nodes", "training.global_batch_size",
                                                     "parallelism.expert_model_parallel_size"};
  const auto source = ScenarioSource::from_text(yaml, path + ", as imported");
  try {
    static_cast<void>(source.scenario(data, "", {}));
  } catch (const InputError& error) {
    const bool of_nodes =
        std::find(kOfNodes.begin(), kOfNodes.end(), error.key()) != kOfNodes.end();
    const bool settable = error.place().file == path + ", as imported" && !error.key().empty() &&
                          std::count(error.key().begin(), error.key().end(), '.') <= 1;
    const bool names_option = error.reason().find("--") != std::string::npos;
    if ((request.nodes && of_nodes) || names_option || !settable) throw;
    throw InputError(
        error.place(), error.key(),
        error.sentence() + (of_nodes ? std::string("; --nodes N takes another number of nodes")
                                     : fmt::format("; --set {}=VALUE takes another", error.key())));
  }
}

/// The nodes that a script starts or asks Slurm for, where nothing else says how many there are.
void take_launched_nodes(const ImportFile& file, const RecipeRequest& request, RecipeTerms& terms) {
  if (terms.world_size || terms.num_nodes) return;
  if (request.launched) {
    const auto& [count, gpus, origin] = *request.launched;
    (gpus ? terms.world_size : terms.num_nodes) =
        Given<std::int64_t>{count, origin, false, {file.path}};
    return;
  }
  if (const auto nodes = slurm_nodes(file.text))
    terms.num_nodes = Given<std::int64_t>{*nodes, "--nodes of Slurm", false, {file.path}};
}

/// RCCL has settings of its own.
void leave_out_nccl(const RecipeRequest& request, const DataFolder& data, RecipeReading& reading) {
  constexpr std::string_view kPrefix = "nccl.";
  const std::vector<std::string> known = data.names("hardware/software");
  if (!request.software || std::find(known.begin(), known.end(), *request.software) == known.end())
    return;
  const auto software =
      data.load<SoftwareSpec>("hardware/software", *request.software, {}, "software");
  const LibraryRow* library = software.library.row;
  if (library == nullptr || kPrefix.starts_with(library->name)) return;
  std::erase_if(reading.settings, [&](const Finding& setting) {
    if (!setting.key.starts_with(kPrefix)) return false;
    const std::string why =
        fmt::format("a setting of NCCL; {} runs {}", software.name, library->name);
    ++reading.ignored[why][setting.origin];
    return true;
  });
}

}  // namespace

ImportedRecipe imported_scenario(std::string_view format, RecipeReading reading,
                                 const ImportFile& file, const RecipeRequest& request,
                                 const DataFolder& data) {
  require_taken(reading, file, format);
  if (request.defaults) settle_usual_terms(reading.terms);
  settle_experts(reading, request, data);
  settle_mamba(reading, request, data);
  settle_sharding(reading);
  take_launched_nodes(file, request, reading.terms);
  settle_uneven_stages(reading.terms, request, data, {file.path});
  leave_out_nccl(request, data, reading);
  ImportedRecipe result = imported_text({file.path, std::string(format)},
                                        scenario_keys(reading, file, request, data), reading);
  check_scenario(result.yaml, file.path, request, data);
  return result;
}

}  // namespace simtrain
