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

/// The kind of a schema such as "simtrain.sweep/1"; null where there is none.
const DocumentKind* document_kind(std::string_view schema);

/// What a document of such a schema says: one line at least. Throws nlohmann::json::exception where
/// it is not as its schema has it.
std::vector<ResultLine> document_lines(const nlohmann::json& document);

/// Lines as they stand in the head of a page: objects of title, step_s, mfu and says, null where
/// there is no such figure.
nlohmann::ordered_json lines_json(const std::vector<ResultLine>& lines);

/// The lines again. Throws nlohmann::json::exception where they are not so.
std::vector<ResultLine> lines_of(const nlohmann::json& json);

std::span<const ReportPageKind> report_page_kinds();

/// The line of a sweep of which `fitting` of so many candidates run and fit; `best` has the figures
/// of the fastest of them.
ResultLine sweep_line(const std::string& title, ResultLine best, std::uint64_t fitting,
                      std::uint64_t candidates, bool complete);

}  // namespace simtrain
