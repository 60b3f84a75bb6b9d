#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/fingerprint.h"
#include "sim/core/input/number_key.h"
#include "sim/core/input/yaml_tree.h"
#include "sim/core/threads/value_store.h"

namespace simtrain {

/// The folder that holds `hardware/` and `scenarios/`: one YAML file a GPU, node, fabric, cluster,
/// software stack, overlap table and model, found by name.
///
/// A file that says `based_on: NAME` is that file of its family with its own keys laid over, so
/// that a release or a machine states what differs.
///
/// A file is read once: this folder and its copies remember it, and do not see what is written
/// later. One folder may be used by many threads at a time.
class DataFolder {
 public:
  explicit DataFolder(std::string root) : root_(std::move(root)) {}

  /// The same folder with some numbers of `hardware/` set to others, in the order given.
  [[nodiscard]] DataFolder with(std::vector<NumberOverride> numbers) const;

  /// The same with these set before the numbers that this folder sets itself, which stay.
  [[nodiscard]] DataFolder with_beneath(std::vector<NumberOverride> numbers) const;

  /// The same folder as it is now: all YAML files of hardware/ and scenarios/models/ are read, and
  /// what changes on disk afterwards is not seen, so that many scenarios run on one state of
  /// the hardware. A file that is no YAML throws where it is asked for, as ever.
  [[nodiscard]] DataFolder snapshot() const;

  /// One number for the bytes of all files of a snapshot, 0 for a folder that is none.
  [[nodiscard]] std::uint64_t fingerprint() const;

  [[nodiscard]] const std::string& root() const { return root_; }

  /// The names that exist in a family ("hardware/gpus", "scenarios/models", ...), sorted.
  [[nodiscard]] std::vector<std::string> names(std::string_view family) const;

  /// Reads one file of a family. `where` and `key` are the place that names it: an unknown name is
  /// an InputError there that lists the known names. Takes the header that lists the fields of T.
  template <class T>
  [[nodiscard]] T load(std::string_view family, const std::string& name, const SourcePlace& where,
                       const std::string& key) const {
    static_assert(FieldsIncluded<T>,
                  "include the header that lists the struct's fields, *_fields.h");
    return *values_->get<T>(family_key(family, name),
                            [&] { return read_yaml<T>(*tree(family, name, where, key), ""); });
  }
  /// The same before it becomes a struct.
  [[nodiscard]] YamlNode load_tree(std::string_view family, const std::string& name,
                                   const SourcePlace& where, const std::string& key) const {
    return *tree(family, name, where, key);
  }

  /// What `make` works out from files of this folder, once for each type and name.
  template <class T, class Make>
  [[nodiscard]] T derived(const std::string& name, Make make) const {
    return *values_->get<T>(name, make);
  }

 private:
  /// What a snapshot knows beside its files' trees, which are in `files_`.
  struct Snapshot {
    std::map<std::string, std::vector<std::string>, std::less<>> names;  ///< by family
    std::uint64_t fingerprint = 0;
  };
  /// Reads a file ahead, and adds it to the fingerprint.
  void keep_file(const std::string& family, const std::string& name,
                 Fingerprint& fingerprint) const;
  static std::string family_key(std::string_view family, const std::string& name);
  [[nodiscard]] std::shared_ptr<const YamlNode> tree(std::string_view family,
                                                     const std::string& name,
                                                     const SourcePlace& where,
                                                     const std::string& key) const;
  /// The file's own tree, without what it is based on.
  [[nodiscard]] std::shared_ptr<const YamlNode> raw(std::string_view family,
                                                    const std::string& name,
                                                    const SourcePlace& where,
                                                    const std::string& key) const;
  /// `chain`: the files on the way to this one.
  [[nodiscard]] YamlNode with_base(const YamlNode& file, std::string_view family,
                                   std::vector<std::string> chain) const;
  [[nodiscard]] YamlNode read_file(std::string_view family, const std::string& name,
                                   const SourcePlace& where, const std::string& key) const;

  std::string root_;
  std::vector<NumberOverride> numbers_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<ValueStore> files_ = std::make_shared<ValueStore>();   ///< without `numbers_`
  std::shared_ptr<ValueStore> values_ = std::make_shared<ValueStore>();  ///< with them
};

}  // namespace simtrain
