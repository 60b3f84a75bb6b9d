#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace simtrain {

/// Why an SQLite file cannot be read, to follow the name of the file.
class SqliteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A row of an answer, while it is the current one; columns count from 0.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  /// Nothing where the cell is empty (NULL).
  [[nodiscard]] std::optional<std::int64_t> whole(int column) const;
  [[nodiscard]] double number(int column) const;
  /// Empty where the cell is. Lasts as long as the row.
  [[nodiscard]] std::string_view text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// An SQLite database that is read and never written. All that fails throws SqliteError.
class SqliteFile {
 public:
  explicit SqliteFile(const std::string& path);
  /// The bytes of such a file.
  static SqliteFile of_bytes(std::string bytes);

  /// Names of the tables: what is no table (a view) is none of them.
  [[nodiscard]] std::set<std::string, std::less<>> tables() const;
  [[nodiscard]] std::set<std::string, std::less<>> columns(std::string_view table) const;
  /// Calls `row` with each row of the answer to a query.
  void each(const std::string& query, const std::function<void(const SqliteRow&)>& row) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  SqliteFile() = default;
  [[noreturn]] void fail() const;

  std::unique_ptr<std::string> bytes_;  ///< of one in memory; outlives the database
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace simtrain
