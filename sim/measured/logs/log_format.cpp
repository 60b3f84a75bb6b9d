#include "sim/measured/logs/log_format.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/import/terms/finding.h"
#include "sim/measured/logs/event_file.h"
#include "sim/measured/run/foreign_format.h"

namespace simtrain {
namespace {

/// An event file has no lines: read_event_file reads it.
class NoLines final : public LogReader {
 public:
  void line(const LogLine& /*line*/, RunBuilder& /*run*/) override {}
};

const LogFormat kEventLog{
    "tensorboard", "TensorBoard's event file with a scalar of step times, such as 'iteration-time'",
    "parse-train-timing", 0,
    []() -> std::unique_ptr<LogReader> { return std::make_unique<NoLines>(); }};

constexpr std::array<const LogFormat*, 11> kLogFormats{
    &kDlloggerLog, &kNemoLog,     &kNemoProgressBar, &kMegatronLog, &kTorchtitanLog, &kMaxTextLog,
    &kNanotronLog, &kComposerLog, &kMlperfLog,       &kCsvLog,      &kEventLog};

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

/// The first bytes of a source, and the source as it was.
struct PeekedSource {
  std::string start;
  ByteSource whole;
};

PeekedSource peek(const ByteSource& source, std::size_t count) {
  std::string start(count, '\0');
  std::size_t filled = 0;
  for (std::size_t got = 1; got > 0 && filled < count; filled += got)
    got = source(std::span(start).subspan(filled));
  start.resize(filled);
  const auto whole = [source, start, given = std::size_t{0}](std::span<char> bytes) mutable {
    if (given == start.size()) return source(bytes);
    const std::size_t got = std::min(bytes.size(), start.size() - given);
    std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(given), got, bytes.begin());
    given += got;
    return got;
  };
  return {start, whole};
}

MeasuredRun read_events(const ByteSource& source, const LogRequest& request) {
  Candidate events(kEventLog, request);
  EventFileSize size;
  const std::string names = read_event_file(source, events.run, size);
  const bool timed = events.run.steps_seen() > 0;
  MeasuredRun run = events.run.take();
  if (timed) run.format = kEventLog.name;
  if (!timed)
    run.foreign = fmt::format(
        "looks like an event file of TensorBoard, in which no scalar ({}) is "
        "a step time that is known",
        names.empty() ? "it has none" : plain_text(names));
  run.lines = size.records;
  run.bytes = size.bytes;
  return run;
}

}  // namespace

std::span<const LogFormat* const> log_formats() { return kLogFormats; }

MeasuredRun read_log(const ByteSource& given, const LogRequest& request) {
  const PeekedSource peeked = peek(given, kEventFileStart);
  const bool asked = request.format.empty() || request.format == kEventLog.name;
  if (asked && is_event_file(peeked.start)) return read_events(peeked.whole, request);
  const ByteSource& source = peeked.whole;
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
