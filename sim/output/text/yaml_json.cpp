#include "sim/output/text/yaml_json.h"

#include "sim/core/json_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// What JSON writes as a number or a boolean is one, if it is written back alike.
Json scalar_json(const std::string& text) {
  const nlohmann::json value = parse_json(text);
  if ((value.is_number() || value.is_boolean()) && value.dump() == text) return Json(value);
  return Json(text);
}

}  // namespace

Json yaml_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      break;
    case YamlNode::Kind::scalar:
      return scalar_json(node.text);
    case YamlNode::Kind::list: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(yaml_json(item));
      return list;
    }
    case YamlNode::Kind::map: {
      Json map = Json::object();
      for (const YamlEntry& entry : node.entries) map[entry.key] = yaml_json(entry.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace simtrain
