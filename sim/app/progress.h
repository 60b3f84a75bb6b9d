#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace simtrain {

/// A live picture of long work at the foot of the terminal on standard error: lines of text and a
/// bar with the time left. Where standard error is no terminal that can move its cursor, or it is
/// not wanted, nothing is ever written.
class Progress {
 public:
  /// `unit`: what the parts of the work are called; `before`: how many of them were done already,
  /// the time left is reckoned without them.
  Progress(bool wanted, std::string unit, std::size_t before = 0);
  /// Takes the picture away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether it is time for a new picture: a few times a second, not at once, never where none is
  /// shown.
  [[nodiscard]] bool due() const;
  /// Draws `text`, lines with their ends, and the bar below it.
  void draw(const std::string& text, std::size_t done, std::size_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  std::string unit_;
  std::size_t before_;
  std::size_t lines_ = 0;  ///< of the picture on the terminal
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
};

/// Whether an open file is a terminal that colours can be shown on and whose cursor moves; never
/// for the rank of an MPI job, whose terminal need not be where its output goes.
bool is_terminal(int file);

/// "42 s", "3 min 20 s", "2 h 05 min".
std::string time_text(double seconds);

}  // namespace simtrain
