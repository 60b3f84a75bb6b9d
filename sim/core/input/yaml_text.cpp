#include "sim/core/input/yaml_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace simtrain {
namespace {

bool is_plain(const std::string& text) {
  constexpr std::string_view kPlain = "_.+/-";
  return !text.empty() && text != "~" && text != "null" && text != "Null" && text != "NULL" &&
         (std::isalnum(static_cast<unsigned char>(text.front())) != 0 ||
          (text.size() > 1 && text.front() == '-')) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
         });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string scalar(const std::string& text) { return is_plain(text) ? text : quoted(text); }

/// Words and numbers share one line; texts have a line each.
bool is_short(const YamlNode& item) {
  return item.kind == YamlNode::Kind::scalar && item.text.find(' ') == std::string::npos;
}

void write(YAML::Emitter& out, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      out << YAML::Null;
      break;
    case YamlNode::Kind::scalar:
      out << node.text;
      break;
    case YamlNode::Kind::list:
      if (std::all_of(node.items.begin(), node.items.end(), is_short)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const YamlNode& item : node.items) write(out, item);
      out << YAML::EndSeq;
      break;
    case YamlNode::Kind::map:
      out << YAML::BeginMap;
      for (const YamlEntry& entry : node.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        write(out, entry.value);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string flow_text(const YamlNode& node) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.size() > 1 ? ", " : "") + text; };
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      return scalar(node.text);
    case YamlNode::Kind::list:
      out = "[";
      for (const YamlNode& item : node.items) add(flow_text(item));
      return out + "]";
    case YamlNode::Kind::map:
      out = "{";
      for (const YamlEntry& entry : node.entries)
        add(fmt::format("{}: {}", scalar(entry.key), flow_text(entry.value)));
      return out + "}";
  }
  return out;
}

std::string block_text(const YamlNode& root) {
  YAML::Emitter out;
  write(out, root);
  return std::string(out.c_str()) + "\n";
}

}  // namespace simtrain
