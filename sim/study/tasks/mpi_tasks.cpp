#include "sim/study/tasks/mpi_tasks.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/core/invariant.h"
#include "sim/study/tasks/task_pool.h"

namespace simtrain {
namespace {

/// To rank 0: `ask` for as many tasks as the text gives, `records` with one a line (none: a
/// heartbeat), `bye` when the last record is sent. From it: `work`, tasks; none: there are no
/// more.
enum MpiTag : int { ask, records, bye, work };

constexpr std::chrono::seconds kHeartbeat(2);
constexpr std::chrono::seconds kLostAfter(60);

std::vector<std::uint64_t> numbers_of(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view word : split(text, ' ')) {
    const auto number = number_as<std::uint64_t>(word);
    invariant(number.has_value(), "ranks send numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

MpiPeers::MpiPeers(const TaskList& tasks, const MpiSession& session)
    : tasks_(tasks), session_(session) {
  for (int rank = 1; rank < session.size(); ++rank) working_[rank] = {};
}

void MpiPeers::serve(TaskQueue& queue, const TaskSink& sink) {
  for (auto message = session_.poll(); message; message = session_.poll())
    take(*message, queue, sink);
  check_alive();
}

void MpiPeers::take(const MpiMessage& message, TaskQueue& queue, const TaskSink& sink) {
  const auto peer = working_.find(message.from);
  invariant(peer != working_.end(), "a rank that has left sends nothing");
  peer->second.heard = Clock::now();
  if (message.tag == MpiTag::records) {
    for (std::string_view rest = message.bytes; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const std::string record(rest.substr(0, end));
      peer->second.given.erase(tasks_.number_of(record));
      sink(record);
      rest.remove_prefix(end + 1);
    }
  } else if (message.tag == MpiTag::ask) {
    const std::size_t wanted = numbers_of(message.bytes).front();
    // Little at a time towards the end, so that all ranks end together.
    const std::size_t share = queue.size() / (4 * static_cast<std::size_t>(session_.size())) + 1;
    const std::vector<std::uint64_t> given = queue.take(std::min(wanted, share));
    peer->second.given.insert(given.begin(), given.end());
    session_.send(message.from, MpiTag::work, fmt::format("{}", fmt::join(given, " ")));
  } else {
    queue.give_back({peer->second.given.begin(), peer->second.given.end()});
    working_.erase(peer);
  }
}

void MpiPeers::check_alive() const {
  for (const auto& [rank, peer] : working_) {
    if (Clock::now() - peer.heard > kLostAfter)
      throw std::runtime_error(fmt::format(
          "rank {} is lost: nothing was heard of it for {} s, and it has {} tasks; the same "
          "command with --resume does them again",
          rank, kLostAfter.count(), peer.given.size()));
  }
}

void serve_tasks(const TaskList& tasks, int jobs, const std::atomic<int>& stop,
                 const MpiSession& session) {
  using Clock = std::chrono::steady_clock;
  TaskPool pool(tasks, jobs);
  const std::size_t most = 4 * static_cast<std::size_t>(pool.jobs());
  bool asked = false;
  bool more = true;
  auto sent = Clock::now();
  while (asked || more || pool.inside() > 0) {
    if (stop.load() != 0) {
      more = false;
      pool.withdraw();
    }
    if (more && !asked && pool.inside() < most) {
      session.send(0, MpiTag::ask, fmt::format("{}", most));
      asked = true;
    }
    const std::vector<std::string> records = pool.take(std::chrono::milliseconds(1));
    if (!records.empty() || Clock::now() - sent > kHeartbeat) {
      session.send(0, MpiTag::records,
                   records.empty() ? "" : fmt::format("{}\n", fmt::join(records, "\n")));
      sent = Clock::now();
    }
    if (const auto answer = asked ? session.poll() : std::nullopt) {
      asked = false;
      const std::vector<std::uint64_t> given = numbers_of(answer->bytes);
      more = more && !given.empty();
      for (const std::uint64_t task : given) pool.submit(task);
    }
  }
  session.send(0, MpiTag::bye, "");
}

}  // namespace simtrain
