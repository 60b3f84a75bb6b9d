#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/cli/base_scenario.h"
#include "tests/cli/program.h"

namespace simtrain::testing {

/// An edit of a text, and the message that it leads to.
struct BadEdit {
  std::string replaced;
  std::string by;
  std::string message;  ///< behind `simtrain: FILE:`, without the line end
};

/// Wrong input: this line on standard error, nothing on standard output, exit status 2.
inline void check_refused(const Outcome& outcome, const std::string& message) {
  CHECK(outcome.err == "simtrain: " + message + "\n");
  CHECK(outcome.out.empty());
  CHECK(outcome.status == 2);
}

/// Wrong input: one line on standard error that has this part, nothing on standard output, exit
/// status 2.
inline void check_refused_with(const Outcome& outcome, const std::string& part) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("simtrain: "));
  CHECK(outcome.err.find(part) != std::string::npos);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

/// Runs `bad.yaml` with this text and checks that it is refused with this message.
inline void check_text(const std::string& text, const std::string& message) {
  const TempFolder folder;
  folder.write("bad.yaml", text);
  check_refused(run_simtrain({"bad.yaml"}, {folder.path().string(), {}, ""}),
                "bad.yaml:" + message);
}

/// Breaks the base scenario by each edit.
inline void check_edits(const std::vector<BadEdit>& edits) {
  for (const BadEdit& edit : edits) {
    CAPTURE(edit.by);
    check_text(edited(std::string(kBaseScenario), edit.replaced, edit.by), edit.message);
  }
}

/// Breaks the table of the base scenario by each edit.
inline void check_table_edits(const std::vector<BadEdit>& edits) {
  for (const BadEdit& edit : edits) {
    CAPTURE(edit.by);
    check_text(std::string(kBaseScenario) + edited(std::string(kBaseTable), edit.replaced, edit.by),
               edit.message);
  }
}

}  // namespace simtrain::testing
