#include "sim/app/console.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

#include <fmt/color.h>

#include "sim/app/progress.h"
#include "sim/output/text/coloured_report.h"

namespace simtrain {

void Console::note(const std::string& lines) const {
  if (talks()) fmt::print(stderr, "{}", lines);
}

Watch Console::bar(const std::string& unit) const {
  return
      [progress = std::make_shared<Progress>(talks(), unit)](std::size_t done, std::size_t total) {
        if (progress->due()) progress->draw("", done, total);
        if (done == total) progress->clear();
      };
}

void Console::error(const std::string& text) const {
  const fmt::text_style style = fmt::emphasis::bold | fg(fmt::terminal_color::red);
  const std::string name = "simtrain:";
  fmt::print(stderr, "{} {}\n", coloured(STDERR_FILENO) ? fmt::format(style, "{}", name) : name,
             text);
}

bool Console::print(const std::string& text, bool data) const {
  const std::string shown = data || !coloured(STDOUT_FILENO) ? text : coloured_report(text);
  return std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
         std::fflush(stdout) == 0;
}

bool Console::coloured(int stream) const {
  if (options_.colour != ColourChoice::automatic) return options_.colour == ColourChoice::always;
  const char* refused = std::getenv("NO_COLOR");
  return (refused == nullptr || *refused == '\0') && is_terminal(stream);
}

}  // namespace simtrain
