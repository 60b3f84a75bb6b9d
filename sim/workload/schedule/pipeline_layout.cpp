#include "sim/workload/schedule/pipeline_layout.h"

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostSymbols = 1'000'000;
constexpr int kMostDepth = 64;

/// Writes repeats out: `(t|)*2` becomes `t|t|`.
class Expansion {
 public:
  explicit Expansion(std::string_view text) : text_(text) {}

  std::string whole() {
    std::string symbols = sequence(0);
    if (at_ < text_.size()) wrong("')' closes nothing");
    return symbols;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    throw std::invalid_argument(fmt::format("character {}: {}", at_ + 1, what));
  }

  /// Up to the end or to the ')' of its parenthesis.
  std::string sequence(int depth) {
    if (depth > kMostDepth) wrong("parentheses in parentheses beyond reason");
    std::string symbols;
    while (at_ < text_.size() && text_[at_] != ')') {
      const std::string one = item(depth);
      const std::size_t times = repeats();
      if (one.size() * times > kMostSymbols - symbols.size())
        wrong(fmt::format("more than {} layers and stages", kMostSymbols));
      for (std::size_t i = 0; i < times; ++i) symbols += one;
    }
    return symbols;
  }

  std::string item(int depth) {
    const char symbol = text_[at_];
    if (symbol == '(') {
      ++at_;
      std::string inside = sequence(depth + 1);
      if (at_ == text_.size()) wrong("a ')' is missing");
      ++at_;
      return inside;
    }
    if (std::string_view("EtmL|,").find(symbol) == std::string_view::npos)
      wrong("E, t, m, L, | and *, ( and ) with a number would do");
    ++at_;
    return symbol == ',' ? "" : std::string(1, symbol);
  }

  std::size_t repeats() {
    if (at_ == text_.size() || text_[at_] != '*') return 1;
    ++at_;
    std::string_view behind = text_.substr(at_);
    const auto times = take_number<std::size_t>(behind);
    if (!times || *times == 0 || *times > kMostSymbols)
      wrong("a number from 1 on has to follow '*'");
    at_ = text_.size() - behind.size();
    return *times;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void check_ends(const std::string& symbols) {
  const auto once = [&](char symbol) {
    return symbols.find(symbol) == symbols.rfind(symbol) &&
           symbols.find(symbol) != std::string::npos;
  };
  if (!once('E') || symbols.front() != 'E')
    throw std::invalid_argument("the embedding E has to come first, once");
  if (!once('L') || symbols.back() != 'L')
    throw std::invalid_argument("the loss L has to come last, once");
  const std::size_t predictions = symbols.find('m');
  if (predictions != std::string::npos &&
      symbols.find_first_not_of('m', predictions) != symbols.size() - 1) {
    throw std::invalid_argument(
        "'m', a layer of multi-token prediction, has to come right before the loss L, in its "
        "chunk");
  }
}

}  // namespace

std::vector<ChunkLayout> chunks_of_layout(std::string_view text) {
  const std::string symbols = Expansion(text).whole();
  check_ends(symbols);
  std::vector<ChunkLayout> chunks(1);
  for (const char symbol : symbols) {
    if (symbol == '|') {
      chunks.push_back({.first_layer = chunks.back().first_layer + chunks.back().layers});
    } else {
      ChunkLayout& chunk = chunks.back();
      chunk.embedding = chunk.embedding || symbol == 'E';
      chunk.head = chunk.head || symbol == 'L';
      chunk.layers += symbol == 't' ? 1 : 0;
      chunk.mtp_layers += symbol == 'm' ? 1 : 0;
    }
  }
  return chunks;
}

}  // namespace simtrain
