#include "sim/core/files/yaml_file.h"

#include "sim/core/files/text_file.h"

namespace simtrain {
namespace {

constexpr TextFileKind kYamlText{"a YAML file", 16};

}  // namespace

YamlNode load_yaml_file(const std::string& path) {
  return load_yaml_text(read_text_file(path, kYamlText), path);
}

}  // namespace simtrain
