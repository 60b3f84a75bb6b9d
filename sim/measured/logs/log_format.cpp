#include "sim/measured/logs/log_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/measured/foreign_format.h"

namespace simtrain {
namespace {

constexpr std::array<const LogFormat*, 5> kLogFormats{&kDlloggerLog, &kNemoLog, &kNemoProgressBar,
                                                      &kMegatronLog, &kCsvLog};

/// A format that the log may be of, with what it made of the lines so far.
struct Candidate {
  Candidate(const LogFormat& row, const LogRequest& request)
      : format(&row),
        reader(row.reader()),
        run(request.window.value_or(parse_window(std::string(row.window), "")),
            request.window ? std::string_view() : row.window, row.first_number) {}

  void take(const LogLine& line) {
    if (line.too_long) {
      run.skip(line.number, fmt::format("is longer than {} bytes", LineReader::kLongest));
    } else {
      reader->line(line, run);
    }
  }

  const LogFormat* format;
  std::unique_ptr<LogReader> reader;
  RunBuilder run;
};

std::vector<Candidate> candidates(const LogRequest& request) {
  std::vector<Candidate> all;
  std::vector<std::string> known;
  all.reserve(kLogFormats.size());
  for (const LogFormat* row : kLogFormats) {
    known.emplace_back(row->name);
    if (request.format.empty() || request.format == row->name) all.emplace_back(*row, request);
  }
  if (all.empty()) {
    throw InputError({}, "--log-format",
                     fmt::format("'{}' is no format of logs; {}", request.format,
                                 suggestion(request.format, known)));
  }
  return all;
}

/// The first with a step; the log is of its format. Until one has, none is.
Candidate* chosen(std::vector<Candidate>& all) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const Candidate& c) { return c.run.steps_seen() > 0; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const LogFormat* const> log_formats() { return kLogFormats; }

MeasuredRun read_log(const ByteSource& source, const LogRequest& request) {
  std::vector<Candidate> all = candidates(request);
  LineReader lines(source);
  LogLine line;
  Candidate* format = nullptr;
  ForeignSight foreign(foreign_logs());
  while (format == nullptr && lines.next(line)) {
    for (Candidate& candidate : all) candidate.take(line);
    foreign.line(line.text);
    format = chosen(all);
  }
  while (lines.next(line)) format->take(line);
  for (Candidate& candidate : all) candidate.reader->end(candidate.run);
  format = format == nullptr ? chosen(all) : format;
  // Without a step, the format that came nearest to one explains most.
  Candidate& best =
      format != nullptr
          ? *format
          : *std::max_element(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
              return a.run.skipped() < b.run.skipped();
            });
  MeasuredRun run = best.run.take();
  if (format != nullptr)
    run.format = format->format->name;
  else
    run.foreign = foreign.sentence();
  run.lines = lines.lines();
  run.bytes = lines.bytes();
  return run;
}

MeasuredRun read_log_file(const std::string& path, const LogRequest& request, const Watch& watch) {
  std::string damage;
  MeasuredRun run = read_log(open_log_file(
                                 path, [&](const std::string& what) { damage = what; }, watch),
                             request);
  run.path = path;
  if (!damage.empty()) add_skipped(run.skipped, run.lines, damage);
  return run;
}

}  // namespace simtrain
