#include "sim/api/candidates.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace simtrain::api {
namespace {

constexpr std::size_t kMostWaiting = 4096;  // rows that nobody has taken yet

std::size_t threads_for(const SweepQuestion& question, const SweepOptions& options) {
  const std::uint64_t wanted = options.threads > 0 ? static_cast<std::uint64_t>(options.threads)
                                                   : std::thread::hardware_concurrency();
  return std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(question.grid.size(), 1));
}

}  // namespace

Candidates::Candidates(const SweepQuestion& question, const SweepOptions& options)
    : question_(question), stop_(options.stop) {
  const std::size_t count = threads_for(question, options);
  threads_.reserve(count);
  while (threads_.size() < count && start_thread()) {
  }
}

/// Whether the system gave one; where it gives none at all, throws what it says.
bool Candidates::start_thread() {
  const auto count = [this](bool more) {
    const std::lock_guard lock(mutex_);
    working_ += more ? 1 : -1;
  };
  count(true);
  try {
    threads_.emplace_back([this] { work(); });
    return true;
  } catch (const std::system_error&) {
    count(false);
    if (threads_.empty()) throw;
    return false;
  }
}

Candidates::~Candidates() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<simtrain::SweepRow> Candidates::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !done_.empty() || error_ || working_ == 0; });
  if (error_) std::rethrow_exception(error_);
  if (done_.empty()) return std::nullopt;
  std::optional<simtrain::SweepRow> row = std::move(done_.front());
  done_.pop_front();
  changed_.notify_all();
  return row;
}

void Candidates::work() {
  try {
    while (const auto candidate = take()) give(evaluate(question_, *candidate));
  } catch (...) {
    give_up(std::current_exception());
  }
  {
    const std::lock_guard lock(mutex_);
    --working_;
  }
  changed_.notify_all();
}

std::optional<std::uint64_t> Candidates::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.size() < kMostWaiting || ended_; });
  if (ended_ || stop_.stop_requested() || begun_ == question_.grid.size()) return std::nullopt;
  return begun_++;
}

void Candidates::give(simtrain::SweepRow row) {
  {
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(row));
  }
  changed_.notify_all();
}

void Candidates::give_up(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  ended_ = true;
}

}  // namespace simtrain::api
