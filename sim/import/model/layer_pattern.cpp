#include "sim/import/model/layer_pattern.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

constexpr int kDeepestPattern = 32;
constexpr int kMostPatternParts = 1000;  // of sums and products

/// A whole number, or a list of flags.
struct PatternValue {
  bool list = false;
  std::int64_t number = 0;
  std::vector<bool> flags;
};

/// Sums and products of numbers and lists, as Python has them. Throws std::invalid_argument.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : rest_(text) {}

  PatternValue read() {
    PatternValue value = sum();
    if (!rest_.empty()) fail();
    return value;
  }

 private:
  [[noreturn]] static void fail() { throw std::invalid_argument("no pattern"); }

  bool take(char mark) {
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::int64_t number() {
    const auto count = take_number<std::int64_t>(rest_);
    if (!count || *count < 0 || *count > kMostPatternLayers) fail();
    return *count;
  }

  PatternValue sum() {
    PatternValue value = product();
    while (take('+')) {
      const PatternValue other = product();
      if (value.list != other.list) fail();
      value.number += other.number;
      value.flags.insert(value.flags.end(), other.flags.begin(), other.flags.end());
      check(value);
    }
    return value;
  }

  PatternValue product() {
    PatternValue value = single();
    while (take('*')) {
      const PatternValue other = single();
      if (value.list && other.list) fail();
      value = value.list ? repeated(value, other.number)
                         : (other.list ? repeated(other, value.number)
                                       : PatternValue{false, value.number * other.number, {}});
      check(value);
    }
    return value;
  }

  static PatternValue repeated(const PatternValue& list, std::int64_t times) {
    const auto size = static_cast<std::int64_t>(list.flags.size());
    if (size * times > kMostPatternLayers) fail();
    PatternValue result{true, 0, {}};
    result.flags.reserve(static_cast<std::size_t>(size * times));
    for (std::int64_t i = 0; i < times && size > 0; ++i)
      result.flags.insert(result.flags.end(), list.flags.begin(), list.flags.end());
    return result;
  }

  static void check(const PatternValue& value) {
    if (value.number > kMostPatternLayers ||
        value.flags.size() > static_cast<std::size_t>(kMostPatternLayers))
      fail();
  }

  PatternValue single() {
    if (++parts_ > kMostPatternParts) fail();
    if (take('(')) {
      if (++depth_ > kDeepestPattern) fail();
      PatternValue value = sum();
      --depth_;
      if (!take(')')) fail();
      return value;
    }
    if (take('[')) return list();
    return {false, number(), {}};
  }

  PatternValue list() {
    PatternValue value{true, 0, {}};
    if (take(']')) return value;
    do {
      const std::int64_t flag = number();
      if (flag > 1 || value.flags.size() == static_cast<std::size_t>(kMostPatternLayers)) fail();
      value.flags.push_back(flag == 1);
    } while (take(','));
    if (!take(']')) fail();
    return value;
  }

  std::string_view rest_;
  int depth_ = 0;
  int parts_ = 0;
};

/// The text of a frequency without blanks; of a YAML list as Python would write it.
std::string pattern_text(const Given<YamlNode>& frequency) {
  std::string text;
  if (frequency.value.kind == YamlNode::Kind::list) {
    for (const YamlNode& item : frequency.value.items)
      text += (text.empty() ? "[" : ",") + scalar_text(item, frequency.origin);
    text += text.empty() ? "[]" : "]";
  } else {
    text = scalar_text(frequency.value, frequency.origin);
  }
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  const bool bare = text.find(',') != std::string::npos && text.find('[') == std::string::npos;
  return bare ? "[" + text + "]" : text;
}

/// What a pattern says, in words.
struct PatternWords {
  std::string_view flagged;   ///< what layers of a flag do
  std::string_view numbered;  ///< what a number N says
  std::string_view example;
};
constexpr PatternWords kExpertWords{"have experts", "one of N layers has experts", "[0]*3+[1]*58"};
constexpr PatternWords kWindowWords{"have a window", "each N-th layer has none", "[1,0]*18"};

[[noreturn]] void refuse_pattern(const Given<YamlNode>& pattern, const PatternWords& words,
                                 const std::string& what) {
  throw InputError(pattern.place, pattern.origin,
                   fmt::format("{}; a number N ({}), or a 0 or 1 for each layer, as in {}, would "
                               "do",
                               what, words.numbered, words.example));
}

/// A flag for each layer, or a number that is not 0.
PatternValue pattern_of(const Given<YamlNode>& pattern, std::int64_t layers,
                        const PatternWords& words) {
  if (layers > kMostPatternLayers)
    refuse_pattern(
        pattern, words,
        fmt::format("is of a model of {} layers; up to {} are listed", layers, kMostPatternLayers));
  const std::string text = pattern_text(pattern);
  const std::string quoted = fmt::format("'{}'", plain_text(text.substr(0, 80)));
  PatternValue value;
  try {
    value = PatternReader(text).read();
  } catch (const std::invalid_argument&) {
    refuse_pattern(pattern, words,
                   fmt::format("{} does not say which layers {}", quoted, words.flagged));
  }
  if (value.list && static_cast<std::int64_t>(value.flags.size()) != layers)
    refuse_pattern(
        pattern, words,
        fmt::format("{} is of {} layers, the model has {}", quoted, value.flags.size(), layers));
  if (!value.list && value.number == 0)
    refuse_pattern(pattern, words, quoted + " is no number of layers");
  return value;
}

}  // namespace

std::vector<bool> expert_layers(const Given<YamlNode>& frequency, std::int64_t layers) {
  const PatternValue value = pattern_of(frequency, layers, kExpertWords);
  if (value.list) return value.flags;
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(layers));
  for (std::int64_t i = 0; i < layers; ++i) flags.push_back(i % value.number == 0);
  return flags;
}

std::vector<bool> window_layers(const Given<YamlNode>& frequency, std::int64_t layers) {
  const PatternValue value = pattern_of(frequency, layers, kWindowWords);
  if (value.list) return value.flags;
  std::vector<bool> flags;
  flags.reserve(static_cast<std::size_t>(layers));
  for (std::int64_t i = 1; i <= layers; ++i) flags.push_back(i % value.number != 0);
  return flags;
}

YamlNode pattern_node(const std::vector<bool>& flags) {
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  list.items.reserve(flags.size());
  for (const bool has : flags) {
    YamlNode item;
    item.kind = YamlNode::Kind::scalar;
    item.text = has ? "1" : "0";
    list.items.push_back(std::move(item));
  }
  return list;
}

std::string spread_layers(std::int64_t layers, double attention, double mlp) {
  const auto count = [&](double share) {
    return std::nearbyint(static_cast<double>(layers) * share);  // as Python rounds
  };
  std::string pattern(static_cast<std::size_t>(layers), 'M');
  const auto place = [&](char letter, double before) {
    double left = before;
    for (char& layer : pattern) {
      if (layer != 'M') continue;
      if (left < 0.5) {
        layer = letter;
        left += before;
      } else {
        left -= 1;
      }
    }
  };
  const double mamba = static_cast<double>(layers) - count(attention);
  if (count(attention) > 0) place('*', mamba / (count(attention) + 1));
  if (count(mlp) > 0) place('-', (mamba - count(mlp)) / count(mlp));
  return pattern;
}

void require_pattern(const RecipeTerms& terms, const Given<std::string>& sign) {
  if (terms.hybrid_override_pattern) return;
  throw InputError(
      sign.place, sign.origin,
      "is of a Mamba model, but no hybrid_override_pattern says its layers; --override "
      "+KEY=\"M-M*...\" with the key of this format gives them");
}

void settle_hybrid_layers(RecipeTerms& terms, const WordTerm& sign) {
  const auto share = [](const RealTerm& ratio) { return ratio ? ratio->value : 0.0; };
  const double attention = share(terms.hybrid_attention_ratio);
  const double mlp = share(terms.hybrid_mlp_ratio);
  const bool shared = attention != 0 || mlp != 0;
  if (terms.hybrid_override_pattern || (!sign && !shared)) return;
  for (const RealTerm* ratio : {&terms.hybrid_attention_ratio, &terms.hybrid_mlp_ratio}) {
    if (*ratio && !((*ratio)->value >= 0 && attention + mlp <= 1))
      throw InputError((*ratio)->place, (*ratio)->origin,
                       "is no share of the layers; with the other one it must be from 0 to 1");
  }
  const bool counted = terms.num_layers && terms.num_layers->value > 0 &&
                       terms.num_layers->value <= kMostPatternLayers;
  if (!counted) {
    const std::string key = "hybrid_attention_ratio";
    return require_pattern(terms, sign ? *sign : Given<std::string>{"", key, false, {}});
  }
  terms.hybrid_override_pattern = Given<std::string>{
      spread_layers(terms.num_layers->value, attention, mlp),
      shared ? "the shares of attention and MLP, spread as Megatron does"
             : sign->origin + " without shares of attention and MLP: Mamba alone",
      false,
      {}};
}

}  // namespace simtrain
