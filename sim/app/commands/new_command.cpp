#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/app/arguments/model_argument.h"
#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/output/tune/first_report.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kNewOptions{
    OptionRow{.name = "model",
              .value = "MODEL",
              .help =
                  "a name in scenarios/models, a model file or the config.json of a Hugging Face "
                  "model",
              .completes = "models",
              .required = true},
    OptionRow{.name = "cluster",
              .value = "NAME",
              .help = "a name in hardware/clusters",
              .completes = "clusters",
              .required = true},
    OptionRow{.name = "gpus", .value = "N", .help = "of the job: whole nodes", .required = true},
    OptionRow{.name = "software",
              .value = "NAME",
              .help = "a name in hardware/software; NeMo 25.04.01 without it, on GPUs without FP8 "
                      "Megatron Core of 2025",
              .completes = "software"},
    OptionRow{.name = "precision",
              .value = "NAME",
              .help = "one of 'simtrain list precisions'; bf16 without it",
              .completes = "precisions"},
    OptionRow{.name = "seq-length",
              .value = "N",
              .help = "tokens of a sequence; 8192 without it, or as many as the config.json says "
                      "that the model is made for"},
    OptionRow{.name = "gbs",
              .value = "N",
              .help = "sequences of a step; without it about 4 Mi tokens, in multiples of the GPUs "
                      "(of the nodes, with more GPUs than sequences)"},
    with_help(kTokensOption, "of the training run whose days are printed: 15T, 300B"),
    OptionRow{.name = "failures",
              .value = "NAME",
              .help = "a name in hardware/failures; writes a 'job' of those tokens too, for 'run "
                      "--job' and 'goodput'",
              .completes = "failures"},
    going_with(OptionRow{.name = "storage",
                         .value = "NAME",
                         .help = "a name in hardware/storage, for the job's checkpoints; "
                                 "lustre-superpod without it",
                         .completes = "storage"},
               "failures"),
    OptionRow{.name = "output",
              .value = "FILE.yaml",
              .help = "the scenario, whole or not at all; without it the scenario is printed, the "
                      "prediction in its comments"},
    going_with(with_help(kForceOption, "replaces a file that is there"), "output"),
    paragraph("Overlap, optimizer and sequence parallelism are as in NVIDIA's NeMo performance "
              "recipes, or as Megatron's defaults with software named megatron-*.")};

po::variables_map parse(const CommandCall& call) {
  po::variables_map values = parse_options(call.arguments, kNewOptions);
  if (!plain_arguments(values).empty())
    throw InputError({}, "",
                     "new takes options only, such as --model; 'simtrain help new' shows how");
  for (const auto& [name, example] :
       {std::pair{"model", "llama3.1-8b"}, std::pair{"cluster", "dgx-superpod-h100"},
        std::pair{"gpus", "64"}}) {
    if (values.count(name) == 0)
      throw InputError({}, fmt::format("--{}", name),
                       fmt::format("is missing; --{} {} would do", name, example));
  }
  return values;
}

std::optional<std::int64_t> count_option(const po::variables_map& values, const std::string& name,
                                         double most) {
  if (values.count(name) == 0) return std::nullopt;
  YamlNode number;
  number.kind = YamlNode::Kind::scalar;
  number.text = values[name].as<std::string>();
  return scalar_integer(number, "--" + name, Limits{1, most});
}

/// A name of a family that exists. Throws InputError at the option.
std::string named_file(const DataFolder& data, std::string_view family, const std::string& option,
                       const std::string& name) {
  const std::vector<std::string> known = data.names(family);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw InputError(
        {}, option,
        fmt::format("'{}' is not known; {}", name.substr(0, 80), suggestion(name, known)));
  return name;
}

std::optional<Precision> precision_option(const po::variables_map& values) {
  if (values.count("precision") == 0) return std::nullopt;
  return named_option<Precision>(values, "precision");
}

std::optional<FirstJob> job_option(const CommandCall& call, const po::variables_map& values) {
  const auto failures = option_value(values, "failures");
  if (!failures) {
    if (values.count("storage") > 0)
      throw InputError({}, "--storage", "is of a job; --failures NAME makes one");
    return std::nullopt;
  }
  FirstJob job;
  job.tokens = tokens_option(values);
  job.tokens_given = !values["tokens"].defaulted();
  job.failures = named_file(call.data, "hardware/failures", "--failures", *failures);
  if (const auto storage = option_value(values, "storage"))
    job.storage = named_file(call.data, "hardware/storage", "--storage", *storage);
  return job;
}

FirstRequest request_of(const CommandCall& call, const po::variables_map& values) {
  constexpr double kMostGpus = 1e7;
  constexpr double kMostTokens = 1e8;
  FirstRequest request;
  request.cluster =
      named_file(call.data, "hardware/clusters", "--cluster", values["cluster"].as<std::string>());
  request.gpus = static_cast<int>(*count_option(values, "gpus", kMostGpus));
  if (const auto software = option_value(values, "software"))
    request.software = named_file(call.data, "hardware/software", "--software", *software);
  request.precision = precision_option(values);
  request.job = job_option(call, values);
  request.seq_length = count_option(values, "seq-length", kMostTokens);
  request.global_batch_size = count_option(values, "gbs", kMostTokens);
  const ModelArgument model = model_argument(call, values["model"].as<std::string>());
  request.model = model.keys;
  request.model_name = model.name;
  request.longest = model.longest;
  return request;
}

CommandResult new_command(const CommandCall& call) {
  const po::variables_map values = parse(call);
  const double tokens = tokens_option(values);
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  outputs.reads("the model", values["model"].as<std::string>());
  outputs.writes("output", kYamlFile);
  outputs.start();
  const FirstScenario first =
      first_scenario(call.data, request_of(call, values), call.console.bar("plans"));
  if (!first.report) {
    call.console.error(no_plan_reason(first.search));
    return {"", 1};
  }
  const std::string yaml = first.yaml(first_comment(first, tokens));
  if (!outputs.any()) return for_programs(yaml);
  outputs.write("output", yaml);
  return {first_text(first, tokens), 0};
}

}  // namespace

const CommandRow kNewCommand{
    "new",
    "writes a first scenario for a model on a cluster",
    "simtrain new --model llama3.1-8b --cluster dgx-superpod-h100 --gpus 64",
    "Writes a first scenario, with the best plan that fits with room to spare (simtrain tune), and "
    "predicts its step time, MFU and memory. Comments say what was assumed. Exits with 1 where no "
    "plan fits.",
    new_command,
    kNewOptions};

}  // namespace simtrain
