#include "sim/app/version.h"

#include <fmt/format.h>
#include <simtrain/simtrain.h>

namespace simtrain {

std::string version_text() { return "simtrain " + api::version(); }

std::string version_line(std::string_view commit) {
  return commit.empty() ? version_text() + "\n"
                        : fmt::format("{}, commit {}\n", version_text(), commit);
}

}  // namespace simtrain
