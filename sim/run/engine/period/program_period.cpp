#include "sim/run/engine/period/program_period.h"

#include <algorithm>
#include <optional>

#include "sim/core/threads/parallel_each.h"

namespace simtrain {
namespace {

/// So many periods are worth a look: the first few differ while the pipeline fills.
constexpr std::uint32_t kFewPeriods = 8;
/// And periods of so many ops: a look costs as much as some tens of them.
constexpr std::uint32_t kFewOps = 64;

bool costs_alike(const Program& program, const Op& one, const Op& other) {
  if (one.cost == other.cost) return true;
  if (one.compute) return program.compute_costs[one.cost] == program.compute_costs[other.cost];
  return program.transfers[one.cost] == program.transfers[other.cost];
}

bool repeats(const Program& program, std::size_t op, std::uint32_t period) {
  const Op& one = program.ops[op];
  const Op& other = program.ops[op + period];
  const bool same = one.compute == other.compute && one.stream == other.stream &&
                    one.group == other.group && one.label == other.label &&
                    one.chunk == other.chunk && one.beside == other.beside;
  if (!same || !costs_alike(program, one, other)) return false;
  for (std::size_t i = 0; i < one.after.size(); ++i) {
    const bool none = one.after[i] == kNoOp;
    if (none ? other.after[i] != kNoOp : other.after[i] != one.after[i] + period) return false;
  }
  return true;
}

/// A pass in the middle of a program; its number of ops where it has none.
std::size_t middle_pass(const Program& program) {
  const auto middle = program.ops.begin() + static_cast<std::ptrdiff_t>(program.ops.size() / 2);
  const auto found = std::find_if(middle, program.ops.end(), is_pass);
  return static_cast<std::size_t>(found - program.ops.begin());
}

/// The period as far as it goes around an op, where the op and as many behind it repeat.
ProgramPeriod whole_period(const Program& program, std::size_t inside, std::uint32_t period) {
  std::size_t last = inside;
  while (last + period < program.ops.size() && repeats(program, last, period)) ++last;
  std::size_t first = inside;
  while (last > inside && first > 0 && repeats(program, first - 1, period)) --first;
  return {period, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last + period)};
}

/// The period around a pass up to the same one of later micro-batches, of `micro_batches` later or
/// of any number, if most of the program consists of it; otherwise one of 0 ops.
ProgramPeriod period_at(const Program& program, std::size_t pass,
                        std::optional<std::uint32_t> micro_batches) {
  constexpr int kMostTries = 256;
  constexpr std::size_t kMostLooks = 4;  // at as many ops as the program has
  const Op& one = program.ops[pass];
  int tries = 0;
  std::size_t looked_at = 0;
  const std::size_t nearest = pass + (micro_batches ? 1 : kFewOps);
  for (std::size_t at = nearest; at < program.ops.size() && tries < kMostTries; ++at) {
    const Op& other = program.ops[at];
    if (other.label != one.label || other.chunk != one.chunk) continue;
    if (micro_batches && other.micro_batch != one.micro_batch + *micro_batches) continue;
    ++tries;
    const ProgramPeriod period = whole_period(program, pass, static_cast<std::uint32_t>(at - pass));
    const std::size_t length = period.end - period.first;
    if (2 * length > program.ops.size())
      return length >= kFewPeriods * std::size_t{period.ops} ? period : ProgramPeriod{};
    looked_at += length;
    if (looked_at > kMostLooks * program.ops.size()) break;
  }
  return {};
}

}  // namespace

std::vector<ProgramPeriod> program_periods(const std::vector<Program>& programs) {
  std::vector<ProgramPeriod> periods(programs.size());
  std::optional<std::uint32_t> micro_batches;  // in a period of the first, and so of all
  const auto find = [&](std::size_t i) {
    const std::size_t pass = middle_pass(programs[i]);
    if (pass < programs[i].ops.size()) periods[i] = period_at(programs[i], pass, micro_batches);
    return pass;
  };
  if (programs.empty()) return {};
  const std::size_t pass = find(0);
  if (periods[0].ops == 0) return {};
  const std::vector<Op>& ops = programs[0].ops;
  micro_batches = ops[pass + periods[0].ops].micro_batch - ops[pass].micro_batch;
  parallel_each(programs.size() - 1, [&](std::size_t i) { find(i + 1); });
  const bool all = std::all_of(periods.begin(), periods.end(),
                               [](const ProgramPeriod& period) { return period.ops > 0; });
  return all ? periods : std::vector<ProgramPeriod>();
}

}  // namespace simtrain
