#include "sim/workload/plan/communicators/program_calls.h"

#include <bitset>

#include "sim/core/threads/parallel_each.h"

namespace simtrain {
namespace {

std::vector<ProgramCall> calls_of(const Program& program) {
  std::vector<ProgramCall> calls;
  std::vector<std::bitset<kGroupKinds>> listed(program.transfers.size());
  for (const Op& op : program.ops) {
    if (op.compute) continue;
    auto known = listed[op.cost][static_cast<std::size_t>(op.group)];
    if (known) continue;
    known = true;
    calls.push_back({op.group, op.cost});
  }
  return calls;
}

}  // namespace

ProgramCalls calls_of(const std::vector<Program>& programs) {
  ProgramCalls calls(programs.size());
  parallel_each(programs.size(), [&](std::size_t i) { calls[i] = calls_of(programs[i]); });
  return calls;
}

}  // namespace simtrain
