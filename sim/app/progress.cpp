#include "sim/app/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace simtrain {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string bar(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  return std::string(full, '#') + std::string(width - std::min(full, width), '.');
}

/// The ranks of an MPI job have a terminal of Open MPI's own in front of wherever their output
/// goes.
bool is_rank() {
  constexpr std::array kVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

bool is_terminal(int file) {
  if (is_rank()) return false;
  const char* kind = std::getenv("TERM");
  return isatty(file) != 0 && kind != nullptr && std::string_view(kind) != "dumb" && *kind != '\0';
}

std::string time_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(bool wanted, std::string unit, std::size_t before)
    : shown_(wanted && is_terminal(STDERR_FILENO)), unit_(std::move(unit)), before_(before) {}

Progress::~Progress() {
  if (shown_) clear();
}

bool Progress::due() const {
  return shown_ && Clock::now() - drawn_ > std::chrono::milliseconds(200);
}

void Progress::clear() {
  if (lines_ > 0) fmt::print(stderr, "\x1b[{}A\r\x1b[J", lines_);
  lines_ = 0;
}

void Progress::draw(const std::string& text, std::size_t done, std::size_t total) {
  if (!shown_) return;
  const std::size_t columns = terminal_columns();
  std::string picture;
  std::string_view rest = text;
  std::size_t lines = 0;
  for (; !rest.empty(); ++lines) {  // a line that wraps would be counted wrong
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    picture += rest.substr(0, std::min(end, columns - 1));
    picture += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const double share =
      static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1));
  std::string line = fmt::format("[{}] {} of {} {}", bar(share, 30), done, total, unit_);
  if (done > before_) {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    line += fmt::format(", {} left", time_text(spent * static_cast<double>(total - done) /
                                               static_cast<double>(done - before_)));
  }
  clear();
  fmt::print(stderr, "{}{}\n", picture, line.substr(0, columns - 1));
  std::fflush(stderr);
  lines_ = lines + 1;
  drawn_ = Clock::now();
}

}  // namespace simtrain
