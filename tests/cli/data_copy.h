#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/cli/base_scenario.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// A copy of the data folder to break, and the base scenario to run on it.
class Data {
 public:
  Data() {
    const std::filesystem::path source(source_dir());
    std::filesystem::copy(source / "hardware", folder_.path() / "hardware",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directory(folder_.path() / "scenarios");
    std::filesystem::copy(source / "scenarios/models", folder_.path() / "scenarios/models");
    folder_.write("base.yaml", kBaseScenario);
  }

  [[nodiscard]] std::string read(std::string_view file) const {
    return read_file(folder_.path() / file);
  }
  void write(std::string_view file, const std::string& text) const { folder_.write(file, text); }

  [[nodiscard]] Outcome run(const std::string& options = "") const {
    const std::string folder = folder_.path().string();
    return run_simtrain(words("base.yaml " + options), {folder, {{"SIMTRAIN_DATA", folder}}, ""});
  }
  [[nodiscard]] std::string path(std::string_view file) const { return folder_.file(file); }

 private:
  TempFolder folder_;
};

}  // namespace simtrain::testing
