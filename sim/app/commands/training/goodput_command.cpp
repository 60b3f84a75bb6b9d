#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/commands/training/job_runs.h"
#include "sim/app/mpi_work.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/stop_signals.h"
#include "sim/core/files/partial_file.h"
#include "sim/core/files/seal.h"
#include "sim/output/training/goodput_report.h"
#include "sim/output/training/job_html.h"
#include "sim/study/tasks/mpi_tasks.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

/// --hdf5 of a job.
const OutputKind kRunsFile{", and no output of a job", has_seal, kJournalEnd};

constexpr std::array kGoodputOptions{
    kScenarioArgument,
    with_help(kRowOption, "the row of the scenario's table, where it has one"),
    with_help(kSetOption,
              "changes any dotted key, as for 'simtrain run': job.tokens=15e12, "
              "job.checkpoint.save_interval=100"),
    kMachineOption,
    format_option("json: schema simtrain.goodput/1"),
    OptionRow{.name = "hdf5", .value = "FILE", .help = "writes the figures of every run"},
    with_help(kReportOption, "writes the job as one HTML page that needs no other file"),
    OptionRow{.name = "plain",
              .help = "the job as it is alone: no other intervals, spares and changes"},
    kJobsOption,
    OptionRow{.name = "resume",
              .help = "goes on where a job with the same --hdf5 was stopped or killed"},
    kForceOption,
    kMpiOption,
    paragraph("While it runs, finished runs lie in FILE.journal beside the file of --hdf5. Ctrl-C "
              "ends with what is done (exit status 130).")};

struct GoodputArguments {
  po::variables_map values;
  std::string path;  ///< of the scenario
  std::string row;
  std::vector<Setting> settings;
  int jobs = 0;

  [[nodiscard]] bool changes() const { return !is_on(values, "plain"); }
  [[nodiscard]] std::optional<std::string> journal() const {
    const auto hdf5 = option_value(values, "hdf5");
    return hdf5 ? std::optional(*hdf5 + std::string(kJournalEnd)) : std::nullopt;
  }
};

GoodputArguments goodput_arguments(const CommandCall& call) {
  GoodputArguments arguments;
  arguments.values = parse_options(call.arguments, kGoodputOptions);
  const po::variables_map& values = arguments.values;
  static_cast<void>(wants_json(values));
  arguments.settings = parsed_settings(values);
  arguments.path = one_scenario(call, values, "goodput");
  arguments.row = option_value(values, "row").value_or("");
  arguments.jobs = jobs_option(values);
  if (is_on(values, "resume") && is_on(values, "force"))
    throw InputError({}, "--force", "starts anew, --resume goes on; one of them would do");
  if (is_on(values, "resume") && !arguments.journal())
    throw InputError({}, "--resume", "needs the file that it is about: --hdf5");
  return arguments;
}

/// A job as its scenario's file says it.
struct JobQuestion {
  DataFolder data;  ///< a snapshot
  ScenarioSource source;
  JobInputs inputs;
  std::string fingerprint;
};

JobQuestion job_question(const CommandCall& call, const GoodputArguments& arguments) {
  const auto source = ScenarioSource::from_file(arguments.path);
  if (arguments.row.empty() && source.has_table())
    throw InputError({arguments.path}, "--row",
                     "is missing; the file has a table, and a job is of one of its rows");
  const DataFolder data = call.data.snapshot();
  const Scenario scenario = source.scenario(data, arguments.row, arguments.settings);
  return {
      data, source, load_job(data, scenario, source.tree(arguments.row, arguments.settings)),
      goodput_fingerprint(data, source, arguments.row, arguments.settings, arguments.changes())};
}

OutputFiles goodput_outputs(const GoodputArguments& arguments, const JobQuestion& question) {
  OutputFiles outputs(arguments.values);
  outputs.reads_scenario(question.data, arguments.path);
  outputs.reads_model(question.source.tree(arguments.row, arguments.settings));
  outputs.writes("hdf5", kRunsFile);
  if (const auto journal = arguments.journal())
    outputs.writes("hdf5", "the journal of the job", kJournalFile, *journal);
  outputs.writes("report", kPageFile);
  return outputs;
}

std::unique_ptr<Journal> journal_of(const GoodputArguments& arguments, const JobQuestion& question,
                                    const GoodputStudy& study, const Console& console) {
  const auto path = arguments.journal();
  if (!path) return nullptr;
  const JournalStart start = is_on(arguments.values, "force")    ? JournalStart::replace
                             : is_on(arguments.values, "resume") ? JournalStart::resume
                                                                 : JournalStart::fresh;
  const JournalHead head{"job", question.fingerprint, program_fingerprint(), study.size()};
  auto journal = std::make_unique<Journal>(*path, head, start, study.tasks());
  // Nobody else writes there while we hold the journal.
  for (const char* option : {"hdf5", "report"}) {
    if (const auto file = option_value(arguments.values, option)) remove_partial_of(*file);
  }
  if (journal->content().damaged > 0)
    console.note(fmt::format("simtrain: {}: {} damaged lines; their runs are done again\n",
                             journal->path(), journal->content().damaged));
  return journal;
}

/// This process has the files, and with MPI the other ranks work for it.
class GoodputLeader {
 public:
  GoodputLeader(const CommandCall& call, const GoodputArguments& arguments,
                const std::atomic<int>& stop, const MpiSession* mpi)
      : call_(call), arguments_(arguments), stop_(stop), mpi_(mpi) {}

  [[nodiscard]] CommandResult run() const {
    Announcement to_ranks(mpi_);
    const JobQuestion question = job_question(call_, arguments_);
    const OutputFiles outputs = goodput_outputs(arguments_, question);
    outputs.check();
    note_gpus(call_.console, question.inputs.scenario);
    to_ranks.say(question.fingerprint);
    std::optional<GoodputStudy> study;
    std::unique_ptr<Journal> journal;
    std::optional<JobRuns> runs;
    run_or_abort(call_.console, mpi_, [&] {
      study.emplace(question.inputs, GoodputOptions{.changes = arguments_.changes(),
                                                    .states = call_.console.bar("states")});
      journal = journal_of(arguments_, question, *study, call_.console);
      runs.emplace(*study, journal.get(), call_.console.bar("runs"));
      simulate(*study, *runs, journal.get());
    });
    if (journal) journal->sync();
    if (runs->done() < runs->all()) return stopped(*runs);
    CommandResult result =
        written(std::move(*study).finished(std::move(*runs).complete()), outputs);
    if (journal) journal->remove();
    return result;
  }

 private:
  void simulate(const GoodputStudy& study, JobRuns& runs, Journal* journal) const {
    const TaskList tasks = study.tasks();
    std::optional<MpiPeers> peers;
    if (mpi_ != nullptr) peers.emplace(tasks, *mpi_);
    run_tasks(tasks, {runs.pending(), arguments_.jobs, &stop_,
                      [&](const std::string& record) { runs.add(record); },
                      [&] {
                        if (journal != nullptr) journal->tick();
                      },
                      peers ? &*peers : nullptr});
  }

  [[nodiscard]] CommandResult stopped(const JobRuns& runs) const {
    const auto journal = arguments_.journal();
    const int signal = stop_.load();
    call_.console.error(fmt::format(
        "stopped by signal {} after {} of {} runs{}", signal, runs.done(), runs.all(),
        journal ? fmt::format("; the same command with --resume goes on (runs are in {})", *journal)
                : ""));
    constexpr int kSignalled = 128;
    return {"", kSignalled + signal};
  }

  [[nodiscard]] CommandResult written(const Goodput& result, const OutputFiles& outputs) const {
    outputs.check();
    outputs.write("hdf5", goodput_hdf5(result));
    if (arguments_.values.count("report") > 0) outputs.write("report", goodput_html(result));
    if (wants_json(arguments_.values)) return for_programs(goodput_json(result));
    return {goodput_text(result)};
  }

  const CommandCall& call_;
  const GoodputArguments& arguments_;
  const std::atomic<int>& stop_;
  const MpiSession* mpi_;
};

CommandResult goodput_command(const CommandCall& call) {
  const GoodputArguments arguments = goodput_arguments(call);
  std::vector<std::string> written;
  for (const char* option : {"hdf5", "report"}) {
    if (const auto path = option_value(arguments.values, option)) written.push_back(*path);
  }
  const StopSignals signals(StopSignals::First::is_noted, std::move(written));
  const std::unique_ptr<MpiSession> mpi = join_mpi(is_on(arguments.values, "mpi"));
  if (mpi && mpi->rank() > 0) {
    follow_first_rank(
        call.console, *mpi, arguments.path, [&] { return job_question(call, arguments); },
        [&](const JobQuestion& question) {
          const GoodputStudy study(question.inputs, {.changes = arguments.changes()});
          serve_tasks(study.tasks(), arguments.jobs, signals.came(), *mpi);
        });
    return {};
  }
  return GoodputLeader(call, arguments, signals.came(), mpi.get()).run();
}

}  // namespace

const CommandRow kGoodputCommand{
    "goodput",
    "a training job: days, checkpoints, failures",
    "simtrain goodput scenarios/llama31_405b_job_h100.yaml",
    "Simulates the training job of a scenario (its keys under 'job') many times, with failures, "
    "checkpoints and restarts: how long it takes with what spread, where the time goes, which "
    "interval between checkpoints and how many spare nodes suit it, and what else would help.",
    goodput_command,
    kGoodputOptions};

}  // namespace simtrain
