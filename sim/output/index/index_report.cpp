#include "sim/output/index/index_report.h"

#include <array>
#include <cctype>
#include <ctime>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/printable.h"
#include "sim/output/html/html.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;
using PageJson = nlohmann::ordered_json;

struct Section {
  ResultSubject subject{};
  std::string_view heading;
};

constexpr std::array kSections{Section{ResultSubject::step, "Steps"},
                               Section{ResultSubject::study, "Sweeps, plans and sizes"},
                               Section{ResultSubject::job, "Training jobs"},
                               Section{ResultSubject::measured, "Measured runs"},
                               Section{ResultSubject::validation, "Validation and fits"},
                               Section{ResultSubject::network, "Networks"},
                               Section{ResultSubject::timeline, "Timelines"},
                               Section{ResultSubject::other, "Other pages"}};

std::string day_and_time(std::time_t time) {
  std::tm utc{};
  if (gmtime_r(&time, &utc) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min);
}

/// A path as a link: every byte but letters, digits and a few signs by its number, so that no name
/// can be taken for a scheme, a query or a fragment.
std::string link_text(const fs::path& path) {
  std::string out;
  for (const char byte : path.generic_string()) {
    const auto number = static_cast<unsigned char>(byte);
    const bool plain = number < 0x80 && (std::isalnum(number) != 0 ||
                                         std::string_view("-._~/").find(byte) != std::string::npos);
    out += plain ? std::string(1, byte) : fmt::format("%{:02X}", number);
  }
  return out;
}

/// The way from the folder of a page to a file.
fs::path way_to(const fs::path& file, const std::string& page_path) {
  const fs::path from = fs::weakly_canonical(fs::absolute(page_path).parent_path());
  const fs::path folder = fs::weakly_canonical(fs::absolute(file.parent_path()));
  return (folder.lexically_relative(from) / file.filename()).lexically_normal();
}

PageJson file_cells(const ResultFolder& folder, const ResultFile& file,
                    const std::string& page_path) {
  return {{"link", link_text(way_to(fs::path(folder.path) / file.path, page_path))},
          {"name", printable(file.path.generic_string())},
          {"size", file_size_text(file.bytes)},
          {"written", day_and_time(file.written)}};
}

PageJson line_cells(const PageJson& cells, const ResultFile& file, const ResultLine& line) {
  PageJson row = cells;
  row["kind"] = file.kind;
  row["title"] = printable(line.title);
  row["step"] = line.step_s ? seconds_text(*line.step_s) : "";
  row["mfu"] = line.mfu ? percent_text(*line.mfu) : "";
  row["says"] = printable(line.says);
  return row;
}

PageJson section_content(const ResultFolder& folder, const Section& section,
                         const std::string& page_path) {
  PageJson rows = PageJson::array();
  std::size_t files = 0;
  bool figures = false;
  for (const ResultFile& file : folder.files) {
    if (!file.trouble.empty() || file.subject != section.subject) continue;
    ++files;
    const PageJson cells = file_cells(folder, file, page_path);
    for (const ResultLine& line : file.lines) {
      figures = figures || line.step_s || line.mfu;
      rows.push_back(line_cells(cells, file, line));
    }
  }
  for (PageJson& row : rows) row["figures"] = figures;
  return {{"heading", section.heading},
          {"files", fmt::format("{} file{}", files, files == 1 ? "" : "s")},
          {"figures", figures},
          {"rows", std::move(rows)}};
}

struct Counts {
  std::size_t results = 0;
  std::size_t others = 0;
};

Counts counts_of(const ResultFolder& folder) {
  Counts counts;
  for (const ResultFile& file : folder.files)
    ++(file.trouble.empty() ? counts.results : counts.others);
  return counts;
}

PageJson trouble_rows(const ResultFolder& folder, const std::string& page_path) {
  PageJson rows = PageJson::array();
  for (const ResultFile& file : folder.files) {
    if (file.trouble.empty()) continue;
    PageJson row = file_cells(folder, file, page_path);
    row["trouble"] = printable(file.trouble);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string index_html(const ResultFolder& folder, const std::string& page_path) {
  PageJson sections = PageJson::array();
  for (const Section& section : kSections) {
    PageJson content = section_content(folder, section, page_path);
    if (!content.at("rows").empty()) sections.push_back(std::move(content));
  }
  PageJson not_seen = PageJson::array();
  for (const std::string& sentence : folder.not_seen) not_seen.push_back({{"sentence", sentence}});
  const Counts counts = counts_of(folder);
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder.path));
  return html_page("index",
                   {{"title", fmt::format("Results in {}", printable(whole.filename().string()))},
                    {"results", counts.results},
                    {"results_word", counts.results == 1 ? "result" : "results"},
                    {"others", counts.others},
                    {"others_word", counts.others == 1 ? "other file" : "other files"},
                    {"sections", std::move(sections)},
                    {"any_others", counts.others > 0},
                    {"troubles", trouble_rows(folder, page_path)},
                    {"any_not_seen", !not_seen.empty()},
                    {"not_seen", std::move(not_seen)}});
}

std::string index_text(const ResultFolder& folder, const std::string& page_path) {
  const Counts counts = counts_of(folder);
  std::string out = wrapped(fmt::format("{}: {} results of {} files", printable(page_path),
                                        counts.results, counts.results + counts.others),
                            0) +
                    "\n";
  std::map<std::string, std::size_t> kinds;
  for (const ResultFile& file : folder.files) {
    if (file.trouble.empty()) ++kinds[file.kind];
  }
  for (const auto& [kind, count] : kinds) out += fmt::format("  {:<32}{:>7}\n", kind, count);
  constexpr std::size_t kShown = 20;
  std::size_t shown = 0;
  for (const ResultFile& file : folder.files) {
    if (file.trouble.empty() || ++shown > kShown) continue;
    if (shown == 1) out += "\nOther files\n";
    out += wrapped_line(
        fmt::format("{}: {}", printable(file.path.generic_string()), printable(file.trouble)));
  }
  if (shown > kShown) out += fmt::format("  and {} more; the page has all\n", shown - kShown);
  if (!folder.not_seen.empty()) out += "\nNot looked at\n";
  for (const std::string& sentence : folder.not_seen) out += wrapped_line(sentence);
  return out;
}

}  // namespace simtrain
