#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/measured/profiles/profile_builder.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/measured/profiles/sqlite_file.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kRanges = "NVTX_EVENTS";
constexpr std::string_view kNames = "StringIds";
constexpr std::string_view kCopyNames = "ENUM_CUDA_MEMCPY_OPER";

/// Of kernels in one table, by GPU: more are a broken file, not a training step.
constexpr std::size_t kMostKinds = 1'000'000;

using Names = std::set<std::string, std::less<>>;

/// The number of a step that a range is marked as, `iteration 12` or `ProfilerStep#3`, with the
/// word before it. Nothing for other ranges.
std::optional<std::pair<std::string, std::int64_t>> step_of_range(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"profilerstep", "iteration", "iter",
                                                   "train_step", "step"};
  const std::string small = lower_case(std::string(trimmed(text.substr(0, 64))));
  for (const std::string_view word : kWords) {
    if (!small.starts_with(word)) continue;
    std::string_view rest = std::string_view(small).substr(word.size());
    const bool mark = !rest.empty() && std::string_view(" _#:=").find(rest[0]) != rest.npos;
    rest = trimmed(rest.substr(mark ? 1 : 0));
    const bool digits = !rest.empty() && rest.find_first_not_of("0123456789") == rest.npos;
    const auto number = digits ? whole_number_in(rest) : std::nullopt;
    if (number) return std::pair{std::string(word), *number};
  }
  return std::nullopt;
}

/// What `nsys export --type sqlite` makes of a report: a table of all kernels, whose names are
/// numbers of another table; copies and memory sets; graphs that were traced as a whole; ranges of
/// NVTX, of which those that are numbered steps count.
class NsysDatabase {
 public:
  explicit NsysDatabase(const SqliteFile& file) : file_(file), tables_(file.tables()) {}

  Profile read() {
    require();
    kernels();
    copies();
    sets();
    graphs();
    steps();
    Profile profile = profile_.take();
    profile.events = events_;
    return profile;
  }

 private:
  void require() {
    if (!tables_.contains(kNames))
      throw SqliteError(fmt::format(
          "has no table {}: it is no SQLite export of nsys ('nsys export --type sqlite')", kNames));
    if (!tables_.contains(kKernels))
      throw SqliteError(fmt::format(
          "has no table {}: no kernel was traced; nsys profile --trace=cuda traces them",
          kKernels));
    const Names columns = file_.columns(kKernels);
    for (const std::string_view column : {"start", "end", "deviceId", "demangledName"}) {
      if (!columns.contains(column))
        throw SqliteError(
            fmt::format("has no column {} in the table {}; an export of nsys 2020 or "
                        "later has one",
                        column, kKernels));
    }
  }

  /// A process sees its GPUs by numbers of its own, often each its GPU 0.
  [[nodiscard]] std::string process_of(std::string_view table) const {
    return file_.columns(table).contains("globalPid") ? "globalPid" : "0";
  }

  /// What ran of one kind on a GPU: the rows of a table that are alike in process, device and key.
  struct Runs {
    std::int64_t calls = 0;
    double nanoseconds = 0;
  };
  using Cell = std::optional<std::int64_t>;
  using RunsByKind = std::map<std::tuple<Cell, Cell, Cell>, Runs>;

  /// Selects the GPU of a process for what follows.
  bool select_gpu(const Cell& process, const Cell& device) {
    const auto text = [](const Cell& cell) { return cell ? std::to_string(*cell) : ""; };
    return profile_.gpu(text(process) + "/" + text(device), events_);
  }

  /// When the rows of a table ran, and how often and how long those alike in `key`; `name` of a key
  /// makes the name of what ran.
  void runs(std::string_view table, std::string_view key, const std::string& name) {
    RunsByKind kinds;
    std::int64_t unended = 0;
    std::int64_t beyond = 0;
    std::optional<std::pair<Cell, Cell>> gpu;  // of the row before
    bool counts = false;                       // what runs there
    const std::string query = fmt::format("SELECT {}, deviceId, {}, start, \"end\" FROM {}",
                                          process_of(table), key, table);
    file_.each(query, [&](const SqliteRow& row) {
      const Cell start = row.whole(3);
      const Cell end = row.whole(4);
      if (!start || !end || *end < *start) {
        ++unended;
        return;
      }
      const std::pair now(row.whole(0), row.whole(1));
      if (gpu != now) counts = select_gpu(now.first, now.second);
      gpu = now;
      if (counts) profile_.ran(*start, *end);
      const std::tuple kind(now.first, now.second, row.whole(2));
      if (kinds.size() >= kMostKinds && !kinds.contains(kind)) {
        ++beyond;
        return;
      }
      Runs& sum = kinds[kind];
      ++sum.calls;
      sum.nanoseconds += static_cast<double>(static_cast<std::uint64_t>(*end) -
                                             static_cast<std::uint64_t>(*start));
    });
    for (const auto& [kind, sum] : kinds) add(kind, sum, name);
    skip(beyond, "is beyond the first million kinds of kernels of its table");
    skip(unended, "has no end, or one before its start");
  }

  void add(const RunsByKind::key_type& kind, const Runs& sum, const std::string& name) {
    const Cell& key = std::get<2>(kind);
    events_ += sum.calls;
    const std::string query =
        fmt::format("SELECT {} FROM (SELECT {} AS key)", name, key ? std::to_string(*key) : "NULL");
    file_.each(query, [&](const SqliteRow& row) {
      const std::string_view text = trimmed(row.text(0));
      if (text.empty()) {
        profile_.skip(events_, "has no name in the table StringIds");
        return;
      }
      if (select_gpu(std::get<0>(kind), std::get<1>(kind)))
        profile_.kernel(text, sum.calls, sum.nanoseconds * 1e-9, events_);
    });
  }

  void skip(std::int64_t rows, std::string_view why) {
    for (; rows > 0; --rows) profile_.skip(++events_, why);
  }

  void kernels() {
    runs(kKernels, "demangledName",
         fmt::format("(SELECT value FROM {} WHERE id = key LIMIT 1)", kNames));
  }

  void copies() {
    if (!tables_.contains(kCopies)) return;
    const std::string label =
        tables_.contains(kCopyNames)
            ? fmt::format("COALESCE((SELECT label FROM {} WHERE id = key LIMIT 1), 'kind ' || key)",
                          kCopyNames)
            : "'kind ' || key";
    runs(kCopies, "copyKind", "'[CUDA memcpy ' || " + label + " || ']'");
  }

  void sets() {
    if (tables_.contains(kSets)) runs(kSets, "0", "'[CUDA memset]'");
  }

  void graphs() {
    if (!tables_.contains(kGraphs)) return;
    file_.each(fmt::format("SELECT COUNT(*) FROM {}", kGraphs), [&](const SqliteRow& row) {
      skip(row.whole(0).value_or(0),
           "is a CUDA graph as a whole; nsys profile --cuda-graph-trace=node traces its kernels");
    });
  }

  /// Ranges of several words that are numbered (iterations, and steps of something else within
  /// them) say nothing.
  void steps() {
    if (!tables_.contains(kRanges)) return;
    const Names columns = file_.columns(kRanges);
    if (!columns.contains("text") || !columns.contains("end")) return;
    const std::string text =
        columns.contains("textId")
            ? fmt::format("COALESCE(text, (SELECT value FROM {} WHERE id = textId LIMIT 1))",
                          kNames)
            : "text";
    std::map<std::string, std::set<std::int64_t>> found;
    file_.each(fmt::format("SELECT DISTINCT {} FROM {} WHERE \"end\" IS NOT NULL", text, kRanges),
               [&](const SqliteRow& row) {
                 if (const auto step = step_of_range(row.text(0)))
                   found[step->first].insert(step->second);
               });
    if (found.size() != 1) return;
    for (const std::int64_t number : found.begin()->second) profile_.step(number);
  }

  const SqliteFile& file_;
  Names tables_;
  ProfileBuilder profile_;
  std::int64_t events_ = 0;
};

/// What a database holds, or why it cannot be read.
template <class Open>
Profile read_database(const Open& open) {
  try {
    const SqliteFile file = open();
    return NsysDatabase(file).read();
  } catch (const SqliteError& error) {
    Profile profile;
    profile.damage = error.what();
    return profile;
  }
}

/// From a packed file or a pipe, through memory.
Profile read_stream(const ByteSource& source) {
  constexpr std::size_t kMost = 1U << 30U;
  std::string bytes;
  std::array<char, 65536> buffer{};
  for (std::size_t count = source(buffer); count > 0; count = source(buffer)) {
    if (bytes.size() + count > kMost) {
      Profile profile;
      profile.damage =
          "is an SQLite file of more than 1 GiB that is packed or a pipe; unpacked, in "
          "a file, it would do";
      return profile;
    }
    bytes.append(buffer.data(), count);
  }
  const auto size = static_cast<std::int64_t>(bytes.size());
  Profile profile = read_database([&] { return SqliteFile::of_bytes(std::move(bytes)); });
  profile.bytes = size;
  return profile;
}

Profile read_path(const std::string& path) {
  return read_database([&] { return SqliteFile(path); });
}

bool fits_sqlite(std::string_view head) { return head.starts_with(kMagic); }

}  // namespace

const ProfileFormat kNsysDatabase{
    "nsys-sqlite", "nsys export --type sqlite, or what nsys stats leaves beside a report",
    fits_sqlite, read_stream, read_path};

}  // namespace simtrain
