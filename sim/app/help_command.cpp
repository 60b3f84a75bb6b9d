#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/scenario_help.h"

namespace simtrain {
namespace {

std::string overview() {
  std::string out = "simtrain predicts the step time and MFU of LLM training on a GPU cluster.\n\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {}\n", row.example);
  out += "\nCommands\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {:<10}{}\n", row.name, row.help);
  return out +
         "\n'simtrain help COMMAND' tells more; 'simtrain help scenario' lists the keys of a "
         "scenario.\n";
}

constexpr std::string_view kRunHelp =
    "simtrain [run] SCENARIO.yaml [--row NAME] [--set KEY=VALUE]... [--format text|json] "
    "[--unfold]\n\n"
    "  --row NAME        one row of the scenario's table; without it all rows, a line each\n"
    "  --set KEY=VALUE   changes any dotted key; tp, pp, vp, cp, ep, mbs, gbs, nodes, precision "
    "for short\n"
    "  --format json     the whole result as simtrain.result/1\n"
    "  --unfold          simulates every rank; gives the same numbers\n";

constexpr std::string_view kValidateHelp =
    "simtrain validate [FILE...] [--format text|json] [--report FILE.html] [--breakdown]\n"
    "                  [--max-mean-error PERCENT]\n"
    "simtrain validate --nccl [--format text|json]\n"
    "simtrain validate --leave-one-table-out [--by group|table] [--parameters FILE]\n"
    "                  [--format text|json] [--max-mean-error PERCENT] [--max-error PERCENT]\n"
    "simtrain validate --kernels [FOLDER] [--format text|json] [--max-mean-error PERCENT]\n\n"
    "  Compares predictions with what documents print about runs; exits with 1 where a bound "
    "that\n"
    "  the files state is broken (docs/validation.md).\n\n"
    "  --report FILE     writes all of it as one HTML page that needs no other file\n"
    "  --breakdown       where the step of each row goes\n"
    "  --max-mean-error  in place of the files' bound on the mean absolute error of all rows\n"
    "  --nccl            compares with measured NCCL calls (validation/nccl) instead\n"
    "  --leave-one-table-out\n"
    "                    each group of tables, and each table, as a fit to the others predicts "
    "it\n"
    "                    ('simtrain help calibrate'); --by tells which of the two\n"
    "  --max-error       in place of its bound on the largest error\n"
    "  --kernels         compares with measured kernels instead: gemm.csv, attention.csv and\n"
    "                    streaming.csv of FOLDER (hardware/measured/published unless told);\n"
    "                    mean bound 8 % unless told; json as simtrain.kernel-validation/1\n"
    "  --format json     the same as simtrain.validation/1 or simtrain.nccl-validation/1\n";

constexpr std::string_view kCalibrateHelp =
    "simtrain calibrate [--rows NAME,...] [--parameters FILE] [--format text|json]\n"
    "                   [--write FILE [--force]]\n"
    "simtrain calibrate --kernels [FOLDER] --gpu NAME [--format text|json]\n\n"
    "  Fits the parameters of validation/calibration.yaml to documented step times. Hardware "
    "files\n"
    "  are not written. Exits with 1 where the fit does not converge.\n\n"
    "  --kernels         fits the kernel parameters of a GPU to measured kernels instead "
    "(FOLDER as in\n"
    "                    'simtrain help validate'), beside the errors on left-out shapes; json "
    "as\n"
    "                    simtrain.kernel-fit/1\n"
    "  --gpu NAME        a name in hardware/gpus; with --kernels\n"
    "  --rows NAME,...   groups (llama-70b) or tables (llama-70b:fp8); without it all\n"
    "  --parameters FILE another list of parameters\n"
    "  --format json     the same and every row as simtrain.calibration/1\n"
    "  --write FILE      the fitted values, whole or not at all; --force replaces one that is "
    "there\n";

constexpr std::string_view kNcclHelp =
    "simtrain nccl CLUSTER --op OP --gpus N [--nodes N] [--min SIZE] [--max SIZE] [--factor F]\n"
    "              [--software NAME] [--nccl-version V] [--nvls true|false] [--algo A,...]\n"
    "              [--proto P,...] [--min-channels N] [--max-channels N] [--format "
    "text|json]\n\n"
    "  Prints what nccl-tests would measure, in its format.\n\n"
    "  --op              all_reduce, all_gather, reduce_scatter, broadcast, alltoall, sendrecv\n"
    "  --gpus, --nodes   ranks in all, evenly over nodes; without --nodes over as few as can "
    "be\n"
    "  --min, --max      8, 64K, 128M, 8G; sizes in between grow by --factor\n"
    "  --software NAME   takes the NCCL settings of hardware/software/NAME.yaml\n"
    "  --nccl-version    2.18 to 2.30; without it and --software 2.27.3 as it comes\n"
    "  --algo, --proto   as NCCL_ALGO and NCCL_PROTO: ring, tree, nvls, nvlstree, "
    "collnetdirect,\n"
    "                    collnetchain, pat; ll, ll128, simple\n"
    "  --format json     the same as simtrain.nccl/1\n";

constexpr std::string_view kTopologyHelp =
    "simtrain topology CLUSTER|SCENARIO.yaml [--nodes N] [--from RANK --to RANK] [--svg FILE]\n"
    "                  [--highlight tp|cp|dp|pp] [--row NAME] [--set KEY=VALUE]...\n"
    "                  [--format text|json]\n\n"
    "  Counts devices and links of a cluster, its bandwidths by level and its bisection.\n\n"
    "  --nodes N         of a CLUSTER; a scenario says its own. Without it 32, or all of fewer\n"
    "  --from, --to      every hop between two ranks (of a CLUSTER: between two GPUs)\n"
    "  --svg FILE        draws the cluster\n"
    "  --highlight GROUP marks a group of rank 0 in the drawing; needs a scenario\n"
    "  --row, --set      as in 'simtrain help run'\n"
    "  --format json     the same as simtrain.topology/1\n";

constexpr std::string_view kImportHelp =
    "simtrain import FILE [--name NAME] [--gpu NAME] [--nic-bandwidth RATE]\n"
    "                [--output FILE [--force]]\n\n"
    "  Makes a file for hardware/nodes from what 'nvidia-smi topo -m' prints or from the XML "
    "that\n"
    "  NCCL writes to NCCL_TOPO_DUMP_FILE. Comments say what was read and what is assumed.\n\n"
    "  --name NAME       of the node; without it the name of FILE\n"
    "  --gpu NAME        a name in hardware/gpus, where FILE leaves it open\n"
    "  --nic-bandwidth   of one compute NIC, such as \"400 Gb/s\"\n"
    "  --output FILE     written whole or not at all; --force replaces one that is there\n";

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows{
      {"run", kRunHelp, "predicts a scenario", "simtrain scenarios/llama405b_a4_224.yaml",
       run_command},
      {"validate", kValidateHelp, "compares with documented runs", "simtrain validate",
       validate_command},
      {"calibrate", kCalibrateHelp, "fits parameters to documented runs", "simtrain calibrate",
       calibrate_command},
      {"nccl", kNcclHelp, "predicts what nccl-tests measures",
       "simtrain nccl dgx-superpod-h100 --op all_reduce --gpus 16", nccl_command},
      {"topology", kTopologyHelp, "counts and draws a cluster",
       "simtrain topology gcp-a4 --nodes 28 --svg a4.svg", topology_command},
      {"import", kImportHelp, "makes a node file from a machine's own",
       "simtrain import node.xml --name my-node", import_command},
      {"list",
       "simtrain list [FAMILY]\n\n  Prints the names of a family; without one, the families.\n",
       "prints what there is of something", "simtrain list scenarios", list_command},
      {"bench",
       "simtrain bench\n\n  Plays fixed scenarios: events, events per second, fingerprint.\n",
       "measures the engine", "simtrain bench", bench_command},
      {"help", "simtrain help [COMMAND|scenario]\n", "shows this, a command or the scenario's keys",
       "simtrain help scenario", help_command},
  };
  return rows;
}

CommandResult help_command(const CommandCall& call) {
  if (call.arguments.empty()) return {overview()};
  const std::string& topic = call.arguments.front();
  if (call.arguments.size() > 1) throw InputError({}, "", "help takes one topic");
  if (topic == "scenario") return {scenario_help()};
  std::vector<std::string> known{"scenario"};
  for (const CommandRow& row : commands()) {
    if (row.name == topic) return {std::string(row.usage)};
    known.emplace_back(row.name);
  }
  throw InputError({}, "help",
                   fmt::format("'{}' is no topic; {}", topic, suggestion(topic, known)));
}

}  // namespace simtrain
