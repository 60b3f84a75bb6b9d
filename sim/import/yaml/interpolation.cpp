#include "sim/import/yaml/interpolation.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/scalar_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostSteps = 10000;  // of one value: more than anyone nests by hand
constexpr std::size_t kDeepestInterpolation = 64;
constexpr std::size_t kLongestValue = 1U << 16U;

/// Where the brace that `${` at `start` opens is closed, or npos.
std::size_t closing_brace(const std::string& text, std::size_t start) {
  int open = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '{') ++open;
    if (text[i] == '}' && --open == 0) return i;
  }
  return std::string::npos;
}

/// The key of the map that `key` is in.
std::string parent_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

class Resolver {
 public:
  explicit Resolver(const YamlNode& root) : root_(root) {}

  YamlNode value(const std::string& key, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar || node.text.find("${") == std::string::npos)
      return node;
    if (std::find(open_.begin(), open_.end(), key) != open_.end()) {
      throw InputError(node.place, key,
                       fmt::format("is made of itself: {} -> {}", fmt::join(open_, " -> "), key));
    }
    if (open_.size() == kDeepestInterpolation || node.text.size() > kLongestValue ||
        ++steps_ > kMostSteps) {
      throw InputError(node.place, key, "interpolates too much; write the value out");
    }
    open_.push_back(key);
    YamlNode result = whole(key, node);
    open_.pop_back();
    return result;
  }

 private:
  /// A value that is one interpolation is what it names; in a longer text it is put in.
  YamlNode whole(const std::string& key, const YamlNode& node) {
    if (node.text.starts_with("${") && closing_brace(node.text, 0) == node.text.size() - 1)
      return one(key, node, node.text.substr(2, node.text.size() - 3));
    YamlNode result = node;
    result.text = put_in(key, node, node.text);
    return result;
  }

  std::string put_in(const std::string& key, const YamlNode& node, const std::string& text) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t start = text.find("${", at);
      out += text.substr(at, start == std::string::npos ? start : start - at);
      if (start == std::string::npos) break;
      const std::size_t end = closing_brace(text, start);
      if (end == std::string::npos)
        throw InputError(node.place, key,
                         fmt::format("'{}' lacks a closing brace", node.text.substr(0, 120)));
      out += scalar_text(one(key, node, text.substr(start + 2, end - start - 2)), key);
      at = end + 1;
      if (out.size() > kLongestValue)
        throw InputError(node.place, key, "interpolates too much; write the value out");
    }
    return out;
  }

  /// The part between `${` and `}`.
  YamlNode one(const std::string& key, const YamlNode& node, const std::string& inside) {
    if (++nested_ > kDeepestInterpolation)
      throw InputError(node.place, key,
                       fmt::format("nests interpolations deeper than {}; write the value out",
                                   kDeepestInterpolation));
    const std::string text(trimmed(put_in(key, node, inside)));
    --nested_;
    const std::size_t colon = text.find(':');
    YamlNode result = colon == std::string::npos
                          ? named(key, node, text)
                          : computed(key, node, text.substr(0, colon), text.substr(colon + 1));
    result.place = node.place;
    return result;
  }

  YamlNode named(const std::string& key, const YamlNode& node, const std::string& text) {
    const std::size_t dots = std::min(text.find_first_not_of('.'), text.size());
    std::string from;
    if (dots > 0) {
      from = key;
      for (std::size_t i = 0; i < dots; ++i) from = parent_of(from);
    }
    const std::string name = text.substr(dots);
    const std::string target = from.empty() ? name : from + "." + name;
    const YamlNode* found = name.empty() ? nullptr : step_by_step(target);
    if (found == nullptr && !name.empty()) found = step_by_step(without_launcher(target));
    if (found == nullptr) {
      throw InputError(node.place, key,
                       fmt::format("'${{{}}}' names '{}', which the file does not have",
                                   text.substr(0, 120), target.substr(0, 120)));
    }
    return value(target, *found);
  }

  /// The node at a dotted key; maps on the way may be interpolations themselves.
  const YamlNode* step_by_step(const std::string& target) {
    const YamlNode* node = &root_;
    std::size_t begin = 0;
    while (node != nullptr && begin <= target.size()) {
      const std::size_t end = std::min(target.find('.', begin), target.size());
      node = node->find(target.substr(begin, end - begin));
      if (node != nullptr && end < target.size() && node->kind == YamlNode::Kind::scalar) {
        held_.push_back(std::make_unique<YamlNode>(value(target.substr(0, end), *node)));
        node = held_.back().get();
      }
      begin = end + 1;
    }
    return node;
  }

  static YamlNode computed(const std::string& key, const YamlNode& node, const std::string& name,
                           const std::string& arguments) {
    if (name == "oc.decode") return argument_of(node, arguments);
    const std::size_t comma = arguments.find(',');
    if (name == "oc.env" && comma != arguments.npos)  // its default, without the variable
      return argument_of(node, std::string_view(arguments).substr(comma + 1));
    const bool sums = name == "sum" || name == "add";
    if (name != "multiply" && !sums) {
      throw InputError(node.place, key,
                       fmt::format("'${{{}:{}}}' is not known outside of the run; --override "
                                   "{}=VALUE sets it",
                                   name, arguments, key));
    }
    double result = sums ? 0 : 1;
    for (const std::string_view argument : split(arguments, ',')) {
      const auto value = static_cast<double>(
          scalar_integer(argument_of(node, argument), key, Limits{sums ? -1e12 : 0, 1e12}));
      result = sums ? result + value : result * value;
    }
    if (result > 1e15) throw InputError(node.place, key, "comes to more than 1e15");
    return argument_of(node, fmt::format("{:.0f}", result));
  }

  static YamlNode argument_of(const YamlNode& node, std::string_view text) {
    YamlNode argument = node;
    argument.text = trimmed(text);
    return argument;
  }

  const YamlNode& root_;
  std::vector<std::string> open_;
  std::vector<std::unique_ptr<YamlNode>> held_;
  std::size_t steps_ = 0;
  std::size_t nested_ = 0;  ///< of `${` in `${`
};

}  // namespace

std::string without_launcher(std::string_view key) {
  constexpr std::array<std::string_view, 2> kLauncherKeys{"training.", "recipes."};
  for (const std::string_view start : kLauncherKeys) {
    if (key.starts_with(start)) return std::string(key.substr(start.size()));
  }
  return std::string(key);
}

YamlNode resolved(const YamlNode& root, const std::string& key, const YamlNode& value) {
  return Resolver(root).value(key, value);
}

}  // namespace simtrain
