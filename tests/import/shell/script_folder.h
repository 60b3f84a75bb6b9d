#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "tests/import/shell/run_words.h"

namespace simtrain::testing {

/// Scripts that take each other in, gone with their owner.
class ScriptFolder {
 public:
  ScriptFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "simtrain-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScriptFolder() { std::filesystem::remove_all(path_); }
  ScriptFolder(const ScriptFolder&) = delete;
  ScriptFolder& operator=(const ScriptFolder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] std::string run(const std::string& text) const {
    return run_words(text, (path_ / "main.sh").string());
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace simtrain::testing
