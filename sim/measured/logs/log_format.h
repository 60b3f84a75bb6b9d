#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/core/files/byte_source.h"
#include "sim/measured/logs/line_reader.h"
#include "sim/measured/run/measured_run.h"
#include "sim/measured/run/run_builder.h"

namespace simtrain {

/// Reads the lines of one format into a builder. What is not of the format it passes over; what is,
/// and cannot be read, it skips by number and reason.
class LogReader {
 public:
  LogReader() = default;
  virtual ~LogReader() = default;
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  virtual void line(const LogLine& line, RunBuilder& run) = 0;
  /// The log has ended.
  virtual void end(RunBuilder& /*run*/) {}
};

/// One kind of log that can be read: a source file in this folder with its row.
struct LogFormat {
  std::string_view name;
  std::string_view help;
  std::string_view window;    ///< of the tool that reads such logs; a name of named_windows()
  std::int64_t first_number;  ///< of the first step: 0 or 1
  std::unique_ptr<LogReader> (*reader)();
};

extern const LogFormat kDlloggerLog;
extern const LogFormat kNemoLog;
extern const LogFormat kNemoProgressBar;
extern const LogFormat kMegatronLog;
extern const LogFormat kTorchtitanLog;
extern const LogFormat kMaxTextLog;
extern const LogFormat kNanotronLog;
extern const LogFormat kComposerLog;
extern const LogFormat kMlperfLog;
extern const LogFormat kCsvLog;

/// All of them. Where a line could be of several, the first counts.
std::span<const LogFormat* const> log_formats();

/// What to take from a log.
struct LogRequest {
  std::optional<StepWindow> window;  ///< none: the format's own, or its replacement (OwnWindow)
  std::string format;                ///< a name of log_formats(); empty: that of the first step
};

/// Reads a log to its end, in memory that does not grow with it but for the steps of the window.
/// A log without any step is no error: `format` is empty then, and `steps` too.
MeasuredRun read_log(const ByteSource& source, const LogRequest& request);

/// The same from a file, plain or gzip. Throws InputError where it cannot be read.
MeasuredRun read_log_file(const std::string& path, const LogRequest& request,
                          const Watch& watch = {});

}  // namespace simtrain
