#include <fstream>
#include <iterator>
#include <string>

#include <H5Cpp.h>
#include <nlohmann/json.hpp>

#include "sim/output/sweep_hdf5.h"

namespace simtrain {
namespace {

SweepFileHead hdf5_head(const std::string& path) {
  try {
    H5::Exception::dontPrint();
    const H5::H5File file(path, H5F_ACC_RDONLY);
    const H5::Group root = file.openGroup("/");
    SweepFileHead head;
    const H5::Attribute question = root.openAttribute("question");
    question.read(question.getStrType(), head.question);
    std::uint64_t complete = 0;
    root.openAttribute("complete").read(H5::PredType::NATIVE_UINT64, &complete);
    head.complete = complete != 0;
    return head;
  } catch (const H5::Exception&) {
    return {};
  }
}

/// The first line is a whole object but for its end.
SweepFileHead json_head(std::string line) {
  if (!line.empty() && line.back() == ',') line.back() = '}';
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "simtrain.sweep/1") return {};
  const auto question = json.find("question");
  const auto complete = json.find("complete");
  if (question == json.end() || !question->is_string() || complete == json.end()) return {};
  return {question->get<std::string>(), complete->is_boolean() && complete->get<bool>()};
}

/// The last cell of each row names the question.
SweepFileHead csv_head(std::ifstream& file, const std::string& columns) {
  if (!columns.starts_with("index,") || !columns.ends_with(",question")) return {};
  std::string row;
  std::getline(file, row);
  const std::size_t comma = row.rfind(',');
  return comma == std::string::npos ? SweepFileHead{} : SweepFileHead{row.substr(comma + 1), true};
}

}  // namespace

SweepFileHead sweep_file_head(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first;
  if (!std::getline(file, first)) return {};
  if (first.starts_with("\x89HDF")) return hdf5_head(path);
  return first.starts_with("{") ? json_head(first) : csv_head(file, first);
}

}  // namespace simtrain
