#include "sim/core/files/data_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/files/text_file.h"
#include "sim/core/files/yaml_file.h"
#include "sim/core/fingerprint.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

constexpr TextFileKind kDataFile{"a YAML file", 16};
constexpr std::string_view kBasedOn = "based_on";

/// The folders of YAML files below `root`, as families: "hardware", "hardware/gpus", ...
std::vector<std::string> families_of(const std::filesystem::path& root) {
  std::vector<std::string> families{"hardware", "scenarios/models"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root / "hardware", error)) {
    if (entry.is_directory(error))
      families.push_back("hardware/" + entry.path().filename().string());
  }
  std::sort(families.begin(), families.end());
  return families;
}

/// Why no files of a folder are found, where the system gives a reason.
std::string nothing_in(const std::string& folder) {
  std::error_code error;
  static_cast<void>(std::filesystem::directory_iterator(folder, error));
  const bool refused = error && error != std::errc::no_such_file_or_directory;
  return fmt::format("no files in {}{}", folder, refused ? ": " + error.message() : "");
}

/// Replaces what `file` says, key by key; a value with its source is one.
void lay_over(YamlNode& base, const YamlNode& file) {
  base.place = file.place;
  for (const YamlEntry& entry : file.entries) {
    YamlNode* known = base.find(entry.key);
    const bool of_keys = known != nullptr && known->kind == YamlNode::Kind::map &&
                         entry.value.kind == YamlNode::Kind::map &&
                         entry.value.find("value") == nullptr;
    if (of_keys) {
      lay_over(*known, entry.value);
    } else {
      std::erase_if(base.entries, [&](const YamlEntry& one) { return one.key == entry.key; });
      base.entries.push_back(entry);
    }
  }
}

std::string path_of(const std::string& root, std::string_view family, const std::string& name) {
  return fmt::format("{}/{}/{}.yaml", root, family, name);
}

}  // namespace

DataFolder DataFolder::with(std::vector<NumberOverride> numbers) const {
  DataFolder result = *this;
  result.values_ = std::make_shared<ValueStore>();
  for (NumberOverride& number : numbers) result.numbers_.push_back(std::move(number));
  return result;
}

DataFolder DataFolder::with_beneath(std::vector<NumberOverride> numbers) const {
  DataFolder result = *this;
  result.values_ = std::make_shared<ValueStore>();
  result.numbers_ = std::move(numbers);
  result.numbers_.insert(result.numbers_.end(), numbers_.begin(), numbers_.end());
  return result;
}

DataFolder DataFolder::snapshot() const {
  auto kept = std::make_shared<Snapshot>();
  DataFolder result(root_);
  result.numbers_ = numbers_;
  Fingerprint fingerprint;
  for (const std::string& family : families_of(root_)) {
    kept->names[family] = DataFolder(root_).names(family);
    for (const std::string& name : kept->names[family]) result.keep_file(family, name, fingerprint);
  }
  kept->fingerprint = fingerprint.value();
  result.snapshot_ = std::move(kept);
  return result;
}

void DataFolder::keep_file(const std::string& family, const std::string& name,
                           Fingerprint& fingerprint) const {
  const std::string path = path_of(root_, family, name);
  try {
    const std::string text = read_text_file(path, kDataFile);
    fingerprint.add(family);
    fingerprint.add(name);
    fingerprint.add(text);
    files_->get<YamlNode>(family_key(family, name), [&] { return load_yaml_text(text, path); });
  } catch (const InputError&) {  // thrown again where a scenario names the file
  }
}

std::uint64_t DataFolder::fingerprint() const { return snapshot_ ? snapshot_->fingerprint : 0; }

std::vector<std::string> DataFolder::names(std::string_view family) const {
  if (snapshot_) {
    const auto known = snapshot_->names.find(family);
    return known == snapshot_->names.end() ? std::vector<std::string>() : known->second;
  }
  std::vector<std::string> result;
  std::error_code error;
  const auto folder = std::filesystem::path(root_) / family;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") result.push_back(entry.path().stem().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Keeps family and name apart, so that a name with a slash is no other family's.
std::string DataFolder::family_key(std::string_view family, const std::string& name) {
  return fmt::format("{}: {}", family, name);
}

YamlNode DataFolder::read_file(std::string_view family, const std::string& name,
                               const SourcePlace& where, const std::string& key) const {
  const std::vector<std::string> known = names(family);
  if (!std::binary_search(known.begin(), known.end(), name)) {
    const std::string hint =
        known.empty() ? nothing_in(fmt::format("{}/{}", root_, family)) : suggestion(name, known);
    throw InputError(where, key, fmt::format("'{}' is not in {}; {}", name, family, hint));
  }
  return load_yaml_file(path_of(root_, family, name));
}

YamlNode DataFolder::with_base(const YamlNode& file, std::string_view family,
                               std::vector<std::string> chain) const {
  const YamlNode* base = file.find(kBasedOn);
  if (base == nullptr) return file;
  if (base->kind != YamlNode::Kind::scalar)
    throw InputError(base->place, std::string(kBasedOn), "needs the name of a file");
  if (std::find(chain.begin(), chain.end(), base->text) != chain.end())
    throw InputError(base->place, std::string(kBasedOn),
                     fmt::format("'{}' is based on this file itself", base->text));
  chain.push_back(base->text);
  const YamlNode below = *raw(family, base->text, base->place, std::string(kBasedOn));
  YamlNode result = with_base(below, family, std::move(chain));
  lay_over(result, file);
  std::erase_if(result.entries, [](const YamlEntry& entry) { return entry.key == kBasedOn; });
  return result;
}

std::shared_ptr<const YamlNode> DataFolder::raw(std::string_view family, const std::string& name,
                                                const SourcePlace& where,
                                                const std::string& key) const {
  return files_->get<YamlNode>(family_key(family, name),
                               [&] { return read_file(family, name, where, key); });
}

std::shared_ptr<const YamlNode> DataFolder::tree(std::string_view family, const std::string& name,
                                                 const SourcePlace& where,
                                                 const std::string& key) const {
  std::shared_ptr<const YamlNode> file = raw(family, name, where, key);
  if (numbers_.empty() && file->find(kBasedOn) == nullptr) return file;
  return values_->get<YamlNode>(family_key(family, name), [&] {
    YamlNode tree = with_base(*file, family, {name});
    const std::string path = fmt::format("{}/{}.yaml", family, name);
    for (const NumberOverride& number : numbers_) {
      if (path == "hardware/" + number.file) set_number(tree, number);
    }
    return tree;
  });
}

}  // namespace simtrain
