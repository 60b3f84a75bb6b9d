#include "sim/import/terms/key_table.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/interpolation.h"

namespace simtrain {
namespace {

constexpr std::string_view kUnknown = "not known to simtrain, so without effect on the scenario";

/// Null in YAML, or as Python prints it.
bool is_unset(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return true;
  return node.kind == YamlNode::Kind::scalar &&
         (node.text.empty() || node.text == "None" || node.text == "null" || node.text == "~");
}

bool is_off(const YamlNode& node) {
  const std::string& text = node.text;
  return node.kind == YamlNode::Kind::scalar &&
         (text == "false" || text == "False" || text == "0" || text == "none" || text == "[]");
}

/// Whether an override gives a value: it counts over other keys of the same term.
bool is_override(const SourcePlace& place) { return place.file.starts_with(kOverridePlace); }

std::string_view last_word(std::string_view key) { return key.substr(key.rfind('.') + 1); }

bool matches(std::string_view pattern, std::string_view key) {
  return pattern.ends_with('*') && key.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// A whole number as YAML 1.1 and Python write long ones, 32_000, without its marks.
YamlNode without_marks(YamlNode node) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string& text = node.text;
  const bool marked =
      text.find('_') != std::string::npos && digit(text.front()) && digit(text.back()) &&
      std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) || c == '_'; });
  if (marked) std::erase(node.text, '_');
  return node;
}

/// `[a, 'b']` as Python prints it, or a YAML list: a,b.
std::string word_of(const YamlNode& node, const std::string& key) {
  if (node.kind == YamlNode::Kind::map) {
    const YamlNode* target = node.find("_target_");
    if (target != nullptr) return class_name(scalar_text(*target, key));
  }
  if (node.kind == YamlNode::Kind::list) {
    std::string joined;
    for (const YamlNode& item : node.items) {
      if (!joined.empty()) joined += ',';
      joined += scalar_text(item, key);
    }
    return joined;
  }
  std::string text = scalar_text(node, key);
  if (!text.starts_with('[')) return text;
  if (text.find(',') == std::string::npos) std::replace(text.begin(), text.end(), ' ', ',');
  std::erase_if(text,
                [](char c) { return c == '[' || c == ']' || c == '\'' || c == '"' || c == ' '; });
  return text;
}

bool flag_of(const YamlNode& node, const std::string& key) {
  YamlNode plain = node;
  if (plain.text == "True") plain.text = "true";
  if (plain.text == "False") plain.text = "false";
  return scalar_bool(plain, key);
}

/// A row of what only the run itself needs, or of what another key says better: how long a run is
/// (of matter where a batch grows, which asks for it then), which tokenizer.
bool may_stay_unknown(const KeyRow& row) {
  constexpr std::array kTerms{&RecipeTerms::train_iters, &RecipeTerms::train_samples,
                              &RecipeTerms::exit_interval, &RecipeTerms::tokenizer,
                              &RecipeTerms::tokenizer_model};
  const auto* const term = std::get_if<WordTerm RecipeTerms::*>(&row.meaning);
  return term != nullptr && std::find(kTerms.begin(), kTerms.end(), *term) != kTerms.end();
}

/// The override that goes on without what is refused, where it would.
std::string remedy_of(const Refused& refused, const std::string& key) {
  if (!refused.goes_without) return "";
  const std::string without = refused.harmless.empty()
                                  ? fmt::format("\"~{}\"", key)
                                  : fmt::format("{}={}", key, refused.harmless);
  return fmt::format("; --override {} goes on without it", without);
}

class RecipeReader {
 public:
  RecipeReader(const YamlNode& tree, std::span<const KeyRow> rows, KeyStyle style,
               WithoutValue without_value)
      : tree_(tree), rows_(rows), style_(style), without_value_(without_value) {}

  RecipeReading read() {
    visit(tree_, "");
    refuse_without_value();
    refuse_misplaced();
    return std::move(reading_);
  }

 private:
  /// What only a run gives is one error that names all of it.
  void refuse_without_value() const {
    if (valueless_.empty()) return;
    const auto& [key, value] = valueless_.front();
    std::string others;
    for (std::size_t i = 1; i < valueless_.size(); ++i)
      others += (i == 1 ? "; nor have " : ", ") + spelled(valueless_[i].first);
    throw InputError(value.place, spelled(key),
                     fmt::format("'{}' has no value in the file; --override {}=VALUE sets one, "
                                 "--defaults takes the framework's{}",
                                 value.text.substr(0, 80), key, others));
  }

  /// A count that the recipe gives, but not where its format has it, must not count as missing.
  void refuse_misplaced() const {
    for (const auto& [row, key, place] : misplaced_) {
      if (reading_.terms.*std::get<WholeTerm RecipeTerms::*>(row->meaning)) continue;
      throw InputError(place, spelled(key),
                       fmt::format("is where this format does not have it; --override "
                                   "+{}=VALUE sets it, --override \"~{}\" leaves it out",
                                   row->key, key));
    }
  }

  /// The row of a count whose last word is the key's.
  [[nodiscard]] const KeyRow* count_named_like(const std::string& key) const {
    const std::string_view word = last_word(key);
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const KeyRow& row) {
      return std::holds_alternative<WholeTerm RecipeTerms::*>(row.meaning) &&
             last_word(row.key) == word;
    });
    return found == rows_.end() ? nullptr : &*found;
  }

  void visit(const YamlNode& node, const std::string& key) {
    const KeyRow* row = exact_row(rows_, key);
    if (row != nullptr) {
      use(*row, node, key);
    } else if (node.kind == YamlNode::Kind::map) {
      for (const YamlEntry& entry : node.entries)
        visit(entry.value, key.empty() ? entry.key : key + "." + entry.key);
    } else if (node.kind == YamlNode::Kind::list && has_maps(node)) {
      visit_items(node, key);
    } else {
      leave(node, key);
    }
  }

  static bool has_maps(const YamlNode& node) {
    return std::any_of(node.items.begin(), node.items.end(),
                       [](const YamlNode& item) { return item.kind == YamlNode::Kind::map; });
  }

  void visit_items(const YamlNode& node, const std::string& key) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const YamlNode* target = node.items[i].find("_target_");
      const bool classed = target != nullptr && target->kind == YamlNode::Kind::scalar;
      visit(node.items[i],
            fmt::format("{}[{}]", key, classed ? class_name(target->text) : std::to_string(i)));
    }
  }

  /// A leaf without a row of its own.
  void leave(const YamlNode& node, const std::string& key) {
    if (is_unset(node) || key.ends_with("_target_") || key.ends_with("_call_") ||
        key.ends_with("_partial_")) {
      return;
    }
    if (const KeyRow* row = count_named_like(key); row != nullptr && !is_off(node))
      misplaced_.push_back({row, key, node.place});
    for (const KeyRow& row : rows_) {
      if (!matches(row.key, key)) continue;
      if (std::holds_alternative<Ignored>(row.meaning)) {
        ++reading_.ignored[std::string(std::get<Ignored>(row.meaning).why)][std::string(row.key)];
      } else {
        use(row, node, key);
      }
      return;
    }
    ++reading_.ignored[std::string(kUnknown)][key];
  }

  void use(const KeyRow& row, const YamlNode& node, const std::string& key) {
    if (const auto* ignored = std::get_if<Ignored>(&row.meaning)) {
      if (!is_unset(node)) ++reading_.ignored[std::string(ignored->why)][spelled(key)];
      return;
    }
    const YamlNode value = style_ == KeyStyle::option ? node : resolved(tree_, key, node);
    if (is_unset(value)) return;
    if (const auto* left = std::get_if<NotSimulated>(&row.meaning)) {
      if (!is_off(value)) ++reading_.left_out[std::string(left->why)][spelled(key)];
      return;
    }
    const std::string_view variable = style_ == KeyStyle::option ? "$`" : "$";
    if (value.text.find_first_of(variable) != std::string::npos) {
      if (without_value_ == WithoutValue::left_out || may_stay_unknown(row)) {
        ++reading_.ignored["without a value in the file"][spelled(key)];
      } else {
        valueless_.push_back({key, value});
      }
      return;
    }
    if (const auto* refused = std::get_if<Refused>(&row.meaning)) {
      if (!is_off(value) && (refused->harmless.empty() || word_of(value, key) != refused->harmless))
        throw InputError(value.place, spelled(key),
                         fmt::format("is set to {}; {}{}", found(value), refused->why,
                                     remedy_of(*refused, key)));
      return;
    }
    std::visit([&](const auto& member) { take(member, value, key); }, row.meaning);
  }

  static void take(const Ignored& /*row*/, const YamlNode& /*value*/, const std::string& /*key*/) {}
  static void take(const Refused& /*row*/, const YamlNode& /*value*/, const std::string& /*key*/) {}
  static void take(const NotSimulated& /*row*/, const YamlNode& /*value*/,
                   const std::string& /*key*/) {}
  void take(WholeTerm RecipeTerms::*term, const YamlNode& value, const std::string& key) {
    set(term, scalar_integer(without_marks(value), spelled(key), Limits{0, 1e15}), value, key);
  }
  void take(RealTerm RecipeTerms::*term, const YamlNode& value, const std::string& key) {
    set(term, scalar_real(value, spelled(key), kNotNegative), value, key);
  }
  void take(FlagTerm RecipeTerms::*term, const YamlNode& value, const std::string& key) {
    set(term, flag_of(value, spelled(key)), value, key);
  }
  void take(WordTerm RecipeTerms::*term, const YamlNode& value, const std::string& key) {
    const std::string word = word_of(value, spelled(key));
    set(term, key.ends_with("_target_") ? class_name(word) : word, value, key);
  }
  void take(TreeTerm RecipeTerms::*term, const YamlNode& value, const std::string& key) {
    reading_.terms.*term = Given<YamlNode>{value, spelled(key), false, value.place};
    ++reading_.taken;
  }

  template <class T>
  void set(std::optional<Given<T>> RecipeTerms::*term, T value, const YamlNode& node,
           const std::string& key) {
    std::optional<Given<T>>& known = reading_.terms.*term;
    ++reading_.taken;
    if (!known || (is_override(node.place) && !is_override(known->place))) {
      known = Given<T>{std::move(value), spelled(key), false, node.place};
    } else if (known->value != value && !is_override(known->place)) {
      throw InputError(node.place, spelled(key),
                       fmt::format("{} contradicts '{}' of {}; --override {}=VALUE settles it",
                                   found(node), known->value, known->origin, key));
    }
  }

  [[nodiscard]] std::string spelled(const std::string& key) const {
    if (style_ == KeyStyle::dotted) return key;
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
  }

  const YamlNode& tree_;
  std::span<const KeyRow> rows_;
  struct Misplaced {
    const KeyRow* row;
    std::string key;
    SourcePlace place;
  };

  KeyStyle style_;
  WithoutValue without_value_;
  RecipeReading reading_;
  std::vector<Misplaced> misplaced_;
  std::vector<std::pair<std::string, YamlNode>> valueless_;
};

}  // namespace

const KeyRow* exact_row(std::span<const KeyRow> rows, std::string_view key) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const KeyRow& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

std::string class_name(const std::string& target) {
  return target.substr(target.find_last_of('.') + 1);
}

RecipeReading read_recipe(const YamlNode& tree, std::span<const KeyRow> rows, KeyStyle style,
                          WithoutValue without_value) {
  return RecipeReader(tree, rows, style, without_value).read();
}

}  // namespace simtrain
