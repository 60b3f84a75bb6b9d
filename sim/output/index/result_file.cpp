#include "sim/output/index/result_file.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/files/file_start.h"
#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"
#include "sim/core/json_text.h"
#include "sim/output/html/html.h"
#include "sim/output/html/picture.h"
#include "sim/output/html/template.h"
#include "sim/output/nccl/nccl_trace.h"
#include "sim/output/sweep/study_file.h"
#include "sim/output/sweep/sweep_hdf5.h"
#include "sim/output/trace/trace.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kLargestDocumentMib = 64;
constexpr std::string_view kForeign = "not made by simtrain";

void set_kind(ResultFile& file, ResultSubject subject, std::string kind, ResultLine line) {
  file.subject = subject;
  file.kind = std::move(kind);
  file.lines.push_back(std::move(line));
}

/// Of a page or a drawing.
std::string title_in(std::string_view start) {
  constexpr std::string_view kTitle = "<title>";
  const std::size_t at = start.find(kTitle);
  const std::size_t from = at + kTitle.size();
  return at == std::string_view::npos
             ? ""
             : plain_text(start.substr(from, start.find("</title>", from) - from));
}

void read_page(ResultFile& file, std::string_view start) {
  const std::string page = page_kind(start);
  const auto kinds = report_page_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const ReportPageKind& one) { return one.page == page; });
  if (kind == kinds.end()) {
    file.trouble = fmt::format("a page of another release, about '{}'", page);
    return;
  }
  file.lines = page_lines(start);
  if (file.lines.empty()) file.lines.push_back({""});
  for (ResultLine& line : file.lines) {
    if (line.title.empty()) line.title = title_in(start);
  }
  file.subject = kind->subject;
  file.kind = fmt::format("{} (page)", kind->name);
}

void read_hdf5(ResultFile& file, const std::string& path) {
  const StudyFile study = study_file(path);
  if (study.schema == "simtrain.sweep/1") {
    set_kind(file, ResultSubject::study, "sweep (HDF5)",
             sweep_line(study.scenario, {"", study.step_s, study.mfu}, study.fitting,
                        study.candidates.value_or(0), study.complete.value_or(false)));
  } else if (study.schema == "simtrain.goodput/1") {
    set_kind(file, ResultSubject::job, "goodput (HDF5)", {study.scenario, {}, {}, "a row a run"});
  } else if (study.schema == "simtrain.tune-front/1") {
    set_kind(file, ResultSubject::study, "tune (HDF5)",
             {study.scenario, {}, {}, "a row a plan that was simulated"});
  } else {
    file.trouble = "HDF5 that is not as simtrain wrote it";
  }
}

void read_document(ResultFile& file, const std::string& path) {
  const Json json = parse_json(read_text_file(path, {"a result", kLargestDocumentMib}));
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (json.is_discarded()) {
    file.trouble = "broken: no whole JSON document";
  } else if (!json.is_object() || schema == json.end() || !schema->is_string() ||
             !schema->get_ref<const std::string&>().starts_with("simtrain.")) {
    file.trouble = kForeign;
  } else if (const DocumentKind* kind = document_kind(schema->get_ref<const std::string&>())) {
    file.lines = document_lines(json);
    file.subject = kind->subject;
    file.kind = kind->name;
  } else {
    file.trouble =
        fmt::format("of no schema that an index knows: {}", schema->get_ref<const std::string&>());
  }
}

void read_content(ResultFile& file, const std::string& path) {
  const std::string start = file_start(path, kPageHead);
  if (start.empty()) {
    file.trouble = "empty";
  } else if (is_own_page(start)) {
    read_page(file, start);
  } else if (start.starts_with("\x89HDF")) {
    read_hdf5(file, path);
  } else if (is_own_drawing(start)) {
    set_kind(file, ResultSubject::network, "drawing (SVG)", {title_in(start)});
  } else if (is_own_trace(start)) {
    set_kind(file, ResultSubject::timeline, "timeline", {""});
  } else if (is_own_nccl_trace(start)) {
    set_kind(file, ResultSubject::timeline, "log of NCCL calls", {""});
  } else if (start.substr(0, start.find('\n')).find("simtrain.journal/") != std::string::npos) {
    file.trouble = "journal of a study that is not finished; --resume goes on with it";
  } else if (start.starts_with("{")) {
    read_document(file, path);
  } else if (!sweep_file_head(path).question.empty()) {
    set_kind(file, ResultSubject::study, "sweep (CSV)", {""});
  } else {
    file.trouble = kForeign;
  }
}

std::time_t written_at(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::file_clock::to_sys(time)));
}

}  // namespace

ResultFile result_file(const fs::path& folder, const fs::path& path) {
  const fs::path whole = folder / path;
  std::error_code error;
  ResultFile file{path};
  file.bytes = fs::file_size(whole, error);
  if (error) file.bytes = 0;
  file.written = written_at(whole);
  try {
    read_content(file, whole.string());
  } catch (const InputError& failure) {
    file.trouble = fmt::format("cannot be read: {}", failure.reason());
  } catch (const Json::exception&) {
    file.trouble = "broken: not what its schema says";
  }
  return file;
}

}  // namespace simtrain
