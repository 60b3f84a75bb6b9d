#include "sim/measured/profiles/sqlite_file.h"

#include <cstdlib>
#include <sqlite3.h>
#include <utility>

#include <fmt/format.h>

namespace simtrain {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

constexpr int kReadOnly = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;

}  // namespace

std::optional<std::int64_t> SqliteRow::whole(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

double SqliteRow::number(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view SqliteRow::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void SqliteFile::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

SqliteFile::SqliteFile(const std::string& path) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &opened, kReadOnly, nullptr);
  database_.reset(opened);
  if (result != SQLITE_OK) fail();
}

SqliteFile SqliteFile::of_bytes(std::string bytes) {
  SqliteFile file;
  file.bytes_ = std::make_unique<std::string>(std::move(bytes));
  sqlite3* opened = nullptr;
  int result =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  file.database_.reset(opened);
  const auto size = static_cast<sqlite3_int64>(file.bytes_->size());
  if (result == SQLITE_OK)
    result =
        sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(file.bytes_->data()),
                            size, size, SQLITE_DESERIALIZE_READONLY);
  if (result != SQLITE_OK) file.fail();
  return file;
}

void SqliteFile::fail() const {
  const char* const why = database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_.get());
  throw SqliteError(fmt::format("cannot be read as an SQLite database: {}", why));
}

std::set<std::string, std::less<>> SqliteFile::tables() const {
  std::set<std::string, std::less<>> names;
  each("SELECT name FROM sqlite_master WHERE type = 'table'",
       [&](const SqliteRow& row) { names.emplace(row.text(0)); });
  return names;
}

std::set<std::string, std::less<>> SqliteFile::columns(std::string_view table) const {
  std::set<std::string, std::less<>> names;
  each(fmt::format("SELECT name FROM pragma_table_info('{}')", table),
       [&](const SqliteRow& row) { names.emplace(row.text(0)); });
  return names;
}

void SqliteFile::each(const std::string& query,
                      const std::function<void(const SqliteRow&)>& row) const {
  sqlite3_stmt* made = nullptr;
  const int prepared = sqlite3_prepare_v2(database_.get(), query.c_str(),
                                          static_cast<int>(query.size()), &made, nullptr);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(made);
  if (prepared != SQLITE_OK) fail();
  int step = sqlite3_step(made);
  for (; step == SQLITE_ROW; step = sqlite3_step(made)) row(SqliteRow(made));
  if (step != SQLITE_DONE) fail();
}

}  // namespace simtrain
