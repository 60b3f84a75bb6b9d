#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/output/sweep/sweep_table.h"

namespace simtrain {
namespace {

bool reads_as_whole(const YamlNode& node) {
  try {
    static_cast<void>(scalar_integer(node, "", {-1e15, 1e15}));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool reads_as_real(const YamlNode& node) {
  try {
    static_cast<void>(scalar_real(node, "", {-1e300, 1e300}));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

SweepCellKind kind_of(const SweepAxis& axis) {
  if (std::all_of(axis.values.begin(), axis.values.end(), reads_as_whole))
    return SweepCellKind::whole;
  const bool real = std::all_of(axis.values.begin(), axis.values.end(), reads_as_real);
  return real ? SweepCellKind::real : SweepCellKind::text;
}

SweepCell cell_of(const SweepAxis& axis, std::size_t choice, SweepCellKind kind) {
  const YamlNode& value = axis.values[choice];
  if (kind == SweepCellKind::whole) return scalar_integer(value, "", {-1e15, 1e15});
  if (kind == SweepCellKind::real) return scalar_real(value, "", {-1e300, 1e300});
  return value.kind == YamlNode::Kind::scalar ? value.text : axis.texts[choice];
}

SweepColumn axis_column(const SweepGrid& grid, std::size_t number) {
  const SweepAxis& axis = grid.axes()[number];
  const SweepCellKind kind = kind_of(axis);
  return {axis.column, "", "varied: " + axis.key, kind, [&grid, &axis, number, kind](auto& row) {
            return cell_of(axis, grid.choice(row.index)[number], kind);
          }};
}

template <class Figure>
SweepColumn real(std::string name, std::string unit, std::string meaning, Figure figure) {
  return {std::move(name), std::move(unit), std::move(meaning), SweepCellKind::real,
          [figure](const SweepRow& row) {
            return row.simulated() ? SweepCell(static_cast<double>(figure(row))) : SweepCell();
          }};
}

template <class Figure>
SweepColumn whole(std::string name, std::string unit, std::string meaning, Figure figure) {
  return {std::move(name), std::move(unit), std::move(meaning), SweepCellKind::whole,
          [figure](const SweepRow& row) -> SweepCell { return figure(row); }};
}

template <class Figure>
SweepColumn text(std::string name, std::string meaning, Figure figure) {
  return {std::move(name), "", std::move(meaning), SweepCellKind::text,
          [figure](const SweepRow& row) -> SweepCell { return figure(row); }};
}

SweepCell count_or_nothing(int count) {
  return count > 0 ? SweepCell(std::int64_t{count}) : SweepCell();
}

SweepCell bytes_or_nothing(double bytes) {
  return bytes > 0 ? SweepCell(static_cast<std::int64_t>(bytes)) : SweepCell();
}

void add_figures(std::vector<SweepColumn>& columns) {
  using Row = const SweepRow&;
  columns.push_back(real("step_time_s", "s", "mean time of a training step",
                         [](Row row) { return row.step_time_s; }));
  columns.push_back(real("step_time_low_s", "s", "90 % interval of the step time: its lower end",
                         [](Row row) { return row.step_time_interval.low; }));
  columns.push_back(real("step_time_high_s", "s", "90 % interval of the step time: its upper end",
                         [](Row row) { return row.step_time_interval.high; }));
  columns.push_back(real("tokens_per_s", "tokens/s", "throughput of the job",
                         [](Row row) { return row.tokens_per_s; }));
  columns.push_back(real("tflops_per_gpu", "TFLOP/s", "model FLOPs that each GPU achieves",
                         [](Row row) { return row.tflops_per_gpu; }));
  columns.push_back(
      real("mfu", "1", "model FLOPs utilization, as a fraction", [](Row row) { return row.mfu; }));
  columns.push_back(whole("peak_memory_bytes", "B", "allocator peak of the fullest stage",
                          [](Row row) { return bytes_or_nothing(row.peak_bytes); }));
  columns.push_back(whole("total_memory_bytes", "B",
                          "the same with what lies outside the allocator",
                          [](Row row) { return bytes_or_nothing(row.total_bytes); }));
  columns.push_back(whole("memory_capacity_bytes", "B", "memory of the GPU",
                          [](Row row) { return bytes_or_nothing(row.capacity_bytes); }));
  columns.push_back(whole("fits", "", "1: it does, 0: it does not", [](Row row) {
    return row.simulated() ? SweepCell(std::int64_t{row.status == SweepStatus::ok ? 1 : 0})
                           : SweepCell();
  }));
  columns.push_back(real("joules_per_token", "J", "energy of a token, site included",
                         [](Row row) { return row.joules_per_token; }));
  columns.push_back(real("usd_per_1t_tokens", "USD",
                         "price of 1T tokens, as far as `cost` gives prices; else 0",
                         [](Row row) { return row.usd_per_1t_tokens; }));
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    columns.push_back(real(std::string(name) + "_s", "s", "share of the step's critical path",
                           [share = share](Row row) { return part(row.breakdown, share); }));
  }
}

}  // namespace

std::vector<SweepColumn> common_sweep_columns() {
  using Row = const SweepRow&;
  std::vector<SweepColumn> columns{
      whole("index", "", "place of the candidate in the grid, from 0",
            [](Row row) { return static_cast<std::int64_t>(row.index); })};
  columns.push_back(text("status", "ok, does_not_fit, illegal or failed",
                         [](Row row) { return std::string(name_of(row.status)); }));
  columns.push_back(
      text("reason", "why not, where the status is not ok", [](Row row) { return row.reason; }));
  columns.push_back(
      whole("gpus", "", "GPUs of the job", [](Row row) { return count_or_nothing(row.gpus); }));
  columns.push_back(whole("dp", "", "data-parallel replicas: GPUs / (TP x PP x CP)",
                          [](Row row) { return count_or_nothing(row.dp); }));
  add_figures(columns);
  columns.push_back(text("fingerprint", "of the simulation's events", [](Row row) -> SweepCell {
    return row.simulated() ? SweepCell(fmt::format("{:016x}", row.fingerprint)) : SweepCell();
  }));
  return columns;
}

std::vector<SweepColumn> sweep_columns(const SweepQuestion& question) {
  std::vector<SweepColumn> axes;
  axes.reserve(question.grid.axes().size());
  for (std::size_t i = 0; i < question.grid.axes().size(); ++i)
    axes.push_back(axis_column(question.grid, i));
  std::vector<SweepColumn> columns = common_sweep_columns();
  columns.insert(columns.begin() + 1, std::make_move_iterator(axes.begin()),
                 std::make_move_iterator(axes.end()));
  columns.push_back(text("question", "fingerprint of what the sweep asks",
                         [&question](auto& /*row*/) -> SweepCell { return question.fingerprint; }));
  return columns;
}

}  // namespace simtrain
