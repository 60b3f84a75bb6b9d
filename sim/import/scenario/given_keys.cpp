#include "sim/import/scenario/given_keys.h"

#include <algorithm>

#include "sim/core/input/input_error.h"
#include "sim/core/input/yaml_text.h"
#include "sim/import/model/model_match.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

GivenKeys given_keys(const std::vector<std::string>& settings) {
  GivenKeys given;
  for (const std::string& text : settings) {
    const Setting setting = parse_setting(text);
    if (std::count(setting.key.begin(), setting.key.end(), '.') > 1)
      throw InputError(setting.key_place, setting.key, "is too deep; give the whole map as {...}");
    given[setting.key] = flow_text(setting.value);
  }
  return given;
}

bool is_shape_key(std::string_view key) {
  const std::vector<Finding> shape = shape_of(ModelSpec{});
  return std::any_of(shape.begin(), shape.end(), [&](const Finding& known) {
    return key == "model_overrides." + known.key || key == "model." + known.key;
  });
}

}  // namespace simtrain
