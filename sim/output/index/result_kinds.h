#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace simtrain {

/// What results are about: the sections of an index, in this order.
enum class ResultSubject : std::uint8_t {
  step,
  study,
  job,
  measured,
  validation,
  network,
  timeline,
  other,  ///< files that simtrain did not make, or that are broken
};

/// What an index says of one result; a file of a table holds several.
struct ResultLine {
  std::string title;  ///< of the scenario, the jobs, the cluster
  std::optional<double> step_s{};
  std::optional<double> mfu{};
  std::string says{};  ///< what else there is to tell
};

/// A schema of the JSON that simtrain prints, and what its documents say. `lines` throws
/// nlohmann::json::exception where a document is not as its schema has it.
struct DocumentKind {
  std::string_view schema;  ///< without "simtrain." and the version
  std::string_view name;    ///< for people
  ResultSubject subject{};
  std::vector<ResultLine> (*lines)(const nlohmann::json& document) = nullptr;
};

/// A page of --report, by page_kind().
struct ReportPageKind {
  std::string_view page;
  std::string_view name;
  ResultSubject subject{};
};

std::span<const DocumentKind> document_kinds();
std::span<const ReportPageKind> report_page_kinds();

/// The line of a sweep of which `fitting` of so many candidates run and fit; `best` has the figures
/// of the fastest of them.
ResultLine sweep_line(const std::string& title, ResultLine best, std::uint64_t fitting,
                      std::uint64_t candidates, bool complete);

}  // namespace simtrain
