#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/app/stop_signals.h"
#include "sim/core/files/data_folder.h"

namespace simtrain {

/// A kind of file that simtrain writes: what another file is not, for messages (", and no page of
/// simtrain"), how simtrain knows its own, and the ending of a file that is written beside it.
struct OutputKind {
  std::string_view not_own;
  bool (*is_own)(const std::string& path);
  std::string_view beside{};
};

/// What the journal of a command is called behind its first output.
inline constexpr std::string_view kJournalEnd = ".journal";

extern const OutputKind kPageFile;     ///< --report
extern const OutputKind kIndexFile;    ///< of `index`: other pages are results
extern const OutputKind kTraceFile;    ///< --trace
extern const OutputKind kNcclLogFile;  ///< --nccl-trace
extern const OutputKind kDrawingFile;  ///< --svg
extern const OutputKind kSchemaFile;   ///< of `schema --all`
extern const OutputKind kYamlFile;     ///< its reader goes on to edit it: never known as own
extern const OutputKind kSweepFile;    ///< --hdf5 and --output of a sweep
extern const OutputKind kJournalFile;  ///< which looks at itself

/// The files that a command writes, under the one rule of all: an output takes the place of
/// nothing, of an empty file or of an earlier output of its kind; with --force of any file; never
/// of what the command reads or of another of its outputs, by whatever name or link.
class OutputFiles {
 public:
  /// `values` may have the option --force, and outlives this.
  explicit OutputFiles(const boost::program_options::variables_map& values);

  /// A file that the command reads, or a folder whose files it reads. `name` is for messages.
  void reads(const std::string& name, const std::string& path);
  /// The model that a scenario, as a tree of keys, names by path.
  void reads_model(const YamlNode& scenario);
  /// The hardware and model files.
  void reads_hardware(const DataFolder& data);
  /// A scenario's file, hardware and models with it.
  void reads_scenario(const DataFolder& data, const std::string& path);
  /// An output, where its option is given. Throws InputError where it names no file.
  void writes(const std::string& option, const OutputKind& kind);
  /// An output of an option that has another path than the option says.
  void writes(const std::string& option, const std::string& name, const OutputKind& kind,
              const std::string& path);

  [[nodiscard]] bool any() const { return !outputs_.empty(); }
  [[nodiscard]] std::vector<std::string> paths() const;

  /// Throws InputError where an output breaks the rule or cannot be written: to be called when what
  /// is read is known and before the work. Throws also at --force without an output.
  void check() const;
  /// `check`; from now on, a signal that ends the program leaves no parts of files.
  void start();
  /// Writes the file of an option, if it was given, whole or not at all.
  void write(const std::string& option, const std::string& text) const;
  /// Writes the outputs of an option, all of them or none: a text for each, in their order.
  void write_all(const std::string& option, const std::vector<std::string>& texts) const;

 private:
  struct Named {
    std::string option;
    std::string name;
    std::string path;
    const OutputKind* kind = nullptr;  ///< of an output
  };

  void check_apart(const Named& output) const;
  static void check_apart(const Named& output, const Named& other);
  void check_own(const Named& output) const;

  const boost::program_options::variables_map& values_;
  bool force_;
  std::vector<std::string> options_;  ///< that would write
  std::vector<Named> inputs_;         ///< files and folders
  std::vector<Named> outputs_;
  std::unique_ptr<StopSignals> signals_;
};

}  // namespace simtrain
