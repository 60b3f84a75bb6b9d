#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/commands/tuning/front_options.h"
#include "sim/app/mpi_work.h"
#include "sim/app/output_files.h"
#include "sim/app/stop_signals.h"
#include "sim/core/files/file_start.h"
#include "sim/core/files/partial_file.h"
#include "sim/core/files/seal.h"
#include "sim/core/input/text_parts.h"
#include "sim/output/tune/front_report.h"
#include "sim/study/front/front_search.h"
#include "sim/study/tasks/journal.h"
#include "sim/study/tasks/mpi_tasks.h"
#include "sim/study/tasks/question_files.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

bool is_front_table(const std::string& path) { return is_own_front(file_start(path)); }

const OutputKind kFrontData{", and no output of a search", has_seal, kJournalEnd};
const OutputKind kFrontTable{", and no table of a search", is_front_table, kJournalEnd};

/// Counts up when records of the same question come to mean something else.
constexpr std::string_view kFrontFormat = "simtrain.tune-front-plan/1";
constexpr std::array kFrontFiles{"hdf5", "csv", "report"};

struct FrontArguments {
  po::variables_map values;
  std::string path;  ///< of the scenario
  int jobs = 0;

  /// The option beside whose file the journal lies.
  [[nodiscard]] std::optional<std::string> kept_by() const {
    for (const char* option : {"hdf5", "csv"}) {
      if (values.count(option) > 0) return option;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> journal() const {
    const auto option = kept_by();
    if (!option) return std::nullopt;
    return *option_value(values, *option) + std::string(kJournalEnd);
  }
};

FrontArguments front_arguments(const CommandCall& call) {
  FrontArguments arguments;
  arguments.values = parse_options(call.arguments, kFrontOptions);
  const po::variables_map& values = arguments.values;
  static_cast<void>(wants_json(values));
  arguments.path = one_scenario(call, values, "tune");
  arguments.jobs = jobs_option(values);
  if (is_on(values, "resume") && is_on(values, "force"))
    throw InputError({}, "--force", "starts anew, --resume goes on; one of them would do");
  if (is_on(values, "resume") && !arguments.kept_by())
    throw InputError({}, "--resume", "needs the file that it is about: --hdf5 or --csv");
  return arguments;
}

std::vector<Objective> objectives_of(const std::string& text) {
  const auto known = all_names<Objective, std::string>();
  std::vector<Objective> objectives;
  for (const std::string_view word : split(text, ',')) {
    const std::string name(trimmed(word));
    const auto rows = EnumNames<Objective>::rows;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.first == name; });
    if (row == rows.end())
      throw InputError({}, "--objectives",
                       fmt::format("'{}' is not known; {}", name, suggestion(name, known)));
    if (std::count(objectives.begin(), objectives.end(), row->second) > 0)
      throw InputError({}, "--objectives", fmt::format("{} is there twice", name));
    objectives.push_back(row->second);
  }
  return objectives;
}

/// What is asked, the same on all ranks.
struct FrontQuestion {
  Asked asked;
  FrontRequest request;
  std::string fingerprint;
};

std::string fingerprint_of(const Asked& asked, const po::variables_map& values) {
  Fingerprint fingerprint;
  fingerprint.add(kFrontFormat);
  fingerprint.add(asked.source.text(asked.row, asked.settings));
  for (const char* option : {"objectives", "gpus", "nodes"})
    fingerprint.add(option_value(values, option).value_or(""));
  for (const char* option : {"price", "memory-margin"})
    fingerprint.add(fmt::format("{}", option_value<double>(values, option).value_or(0)));
  for (const char* option : {"allow-tight", "exhaustive"})
    fingerprint.add(std::uint64_t{is_on(values, option) ? 1U : 0U});
  for (const std::string& limit : option_values(values, "limit")) fingerprint.add(limit);
  fingerprint.add(asked.data.fingerprint());
  add_own_files(fingerprint, asked.data, asked.source, asked.row, asked.settings);
  return fingerprint.text();
}

FrontQuestion front_question(const CommandCall& call, const FrontArguments& arguments) {
  const po::variables_map& values = arguments.values;
  FrontQuestion question{asked(call.data.snapshot(), arguments.path, values), {}, {}};
  FrontRequest& request = question.request;
  request.objectives = objectives_of(*option_value(values, "objectives"));
  request.usd_per_gpu_hour = price_option(values).value_or(0);
  if (std::count(request.objectives.begin(), request.objectives.end(), Objective::price) > 0 &&
      request.usd_per_gpu_hour <= 0)
    throw InputError({}, "--objectives", "price needs --price, the dollars of a GPU hour");
  request.limits = limits_of(values);
  request.memory_margin = memory_margin_of(values);
  request.allow_tight = is_on(values, "allow-tight");
  request.exhaustive = is_on(values, "exhaustive");
  request.sizes = sizes_of(question.asked, values);
  question.fingerprint = fingerprint_of(question.asked, values);
  return question;
}

OutputFiles front_outputs(const FrontArguments& arguments, const FrontQuestion& question) {
  OutputFiles outputs(arguments.values);
  outputs.reads_scenario(question.asked.data, arguments.path);
  outputs.reads_model(question.asked.source.tree(question.asked.row, question.asked.settings));
  outputs.writes("hdf5", kFrontData);
  outputs.writes("csv", kFrontTable);
  if (const auto journal = arguments.journal())
    outputs.writes(*arguments.kept_by(), "the journal of the search", kJournalFile, *journal);
  outputs.writes("report", kPageFile);
  return outputs;
}

/// The records of simulated plans, each kept in the journal, if there is one, before it counts.
class FrontRecords {
 public:
  FrontRecords(const FrontArguments& arguments, const FrontQuestion& question,
               const TaskList& tasks, const Console& console)
      : tasks_(tasks) {
    const auto path = arguments.journal();
    if (!path) return;
    const JournalStart start = is_on(arguments.values, "force")    ? JournalStart::replace
                               : is_on(arguments.values, "resume") ? JournalStart::resume
                                                                   : JournalStart::fresh;
    const JournalHead head{"search", question.fingerprint, program_fingerprint(), tasks.size};
    journal_ = std::make_unique<Journal>(*path, head, start, tasks);
    // Nobody else writes there while we hold the journal.
    for (const char* option : kFrontFiles) {
      if (const auto file = option_value(arguments.values, option)) remove_partial_of(*file);
    }
    for (const JournalRecord& record : journal_->content().records)
      records_.emplace(record.number, record.text);
    if (journal_->content().damaged > 0)
      console.note(fmt::format("simtrain: {}: {} damaged lines; their plans are simulated again\n",
                               journal_->path(), journal_->content().damaged));
  }

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Those of a wave that are missing.
  [[nodiscard]] std::vector<std::uint64_t> missing(const std::vector<std::uint64_t>& wave) const {
    std::vector<std::uint64_t> result;
    std::copy_if(wave.begin(), wave.end(), std::back_inserter(result),
                 [&](std::uint64_t number) { return !records_.contains(number); });
    return result;
  }
  [[nodiscard]] const std::string& of(std::uint64_t number) const { return records_.at(number); }
  void add(const std::string& record) {
    try {
      if (journal_) journal_->add(record);
    } catch (const InputError& error) {
      throw InputError({}, "",
                       fmt::format("{}; {} plans are kept: make room and go on with --resume",
                                   error.what(), size()));
    }
    records_.emplace(tasks_.number_of(record), record);
  }
  void tick() const {
    if (journal_) journal_->tick();
  }
  void sync() const {
    if (journal_) journal_->sync();
  }
  void remove() const {
    if (journal_) journal_->remove();
  }

 private:
  const TaskList& tasks_;
  std::unique_ptr<Journal> journal_;
  std::map<std::uint64_t, std::string> records_;
};

/// This process has the files, and with MPI the other ranks simulate plans of each wave for it.
class FrontLeader {
 public:
  FrontLeader(const CommandCall& call, const FrontArguments& arguments,
              const std::atomic<int>& stop, const MpiSession* mpi)
      : call_(call), arguments_(arguments), stop_(stop), mpi_(mpi) {}

  [[nodiscard]] CommandResult run() const {
    Announcement to_ranks(mpi_);
    const FrontQuestion question = front_question(call_, arguments_);
    const OutputFiles outputs = front_outputs(arguments_, question);
    outputs.check();
    const Scenario scenario = question.asked.scenario();
    if (arguments_.values.count("gpus") == 0 && arguments_.values.count("nodes") == 0)
      note_gpus(call_.console, scenario);
    to_ranks.say(question.fingerprint);
    CommandResult result;
    run_or_abort(call_.console, mpi_, [&] {
      FrontSearch search(question.request, call_.console.bar("plans"));
      const TaskList tasks = search.tasks();
      FrontRecords records(arguments_, question, tasks, call_.console);
      const bool whole = simulate(search, tasks, records);
      records.sync();
      if (!whole) {
        result = stopped(records);
        return;
      }
      const FrontHead head{scenario.name, question.fingerprint, changes_of(scenario)};
      result = written(head, std::move(search).finished(), outputs);
      records.remove();
    });
    return result;
  }

 private:
  /// False where it was stopped before the front was found.
  bool simulate(FrontSearch& search, const TaskList& tasks, FrontRecords& records) const {
    for (auto wave = search.next(); !wave.empty(); wave = search.next()) {
      std::optional<MpiPeers> peers;
      if (mpi_ != nullptr) peers.emplace(tasks, *mpi_);
      run_tasks(tasks, {records.missing(wave), arguments_.jobs, &stop_,
                        [&](const std::string& record) { records.add(record); },
                        [&] { records.tick(); }, peers ? &*peers : nullptr});
      const bool whole = records.missing(wave).empty();
      std::vector<std::string_view> texts;
      for (const std::uint64_t number : wave) {
        if (whole) texts.emplace_back(records.of(number));
      }
      if (mpi_ != nullptr)
        static_cast<void>(mpi_->from_first(whole ? fmt::format("{}", fmt::join(texts, "\n"))
                                                 : Announcement::kNoWork));
      if (!whole) return false;
      for (const std::string_view text : texts) search.add(text);
    }
    return true;
  }

  [[nodiscard]] CommandResult stopped(const FrontRecords& records) const {
    const auto journal = arguments_.journal();
    const int signal = stop_.load();
    call_.console.error(fmt::format(
        "stopped by signal {} after {} plans were simulated{}", signal, records.size(),
        journal
            ? fmt::format("; the same command with --resume goes on (plans are in {})", *journal)
            : ""));
    constexpr int kSignalled = 128;
    return {"", kSignalled + signal};
  }

  [[nodiscard]] CommandResult written(const FrontHead& head, const Front& front,
                                      const OutputFiles& outputs) const {
    const po::variables_map& values = arguments_.values;
    outputs.check();
    if (values.count("hdf5") > 0) outputs.write("hdf5", front_hdf5(head, front));
    if (values.count("csv") > 0) outputs.write("csv", front_csv(front));
    if (values.count("report") > 0) outputs.write("report", front_html(head, front));
    const bool json = wants_json(values);
    return {json ? front_json(head, front) : front_text(head, front), front.plans.empty() ? 1 : 0,
            json};
  }

  const CommandCall& call_;
  const FrontArguments& arguments_;
  const std::atomic<int>& stop_;
  const MpiSession* mpi_;
};

/// Another rank finds the same front, and simulates what rank 0 hands it of each wave.
void follow_waves(const FrontQuestion& question, int jobs, const std::atomic<int>& stop,
                  const MpiSession& mpi) {
  FrontSearch search(question.request);
  const TaskList tasks = search.tasks();
  for (auto wave = search.next(); !wave.empty(); wave = search.next()) {
    serve_tasks(tasks, jobs, stop, mpi);
    const std::string records = mpi.from_first({});
    if (records == Announcement::kNoWork) return;
    for (const std::string_view record : split(records, '\n')) search.add(record);
  }
}

}  // namespace

bool asks_front(const CommandCall& call) {
  return std::any_of(call.arguments.begin(), call.arguments.end(), [](const std::string& argument) {
    return argument == "--objectives" || argument.starts_with("--objectives=");
  });
}

CommandResult front_command(const CommandCall& call) {
  const FrontArguments arguments = front_arguments(call);
  std::vector<std::string> written;
  for (const char* option : kFrontFiles) {
    if (const auto path = option_value(arguments.values, option)) written.push_back(*path);
  }
  const StopSignals signals(StopSignals::First::is_noted, std::move(written));
  const std::unique_ptr<MpiSession> mpi = join_mpi(is_on(arguments.values, "mpi"));
  if (mpi && mpi->rank() > 0) {
    follow_first_rank(
        call.console, *mpi, arguments.path, [&] { return front_question(call, arguments); },
        [&](const FrontQuestion& question) {
          follow_waves(question, arguments.jobs, signals.came(), *mpi);
        });
    return {};
  }
  return FrontLeader(call, arguments, signals.came(), mpi.get()).run();
}

}  // namespace simtrain
