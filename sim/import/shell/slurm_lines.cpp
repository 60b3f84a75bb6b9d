#include "sim/import/shell/slurm_lines.h"

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

constexpr int kMostTasks = 1000000;

std::optional<int> count_in(std::string_view text) {
  const auto count = number_as<int>(text);
  return count && *count >= 1 && *count <= kMostTasks ? count : std::nullopt;
}

/// What is behind an option at the start of a line's words: `=8`, ` 8` or, of a letter, `8`.
std::optional<std::string_view> value_behind(std::string_view words, std::string_view option,
                                             bool letter) {
  if (option.empty() || !words.starts_with(option)) return std::nullopt;
  const std::string_view rest = words.substr(option.size());
  const bool ends = !rest.empty() && (rest[0] == '=' || rest[0] == ' ' || rest[0] == '\t');
  if (!ends && (!letter || rest.empty())) return std::nullopt;
  const std::string_view given = trimmed(rest.substr(ends ? 1 : 0));
  return given.substr(0, given.find_first_of(" \t\r"));
}

/// What is given for an option in the `#SBATCH` lines, as `--nodes=8`, `--nodes 8` or `-N 8`; the
/// last one counts.
std::optional<std::string_view> option_in(std::string_view script, std::string_view name,
                                          std::string_view letter = "") {
  std::optional<std::string_view> value;
  for (std::string_view line : split(script, '\n')) {
    constexpr std::string_view kMark = "#SBATCH";
    if (!line.starts_with(kMark)) continue;
    line = trimmed(line.substr(kMark.size()));
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      if (const auto long_form = value_behind(line, name, false)) value = long_form;
      if (const auto short_form = value_behind(line, letter, true)) value = short_form;
      const std::size_t next = line.find_first_of(" \t");
      line = next == std::string_view::npos ? "" : trimmed(line.substr(next));
    }
  }
  return value;
}

/// GPUs of a node: `8`, `h100:8`, of `--gres` `gpu:8` or `gpu:h100:8`.
std::optional<int> gpus_in(std::string_view script) {
  std::optional<std::string_view> value = option_in(script, "--gpus-per-node");
  if (!value) {
    value = option_in(script, "--gres");
    if (!value || !value->starts_with("gpu:")) return std::nullopt;
  }
  return count_in(value->substr(value->rfind(':') + 1));
}

/// A count, or that of the variable that stands for it (`$NNODES`, `${NNODES}`) where a line sets
/// it to one.
std::optional<int> count_in(std::string_view word, std::string_view script) {
  if (!word.starts_with('$')) return count_in(word);
  word.remove_prefix(word.starts_with("${") ? 2 : 1);
  const std::string_view name = word.substr(0, word.find('}'));
  std::optional<int> count;
  for (std::string_view line : split(script, '\n')) {
    line = trimmed(line);
    if (line.starts_with("export ")) line = trimmed(line.substr(7));
    if (name.empty() || !line.starts_with(name) || !line.substr(name.size()).starts_with('='))
      continue;
    const std::string_view value = line.substr(name.size() + 1);
    count = count_in(value.substr(0, value.find_first_of(" \t;#")));
  }
  return count;
}

/// What `srun` is given in its words (`--nodes=8`, `--nodes 8`, `-N 8`, `-N8`) as far as it says a
/// number, up to the end of a line that goes on behind a backslash. Of several commands the most:
/// others than the training ask for a node to find its address.
std::optional<int> srun_nodes(std::string_view script) {
  std::optional<int> most;
  bool inside = false;
  bool counts = false;  // the word behind --nodes
  for (std::string_view line : split(script, '\n')) {
    line = trimmed(line);
    if (line.starts_with('#')) continue;
    const bool goes_on = line.ends_with('\\');
    for (const std::string_view word : split(line, ' ')) {
      const bool letter = word.starts_with("-N") && word.size() > 2;
      const std::size_t skipped = word.starts_with("--nodes=") ? 8 : letter ? 2 : 0;
      if (inside && (counts || skipped > 0)) {
        const std::optional<int> nodes = count_in(word.substr(skipped), script);
        if (nodes && nodes.value() > most.value_or(0)) most = nodes;
      }
      counts = inside && (word == "--nodes" || word == "-N");
      inside = inside || word == "srun" || word.ends_with("(srun");
    }
    inside = inside && goes_on;
  }
  return most;
}

}  // namespace

std::optional<int> slurm_nodes(std::string_view script) {
  const auto value = option_in(script, "--nodes", "-N");
  return value ? count_in(*value) : srun_nodes(script);
}

std::map<std::string, std::string> slurm_variables(std::string_view script,
                                                   std::optional<int> nodes) {
  std::map<std::string, std::string> variables;
  const auto set = [&](const char* name, std::optional<int> value) {
    if (value) variables[name] = std::to_string(*value);
  };
  if (!nodes) nodes = slurm_nodes(script);
  set("SLURM_NNODES", nodes);
  set("SLURM_JOB_NUM_NODES", nodes);
  const auto gpus = gpus_in(script);
  set("SLURM_GPUS_PER_NODE", gpus);
  set("SLURM_GPUS_ON_NODE", gpus);
  const auto tasks_option = option_in(script, "--ntasks-per-node");
  const auto tasks = tasks_option ? count_in(*tasks_option) : std::nullopt;
  set("SLURM_NTASKS_PER_NODE", tasks);
  if (nodes && tasks && *tasks <= kMostTasks / *nodes) set("SLURM_NTASKS", *nodes * *tasks);
  return variables;
}

}  // namespace simtrain
