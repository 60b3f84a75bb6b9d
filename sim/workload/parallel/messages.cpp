#include "sim/workload/parallel/messages.h"

namespace simtrain {

std::vector<Message> piece_messages(const RankGrid& grid) {
  std::vector<Message> messages;
  if (grid.cp() == 1) return messages;
  messages.reserve(static_cast<std::size_t>(grid.ranks()));
  for (int rank = 0; rank < grid.ranks(); ++rank)
    messages.push_back({rank, grid.context_neighbour(rank, 1), 0});
  return messages;
}

std::vector<Message> step_messages(const RankGrid& grid) {
  std::vector<Message> messages;
  if (grid.pp() == 1) return messages;
  messages.reserve(2 * static_cast<std::size_t>(grid.ranks()));
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    messages.push_back({rank, grid.stage_neighbour(rank, 1), 0});
    messages.push_back({rank, grid.stage_neighbour(rank, -1), 1});
  }
  return messages;
}

std::vector<MessageWay> ways_of(const std::vector<Message>& messages, const Cluster& cluster,
                                const Placement& placement) {
  std::vector<MessageWay> ways;
  ways.reserve(messages.size());
  for (const Message& message : messages) {
    const int from = placement.gpu(message.from);
    const int to = placement.gpu(message.to);
    MessageWay way{message, cluster.distance(from, to), from};
    way.leaves = way.distance > Distance::nvlink_domain;
    if (way.leaves) way.exit_gpu = cluster.exit_gpu(from, to);
    way.own = way.exit_gpu == from;
    ways.push_back(way);
  }
  return ways;
}

}  // namespace simtrain
