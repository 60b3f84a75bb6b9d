#include "sim/output/tune/front_columns.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/output/tune/front_report.h"

namespace simtrain {
namespace {

template <class Cell>
TableColumn column_of(const Front& front, std::string name, std::string unit, std::string meaning,
                      SweepCellKind kind, Cell cell) {
  return {std::move(name), std::move(unit), std::move(meaning), kind, [&front, cell] {
            std::vector<SweepCell> cells;
            cells.reserve(front.plans.size());
            for (const FrontPlan& plan : front.plans) cells.push_back(cell(plan));
            return cells;
          }};
}

TableColumn knob_column(const Front& front, std::string_view name, Knob knob) {
  const bool named = is_named(knob);
  return column_of(front, std::string(name), "", "knob of the plan",
                   named ? SweepCellKind::text : SweepCellKind::whole,
                   [knob, named](const FrontPlan& plan) -> SweepCell {
                     const PlanChoice& choice = plan.plan.choice;
                     if (!choice.has(knob)) return {};
                     if (named) return value_text(knob, choice[knob]);
                     return std::int64_t{choice[knob]};
                   });
}

SweepCell whole_bytes(double bytes) { return static_cast<std::int64_t>(bytes); }

void add_plan(std::vector<TableColumn>& columns, const Front& front) {
  const auto flag = [&](std::string name, std::string meaning, auto holds) {
    columns.push_back(column_of(
        front, std::move(name), "", std::move(meaning), SweepCellKind::whole,
        [holds](const FrontPlan& plan) { return SweepCell(std::int64_t{holds(plan) ? 1 : 0}); }));
  };
  flag("front", "1: on the front, 0: another plan dominates it",
       [](const FrontPlan& plan) { return plan.on_front; });
  columns.push_back(
      column_of(front, "gpus", "", "GPUs of the job", SweepCellKind::whole,
                [](const FrontPlan& plan) { return SweepCell(std::int64_t{plan.row.gpus}); }));
  for (const auto& [name, knob] : EnumNames<Knob>::rows)
    columns.push_back(knob_column(front, name, knob));
  flag("tight", "1: fits only with less fragmentation of the allocator than usual",
       [](const FrontPlan& plan) { return plan.plan.tight; });
}

void add_figures(std::vector<TableColumn>& columns, const Front& front) {
  const auto real = [&](std::string name, std::string unit, std::string meaning, auto figure) {
    columns.push_back(
        column_of(front, std::move(name), std::move(unit), std::move(meaning), SweepCellKind::real,
                  [figure](const FrontPlan& plan) { return SweepCell(figure(plan)); }));
  };
  real("step_time_s", "s", "mean time of a training step",
       [](const FrontPlan& plan) { return plan.row.step_time_s; });
  real("tokens_per_s", "tokens/s", "throughput of the job",
       [](const FrontPlan& plan) { return plan.row.tokens_per_s; });
  real("mfu", "1", "model FLOPs utilization, as a fraction",
       [](const FrontPlan& plan) { return plan.row.mfu; });
  columns.push_back(
      column_of(front, "memory_bytes", "B", "what the fullest GPU needs", SweepCellKind::whole,
                [](const FrontPlan& plan) { return whole_bytes(plan.plan.memory_bytes); }));
  columns.push_back(column_of(
      front, "spare_bytes", "B", "what that leaves of its memory", SweepCellKind::whole,
      [&front](const FrontPlan& plan) { return whole_bytes(front.spare_bytes(plan.plan)); }));
  real("joules_per_token", "J", "energy of a token, site included",
       [](const FrontPlan& plan) { return plan.row.joules_per_token; });
  const bool priced = front.usd_per_gpu_hour > 0;
  columns.push_back(column_of(front, "usd_per_1t_tokens", "USD", "price of 1T tokens by GPU hours",
                              SweepCellKind::real, [priced](const FrontPlan& plan) {
                                return priced ? SweepCell(plan.usd_per_1t_tokens) : SweepCell();
                              }));
}

std::string header_of(const Front& front) {
  std::string out;
  for (const TableColumn& column : front_columns(front))
    out += fmt::format("{}{}", out.empty() ? "" : ",", column.name);
  return out + "\n";
}

}  // namespace

std::vector<TableColumn> front_columns(const Front& front) {
  std::vector<TableColumn> columns;
  add_plan(columns, front);
  add_figures(columns, front);
  columns.push_back(column_of(front, "fingerprint", "", "of the simulation's events",
                              SweepCellKind::text, [](const FrontPlan& plan) {
                                return SweepCell(fmt::format("{:016x}", plan.row.fingerprint));
                              }));
  return columns;
}

std::string front_csv(const Front& front) {
  std::string out = header_of(front);
  std::vector<std::vector<SweepCell>> cells;
  for (const TableColumn& column : front_columns(front)) cells.push_back(column.cells());
  for (std::size_t row = 0; row < front.plans.size(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(cells[i][row]));
    out += "\n";
  }
  return out;
}

bool is_own_front(std::string_view start) { return start.starts_with(header_of(Front{})); }

}  // namespace simtrain
