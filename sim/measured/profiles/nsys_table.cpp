#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/core/input/csv_cells.h"
#include "sim/core/input/text_parts.h"
#include "sim/measured/logs/line_reader.h"
#include "sim/measured/profiles/profile_builder.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

/// What a table of nsys stats lists, and in which columns.
struct Layout {
  bool copies = false;  ///< memory operations, not kernels
  std::size_t cells = 0;
  std::size_t time = 0;
  std::optional<std::size_t> calls;  ///< none: a line a call
  std::size_t name = 0;
  std::optional<std::size_t> gpu;       ///< on which it ran
  std::optional<std::size_t> category;  ///< of tables that list more than what runs on GPUs
  double unit = 1;                      ///< of the times, in seconds
};

std::optional<std::size_t> column(const std::vector<std::string_view>& cells,
                                  std::string_view name) {
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](std::string_view cell) { return trimmed(cell) == name; });
  if (found == cells.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cells.begin());
}

struct TimeUnit {
  std::string_view name;
  double seconds = 1;
};
constexpr std::array kUnits{TimeUnit{" (ns)", 1e-9},   TimeUnit{" (us)", 1e-6},
                            TimeUnit{" (ms)", 1e-3},   TimeUnit{" (s)", 1},
                            TimeUnit{" (sec)", 1},     TimeUnit{" (msec)", 1e-3},
                            TimeUnit{" (usec)", 1e-6}, TimeUnit{" (nsec)", 1e-9}};

/// The column of a time, in whatever unit.
bool find_time(const std::vector<std::string_view>& cells, const std::string& name,
               Layout& layout) {
  return std::any_of(kUnits.begin(), kUnits.end(), [&](const TimeUnit& unit) {
    const auto found = column(cells, name + std::string(unit.name));
    if (!found) return false;
    layout.time = *found;
    layout.unit = unit.seconds;
    return true;
  });
}

/// Whether a line names the columns of some table of nsys stats.
bool names_columns(const std::vector<std::string_view>& cells) {
  if (cells.size() < 3) return false;
  const std::string_view first = trimmed(cells.front());
  return first.starts_with("Time (%)") || first.starts_with("Time(%)") ||
         first.starts_with("Start (") || first.starts_with("Start(");
}

/// Of a table of kernels or of memory operations on a GPU; nothing for other tables.
std::optional<Layout> layout_of_table(const std::vector<std::string_view>& cells) {
  Layout layout;
  layout.cells = cells.size();
  const auto operation = column(cells, "Operation");
  const auto name = column(cells, "Name");
  if (!name && !operation) return std::nullopt;
  layout.name = name ? *name : *operation;
  layout.category = column(cells, "Category");
  layout.calls = column(cells, "Instances");
  if (!layout.calls && operation) {
    layout.calls = column(cells, "Count");
    layout.copies = true;
  }
  if (layout.calls && find_time(cells, "Total Time", layout)) return layout;
  layout.calls.reset();
  layout.copies = false;
  layout.gpu = column(cells, "Device");
  if (name && column(cells, "GrdX") && find_time(cells, "Duration", layout)) return layout;
  return std::nullopt;
}

/// What `nsys stats --format csv` prints of kernels: sums by name (cuda_gpu_kern_sum, gpukernsum,
/// cuda_gpu_sum), or a line for each (cuda_gpu_trace); and sums of memory operations. Other tables,
/// rows of categories that run on no GPU and messages of nsys between them are skipped. An empty
/// line, or a row without a time, ends a table.
class NsysReader {
 public:
  void line(const LogLine& line) {
    if (line.too_long) {
      profile_.skip(line.number, "is longer than 262144 bytes");
      last_line_ = line.number;
      return;
    }
    if (line.number > last_line_ + 1) layout_.reset();
    last_line_ = line.number;
    const bool closed =
        cells_.read(line.number == 1 ? without_byte_order_mark(line.text) : line.text);
    if (closed && names_columns(cells_.all())) {
      start(line.number);
    } else if (layout_ && !is_message(line.text)) {
      row(closed, line.number);
    }
  }

  Profile take() { return profile_.take(); }

 private:
  /// nsys prints where each report comes from.
  static bool is_message(std::string_view text) {
    text = trimmed(text);
    return text.empty() || text.starts_with("Processing [") || text.starts_with("** ") ||
           text.starts_with("SKIPPED:") || text.starts_with("NOTICE:") ||
           text.starts_with("Generating ");
  }

  static bool runs_on_gpu(std::string_view category) {
    return category == "CUDA_KERNEL" || category == "MEMORY_OPER";
  }

  void start(std::int64_t number) {
    layout_ = layout_of_table(cells_.all());
    damaged_ = false;
    if (!layout_) return;
    if (layout_->copies && copies_among_kernels_) {
      profile_.skip(number, "starts a table of copies that a table before it lists too");
      layout_.reset();
      return;
    }
    bool& seen = layout_->copies ? copies_seen_ : kernels_seen_;
    if (seen) {
      profile_.skip(number, "starts a second table of the same; its lines are left out");
      layout_.reset();
    }
    seen = true;
  }

  void row(bool closed, std::int64_t number) {
    const auto& cells = cells_.all();
    if (damaged_) {
      profile_.skip(number, "follows a line without a time, which ends its table");
      return;
    }
    if (!closed || cells.size() != layout_->cells) {
      profile_.skip(number, "has not the cells that the first line of its table names");
      return;
    }
    const auto time = number_in(cells[layout_->time]);
    const auto calls = layout_->calls ? whole_number_in(cells[*layout_->calls]) : 1;
    const std::string_view name = trimmed(cells[layout_->name]);
    damaged_ = !time;
    if (!time || !calls || name.empty()) {
      profile_.skip(number, "its time, its number of calls or its name cannot be read");
      return;
    }
    if (layout_->category && !runs_on_gpu(trimmed(cells[*layout_->category]))) return;
    if (!layout_->copies && name.starts_with("[CUDA mem")) {
      copies_among_kernels_ = true;
      if (copies_seen_) {
        profile_.skip(number, "is a copy that a table before it lists too");
        return;
      }
    }
    if (!profile_.gpu(layout_->gpu ? trimmed(cells[*layout_->gpu]) : "", number)) return;
    profile_.kernel(name, *calls, *time * layout_->unit, number);
  }

  ProfileBuilder profile_;
  CsvCells cells_;
  std::optional<Layout> layout_;  ///< of the table that is read; none within others
  bool kernels_seen_ = false;
  bool copies_seen_ = false;
  bool copies_among_kernels_ = false;  ///< a table of kernels lists copies too
  bool damaged_ = false;               ///< a line of the table had no time
  std::int64_t last_line_ = 0;         ///< that is not empty
};

Profile read_nsys(const ByteSource& source) {
  LineReader lines(source);
  LogLine line;
  NsysReader reader;
  while (lines.next(line)) reader.line(line);
  Profile profile = reader.take();
  profile.lines = lines.lines();
  profile.bytes = lines.bytes();
  return profile;
}

bool fits_nsys(std::string_view head) {
  constexpr std::size_t kLongestHeader = 4096;
  CsvCells cells;
  head = without_byte_order_mark(head);
  while (!head.empty()) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    const bool short_enough = line.size() < kLongestHeader;
    if (short_enough && cells.read(line) && names_columns(cells.all()) &&
        layout_of_table(cells.all()))
      return true;
  }
  return false;
}

}  // namespace

const ProfileFormat kNsysTable{
    "nsys-csv", "nsys stats --format csv with cuda_gpu_kern_sum, cuda_gpu_sum or cuda_gpu_trace",
    fits_nsys, read_nsys};

}  // namespace simtrain
