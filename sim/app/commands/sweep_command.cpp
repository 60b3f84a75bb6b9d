#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/mpi_work.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/stop_signals.h"
#include "sim/app/sweep_session.h"
#include "sim/output/sweep/sweep_html.h"
#include "sim/output/sweep/sweep_rows.h"
#include "sim/study/tasks/mpi_tasks.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kSweepOptions{
    kScenarioArgument,
    kRowOption,
    with_help(kSetOption,
              "as for 'simtrain run'; a key that is set is not varied by the sweep block"),
    kMachineOption,
    OptionRow{.name = "vary",
              .value = "KEY=LIST",
              .help = "a key of the scenario, dotted or short, and what to try: names, numbers, "
                      "ranges FIRST:LAST or FIRST:LAST:STEP (vp=1:12); the first key is the "
                      "slowest. Takes the place of the same key in the scenario's sweep block",
              .type = OptionType::texts},
    OptionRow{.name = "hdf5",
              .value = "FILE",
              .help = "the table as HDF5; rows so far are in it while the sweep runs"},
    OptionRow{.name = "output",
              .value = "FILE",
              .help = "the table as CSV or JSON, by the file's ending or --format"},
    with_help(kReportOption,
              "the sweep as one HTML page that needs no other file; with --resume also of a sweep "
              "whose other files are complete"),
    OptionRow{.name = "format",
              .value = "text|csv|json",
              .help = "without --output, of standard output: text (the best ten), csv, json"},
    kJobsOption,
    OptionRow{.name = "resume",
              .help = "goes on where a sweep into the same files was stopped or killed"},
    with_help(kForceOption, "starts anew and replaces the files"),
    kMpiOption,
    paragraph(
        "While it runs, finished rows lie in FILE.journal. Ctrl-C ends with what is done (exit "
        "status 130).")};

struct SweepArguments {
  po::variables_map values;
  SweepRequest request;
  SweepFiles::Request files;
  std::optional<std::string> report;       ///< path of the page
  SweepFormat format = SweepFormat::text;  ///< of standard output
  int jobs = 0;
  bool mpi = false;
};

std::optional<std::string> path_option(const po::variables_map& values, const std::string& name) {
  auto path = option_value(values, name);
  if (path && path->empty()) throw InputError({}, "--" + name, "names no file");
  return path;
}

SweepFormat named_format(const std::string& name) {
  if (name == "csv") return SweepFormat::csv;
  return name == "json" ? SweepFormat::json : SweepFormat::text;
}

/// The format of a file: --format, or what its name ends in.
SweepFormat file_format(const po::variables_map& values, const std::string& path) {
  if (const auto name = option_value(values, "format")) {
    const SweepFormat format = named_format(*name);
    if (format == SweepFormat::text)
      throw InputError({}, "--format", "text goes to standard output; csv or json would do here");
    return format;
  }
  if (path.ends_with(".csv")) return SweepFormat::csv;
  if (path.ends_with(".json")) return SweepFormat::json;
  throw InputError({path}, "--output", "ends in neither .csv nor .json; --format csv would do");
}

SweepFiles::Request files_of(const po::variables_map& values) {
  SweepFiles::Request files;
  files.hdf5 = path_option(values, "hdf5");
  files.output = path_option(values, "output");
  if (files.output) files.format = file_format(values, *files.output);
  files.resume = is_on(values, "resume");
  files.force = is_on(values, "force");
  if (files.resume && files.force)
    throw InputError({}, "--force", "starts anew, --resume goes on; one of them would do");
  const bool any = files.hdf5 || files.output;
  const bool page = values.count("report") > 0;
  if (!any && (files.resume || (files.force && !page)))
    throw InputError({}, files.resume ? "--resume" : "--force",
                     "needs the file that it is about: --hdf5 or --output");
  return files;
}

SweepArguments arguments_of(const CommandCall& call) {
  SweepArguments arguments;
  arguments.values = parse_options(call.arguments, kSweepOptions);
  const po::variables_map& values = arguments.values;
  arguments.request.path = one_scenario(call, values, "sweep");
  arguments.request.row = option_value(values, "row").value_or("");
  arguments.request.settings = parsed_settings(values);
  for (const std::string& text : option_values(values, "vary"))
    arguments.request.varied.push_back(parse_axis(text));
  arguments.files = files_of(values);
  arguments.report = path_option(values, "report");
  if (!arguments.files.output)
    arguments.format = named_format(option_value(values, "format").value_or("text"));
  arguments.jobs = jobs_option(values);
  arguments.mpi = is_on(values, "mpi");
  return arguments;
}

/// The journal lies beside the first of the results.
OutputFiles outputs_of(const SweepArguments& arguments, const SweepQuestion& question) {
  OutputFiles outputs(arguments.values);
  outputs.reads_scenario(question.data, arguments.request.path);
  outputs.reads_model(question.source.tree(question.row, question.settings));
  outputs.writes("hdf5", kSweepFile);
  if (const SweepFiles files(arguments.files); files.any())
    outputs.writes(arguments.files.hdf5 ? "hdf5" : "output", "the journal of the sweep",
                   kJournalFile, files.journal_path());
  outputs.writes("output", kSweepFile);
  outputs.writes("report", kPageFile);
  return outputs;
}

/// The message where the sweep ended before its last candidate.
void say_stopped(const Console& console, int signal, const SweepTable& table,
                 const SweepFiles& files) {
  console.error(fmt::format(
      "stopped by signal {} after {} of {} candidates{}", signal, table.rows.size(),
      table.question.grid.size(),
      files.any() ? fmt::format("; the same command with --resume goes on (rows are in {})",
                                files.journal_path())
                  : ""));
}

/// This process has the files, and with MPI the other ranks work for it.
class Leader {
 public:
  Leader(const CommandCall& call, const SweepArguments& arguments, const std::atomic<int>& stop,
         const MpiSession* mpi)
      : call_(call), arguments_(arguments), stop_(stop), mpi_(mpi) {}

  CommandResult run() const {
    Announcement to_ranks(mpi_);
    const SweepQuestion question = sweep_question(call_.data, arguments_.request);
    note_gpus(call_.console, question.gpus_note);
    SweepFiles files(arguments_.files);
    outputs_of(arguments_, question).check();
    if (files.any() && files.check(question.fingerprint)) {
      const std::string file = files.paths().front();
      if (arguments_.report) write_page({question, sweep_rows(file, question)});
      return {fmt::format("{} is complete already\n", file)};
    }
    SweepSession session(question, files, call_.console);
    to_ranks.say(question.fingerprint);
    return run(question, files, session);
  }

 private:
  CommandResult run(const SweepQuestion& question, const SweepFiles& files,
                    SweepSession& session) const {
    const TaskList tasks = sweep_tasks(question);
    std::optional<MpiPeers> peers;
    if (mpi_ != nullptr) peers.emplace(tasks, *mpi_);
    run_or_abort(call_.console, mpi_, [&] {
      run_tasks(tasks, {session.pending(), arguments_.jobs, &stop_,
                        [&](const std::string& record) { session.add(record); },
                        [&] { session.tick(); }, peers ? &*peers : nullptr});
    });
    const SweepTable& table = session.finish();
    if (arguments_.report) write_page(table);
    const int signal = table.complete() ? 0 : stop_.load();
    if (signal != 0) say_stopped(call_.console, signal, table, files);
    constexpr int kSignalled = 128;
    return {sweep_as(arguments_.format, table), signal != 0 ? kSignalled + signal : 0,
            arguments_.format != SweepFormat::text};
  }

  /// The page is a view of rows: it takes the place of an older one.
  void write_page(const SweepTable& table) const {
    outputs_of(arguments_, table.question).write("report", sweep_html(table));
  }

  const CommandCall& call_;
  const SweepArguments& arguments_;
  const std::atomic<int>& stop_;
  const MpiSession* mpi_;
};

CommandResult sweep_command(const CommandCall& call) {
  const SweepArguments arguments = arguments_of(call);
  std::vector<std::string> written = SweepFiles(arguments.files).paths();
  if (arguments.report) written.push_back(*arguments.report);
  const StopSignals signals(StopSignals::First::is_noted, std::move(written));
  const std::unique_ptr<MpiSession> mpi = join_mpi(arguments.mpi);
  if (mpi && mpi->rank() > 0) {
    follow_first_rank(
        call.console, *mpi, arguments.request.path,
        [&] { return sweep_question(call.data, arguments.request); },
        [&](const SweepQuestion& question) {
          serve_tasks(sweep_tasks(question), arguments.jobs, signals.came(), *mpi);
        });
    return {};
  }
  return Leader(call, arguments, signals.came(), mpi.get()).run();
}

}  // namespace

const CommandRow kSweepCommand{
    "sweep",
    "predicts every combination of some keys",
    "simtrain sweep scenarios/llama405b_a4_224.yaml --vary vp=1,3,9",
    "Predicts every combination of what is varied. Combinations that are no job are rows as well, "
    "with their reason. docs/sweep.md has the layout of the files.",
    sweep_command,
    kSweepOptions};

}  // namespace simtrain
