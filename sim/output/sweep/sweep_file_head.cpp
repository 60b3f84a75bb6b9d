#include <fstream>
#include <optional>
#include <string>

#include <H5Cpp.h>

#include "sim/core/files/seal.h"
#include "sim/core/json_text.h"
#include "sim/output/sweep/sweep_hdf5.h"

namespace simtrain {
namespace {

/// One text of fixed length; nothing where the attribute is anything else.
std::optional<std::string> text_of(const H5::Group& group, const char* name) {
  constexpr std::size_t kLongest = 4096;
  if (!group.attrExists(name)) return std::nullopt;
  const H5::Attribute attribute = group.openAttribute(name);
  if (attribute.getTypeClass() != H5T_STRING ||
      attribute.getSpace().getSimpleExtentType() != H5S_SCALAR)
    return std::nullopt;
  const H5::StrType type = attribute.getStrType();
  if (type.isVariableStr() || type.getSize() > kLongest) return std::nullopt;
  std::string text(type.getSize(), '\0');
  attribute.read(type, text.data());
  return text.substr(0, text.find('\0'));
}

/// One whole number of 0 or more; nothing where the attribute is anything else.
std::optional<std::uint64_t> number_of(const H5::Group& group, const char* name) {
  if (!group.attrExists(name)) return std::nullopt;
  const H5::Attribute attribute = group.openAttribute(name);
  if (attribute.getTypeClass() != H5T_INTEGER ||
      attribute.getSpace().getSimpleExtentType() != H5S_SCALAR)
    return std::nullopt;
  std::uint64_t number = 0;
  attribute.read(H5::PredType::NATIVE_UINT64, &number);
  return number;
}

/// The HDF5 library is shown only what simtrain has written: it trusts a file in much.
SweepFileHead hdf5_head(const std::string& path) {
  if (!has_seal(path)) return {};
  try {
    H5::Exception::dontPrint();
    const H5::H5File file(path, H5F_ACC_RDONLY);
    const H5::Group root = file.openGroup("/");
    const auto question = text_of(root, "question");
    const auto complete = number_of(root, "complete");
    if (text_of(root, "schema") != "simtrain.sweep/1" || !question || !complete) return {};
    return {*question, *complete == 1};
  } catch (const H5::Exception&) {
    return {};
  }
}

/// The first line is a whole object but for its end.
SweepFileHead json_head(std::string line) {
  if (!line.empty() && line.back() == ',') line.back() = '}';
  const auto json = parse_json(line);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "simtrain.sweep/1") return {};
  const auto question = json.find("question");
  const auto complete = json.find("complete");
  if (question == json.end() || !question->is_string() || complete == json.end()) return {};
  return {question->get<std::string>(), complete->is_boolean() && complete->get<bool>()};
}

/// The last cell of each row names the question.
SweepFileHead csv_head(const std::string& columns, const std::string& row) {
  if (!columns.starts_with("index,") || !columns.ends_with(",question")) return {};
  const std::size_t comma = row.rfind(',');
  return comma == std::string::npos ? SweepFileHead{} : SweepFileHead{row.substr(comma + 1), true};
}

/// The next line of bytes of which there are few; empty at their end.
std::string next_line(std::string& bytes) {
  const std::size_t end = bytes.find('\n');
  std::string line = bytes.substr(0, end);
  bytes.erase(0, end == std::string::npos ? bytes.size() : end + 1);
  return line;
}

}  // namespace

SweepFileHead sweep_file_head(const std::string& path) {
  constexpr std::size_t kHead = std::size_t{1} << 20U;  // longer than the first two lines are
  std::string bytes(kHead, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.starts_with("\x89HDF")) return hdf5_head(path);
  const std::string first = next_line(bytes);
  return first.starts_with("{") ? json_head(first) : csv_head(first, next_line(bytes));
}

}  // namespace simtrain
