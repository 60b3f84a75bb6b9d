#include <fstream>
#include <string>

#include "sim/core/json_text.h"
#include "sim/output/sweep/study_file.h"
#include "sim/output/sweep/sweep_hdf5.h"

namespace simtrain {
namespace {

SweepFileHead hdf5_head(const std::string& path) {
  const StudyFile file = study_file(path);
  if (file.schema != "simtrain.sweep/1" || !file.question || !file.complete) return {};
  return {*file.question, *file.complete};
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
