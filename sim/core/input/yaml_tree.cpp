#include "sim/core/input/yaml_tree.h"

#include <algorithm>
#include <functional>
#include <set>
#include <simdjson.h>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace simtrain {
namespace {

constexpr std::size_t kDeepest = 64;

/// Throws where a text leaves very many brackets open: yaml-cpp gathers all that is open before it
/// returns any of it. Those in texts and comments count too, which is why there may be so many.
void check_brackets(std::string_view text, const std::string& name) {
  constexpr std::size_t kMostOpen = 10'000;
  std::size_t open = 0;
  std::size_t deepest = 0;  // where more are open than a file may nest
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == ']' || text[i] == '}') && open > 0) --open;
    if (text[i] != '[' && text[i] != '{') continue;
    if (open++ == kDeepest) deepest = i;
    if (open <= kMostOpen) continue;
    const std::string_view before = text.substr(0, deepest);
    const std::size_t line = before.rfind('\n') + 1;  // 0 where there is none
    throw InputError({name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                      static_cast<int>(deepest - line) + 1},
                     "", fmt::format("nests deeper than {} levels", kDeepest));
  }
}

/// Builds a YamlNode tree from yaml-cpp's parse events, refusing what a strict reader refuses.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, int first_column)
      : file_(std::move(file)), first_column_(first_column) {
    root_.place.file = file_;
  }

  /// Also for YAML::Parser's own errors, which have no place at all now and then.
  [[nodiscard]] SourcePlace place(const YAML::Mark& mark) const {
    if (mark.line < 0) return {file_};
    return {file_, mark.line + 1, mark.column + (mark.line == 0 ? first_column_ : 1)};
  }

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw InputError(place(mark), "", "a second document starts here; a file holds one");
    }
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw InputError(place(mark), "", "aliases (*name) are not used here; write the value out");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    add(leaf(YamlNode::Kind::null, mark, ""));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    add(leaf(YamlNode::Kind::scalar, mark, value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_extras(mark, tag, anchor);
    open(YamlNode::Kind::list, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_extras(mark, tag, anchor);
    open(YamlNode::Kind::map, mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    std::string key;
    SourcePlace key_place;
    bool has_key = false;
    std::set<std::string, std::less<>> keys;
  };

  [[nodiscard]] YamlNode leaf(YamlNode::Kind kind, const YAML::Mark& mark, std::string text) const {
    YamlNode node;
    node.kind = kind;
    node.place = place(mark);
    node.text = std::move(text);
    return node;
  }
  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      throw InputError(place(mark), "", "anchors (&name) are not used here; write the value out");
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw InputError(place(mark), "",
                       fmt::format("the tag '{}' is not used here; leave it out", tag));
    }
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (open_.size() == kDeepest) {
      throw InputError(place(mark), "", fmt::format("nests deeper than {} levels", kDeepest));
    }
    open_.push_back({leaf(kind, mark, ""), {}, {}, false, {}});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node));
  }
  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      // An empty value has the place of what comes next, wherever that is.
      const bool empty = node.kind == YamlNode::Kind::null;
      if (empty && node.place.line != parent.key_place.line) node.place = parent.key_place;
      parent.node.entries.push_back({parent.key, parent.key_place, std::move(node)});
      parent.has_key = false;
    }
  }
  static void take_key(Open& parent, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) {
      throw InputError(node.place, "", "a key must be a plain word");
    }
    if (node.text == "<<") {
      throw InputError(node.place, "<<", "merge keys are not used here; write the keys out");
    }
    if (!parent.keys.insert(node.text).second) {
      throw InputError(node.place, node.text, "is given twice");
    }
    parent.key = node.text;
    parent.key_place = node.place;
    parent.has_key = true;
  }

  std::string file_;
  int first_column_;
  int documents_ = 0;
  std::vector<Open> open_;
  YamlNode root_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlNode load_yaml_text(const std::string& text, const std::string& name, int first_column) {
  if (text.find('\0') != std::string::npos) {
    throw InputError({name}, "", "holds a NUL byte; a text file was expected");
  }
  if (!simdjson::validate_utf8(text))
    throw InputError({name}, "", "is not UTF-8; a text file was expected");
  check_brackets(text, name);
  TreeBuilder builder(name, first_column);
  try {
    // yaml-cpp 0.7 takes a quoted text without its closing quote for whole where the file ends in a
    // line end. A comment in the last line, without one, is nothing to YAML and mends that.
    std::istringstream stream(text + (text.empty() || text.back() == '\n' ? "#" : "\n#"));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw InputError(builder.place(error.mark), "", fmt::format("is not YAML: {}", error.msg));
  }
  return builder.take_root();
}

void set_yaml_value(YamlNode& root, std::string_view key, YamlNode value) {
  const SourcePlace place = value.place;
  set_yaml_value(root, key, std::move(value), place);
}

void set_yaml_value(YamlNode& root, std::string_view key, YamlNode value,
                    const SourcePlace& key_place) {
  if (static_cast<std::size_t>(std::count(key.begin(), key.end(), '.')) >= kDeepest) {
    throw InputError(key_place, "", fmt::format("a key of more than {} steps", kDeepest));
  }
  YamlNode* node = &root;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = key.find('.', begin);
    const std::string part(key.substr(begin, dot == key.npos ? key.npos : dot - begin));
    if (part.empty()) throw InputError(key_place, std::string(key), "is not a dotted key");
    if (node->kind == YamlNode::Kind::null) node->kind = YamlNode::Kind::map;
    if (node->kind != YamlNode::Kind::map) {
      const std::string above(key.substr(0, begin == 0 ? 0 : begin - 1));
      throw InputError(key_place, std::string(key),
                       fmt::format("'{}' has no keys below it", above));
    }
    YamlNode* next = node->find(part);
    if (next == nullptr) {
      YamlNode fresh;
      fresh.kind = YamlNode::Kind::null;
      fresh.place = value.place;
      node->entries.push_back({part, key_place, std::move(fresh)});
      next = &node->entries.back().value;
    }
    if (dot == key.npos) {
      *next = std::move(value);
      return;
    }
    node = next;
    begin = dot + 1;
  }
}

const YamlNode* find_yaml_value(const YamlNode& root, std::string_view key) {
  const YamlNode* node = &root;
  while (node != nullptr && !key.empty()) {
    const std::size_t dot = key.find('.');
    node = node->find(key.substr(0, dot));
    key = dot == key.npos ? std::string_view() : key.substr(dot + 1);
  }
  return node;
}

std::string text_at(const YamlNode& root, std::string_view key) {
  const YamlNode* value = find_yaml_value(root, key);
  return value == nullptr ? "" : value->text;
}

}  // namespace simtrain
