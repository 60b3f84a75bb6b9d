#include "sim/run/host_slack.h"

#include <algorithm>

namespace simtrain {
namespace {

double slack_between_waits(const std::vector<HostOp>& ops, double layer_s, std::size_t first_wait) {
  double slack = 0;
  double late = 0;
  double host = 0;
  double from = ops[first_wait].end_s;
  for (std::size_t i = 1; i <= ops.size(); ++i) {
    const std::size_t next = (first_wait + i) % ops.size();
    if (next == 0) from -= layer_s;  // the next layer
    const HostOp& op = ops[next];
    host += op.host_s;
    late = std::max(late, host - (op.needed_s - from));
    if (!op.host_waits) continue;
    slack += late;
    late = host = 0;
    from = op.end_s;
  }
  return slack;
}

}  // namespace

double host_slack(const std::vector<HostOp>& ops, double layer_s) {
  const auto waits = [](const HostOp& op) { return op.host_waits; };
  const auto first = std::find_if(ops.begin(), ops.end(), waits);
  if (first != ops.end())
    return slack_between_waits(ops, layer_s, static_cast<std::size_t>(first - ops.begin()));
  double host = 0;
  for (const HostOp& op : ops) host += op.host_s;
  return std::max(0.0, host - layer_s);
}

}  // namespace simtrain
