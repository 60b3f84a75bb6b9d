#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace simtrain::api {

/// Something that the user wrote is wrong: a file, a key, a value, or values that cannot go
/// together (a legal job has TP x PP x CP x DP GPUs, for one). `what()` is one line to show:
/// `FILE:LINE:COLUMN: KEY: REASON`, without the parts that are not known.
class InputError : public std::runtime_error {
 public:
  /// Where it was written. Lines and columns count from 1.
  struct Place {
    std::string file;  ///< or `KEY=VALUE` where Scenario::with set it
    int line = 0;      ///< 0: the file as a whole
    int column = 0;    ///< 0: the line as a whole
  };

  InputError(const std::string& message, Place place, std::string key, std::string reason)
      : std::runtime_error(message),
        place_(std::move(place)),
        key_(std::move(key)),
        reason_(std::move(reason)) {}

  [[nodiscard]] const Place& place() const { return place_; }
  /// Dotted, as "parallelism.tensor_model_parallel_size"; empty where no single key is wrong.
  [[nodiscard]] const std::string& key() const { return key_; }
  /// What was found and what would do, with the key and without the place.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  Place place_;
  std::string key_;
  std::string reason_;
};

/// A fault of the library, which is worth a report: something that it relies on does not hold.
/// There is no result, but the library can still be used.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The path of the data that come with the library: what the environment variable SIMTRAIN_DATA
/// names, else share/simtrain below the prefix under which the library or the program is installed,
/// else the source tree that the library was built from. Such a folder need not exist.
[[nodiscard]] std::string installed_data_path();

/// A folder with `hardware/` (GPUs, nodes, fabrics, clusters, software) and `scenarios/` (recipes,
/// models), one YAML file each. Scenarios name these files.
///
/// Each file is read once, when it is first needed. To see a change on disk, open the folder again.
class DataFolder {
 public:
  /// Opens a folder. Throws InputError where it has no folder `hardware`.
  explicit DataFolder(const std::string& path);
  /// Opens installed_data_path().
  [[nodiscard]] static DataFolder installed();

  [[nodiscard]] const std::string& path() const;

  /// Families that names() knows: "gpus", "nodes", "fabrics", "clusters", "software", "tp-overlap",
  /// "models" and "scenarios".
  [[nodiscard]] static std::vector<std::string> families();
  /// The names in a family, sorted, as scenarios write them. Throws InputError where there is no
  /// such family.
  [[nodiscard]] std::vector<std::string> names(const std::string& family) const;
  /// A file of a family as JSON, with the keys of the file that it is based on; quantities are
  /// texts with their units. Throws InputError where there is none of this name.
  [[nodiscard]] std::string json(const std::string& family, const std::string& name) const;

  /// Kinds that schema() knows: "scenario", "gpu", "model", "result", ...
  [[nodiscard]] static std::vector<std::string> schemas();
  /// JSON Schema (draft 2020-12) of a kind of file or of JSON results, names of this folder's files
  /// among it. Throws InputError where there is no such kind.
  [[nodiscard]] std::string schema(const std::string& kind) const;

 private:
  friend struct Access;
  struct Content;
  std::shared_ptr<const Content> content_;
};

/// A training job to simulate: a model, a recipe (parallelism, batch, precision, overlap) and a
/// cluster. `simtrain help scenario` lists all keys of its YAML form.
///
/// A scenario is a value: row() and with() give another one and leave this as it is. Its YAML is
/// read at once, its keys when it is checked or simulated, so that several may be changed one by
/// one.
class Scenario {
 public:
  /// Reads a file. Throws InputError where it cannot be read or is no YAML.
  [[nodiscard]] static Scenario from_file(const DataFolder& data, const std::string& path);
  /// Reads `scenarios/NAME.yaml` of the data folder.
  [[nodiscard]] static Scenario from_data(const DataFolder& data, const std::string& name);
  /// Reads YAML text; messages call its file `name`.
  [[nodiscard]] static Scenario from_text(const DataFolder& data, const std::string& yaml,
                                          const std::string& name = "scenario.yaml");

  /// Names of the rows where the file has a table of variants, one of which is to be chosen.
  [[nodiscard]] std::vector<std::string> rows() const;
  /// The variant of one row. Throws InputError, naming the closest one, where there is no such row.
  [[nodiscard]] Scenario row(const std::string& name) const;

  /// The scenario with a key changed: a dotted key, or one of tp, pp, vp, cp, ep, mbs, gbs, nodes,
  /// gpus and precision; values of the hardware are behind `hardware.`. The value is YAML, with its
  /// unit where it has one: with("hardware.nic_bandwidth", "200Gb/s"). Throws InputError where the
  /// value is no YAML. Nodes take the place of GPUs, and GPUs that of nodes.
  [[nodiscard]] Scenario with(const std::string& key, const std::string& value) const;
  /// The same for a whole number.
  template <std::integral Integer>
  [[nodiscard]] Scenario with(const std::string& key, Integer value) const {
    return with(key, std::to_string(value));
  }

  /// The folder whose files it names.
  [[nodiscard]] const DataFolder& data() const;
  /// Throws InputError where the scenario cannot be simulated. simulate() does this too.
  void check() const;
  /// A title, made of the recipe where keys were changed. Throws as check().
  [[nodiscard]] std::string name() const;
  /// GPUs of the job. Throws as check().
  [[nodiscard]] int gpus() const;
  /// The scenario as a file of its own: row and changed keys filled in. Throws as check().
  [[nodiscard]] std::string yaml() const;
  /// The same as JSON, which from_text() reads too. Throws as check().
  [[nodiscard]] std::string json() const;

 private:
  friend struct Access;
  struct Content;
  explicit Scenario(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

}  // namespace simtrain::api
