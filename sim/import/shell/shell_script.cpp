#include "sim/import/shell/shell_script.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/text_file.h"
#include "sim/import/shell/shell_blocks.h"
#include "sim/import/shell/shell_calls.h"
#include "sim/import/shell/shell_condition.h"
#include "sim/import/shell/shell_lists.h"
#include "sim/import/shell/slurm_lines.h"
#include "sim/import/shell/words/shell_arguments.h"
#include "sim/import/shell/words/shell_chain.h"
#include "sim/import/shell/words/shell_functions.h"
#include "sim/import/shell/words/shell_parameters.h"
#include "sim/import/shell/words/shell_text.h"
#include "sim/import/terms/environment.h"

namespace simtrain {
namespace {

constexpr std::size_t kDeepestNesting = 64;  // branches in branches
constexpr std::size_t kMostBranches = 4096;  // more than anyone writes by hand
constexpr TextFileKind kSourced{"a script to take in", 4};

using Kind = ShellBlocks::Kind;
using WordList = std::vector<ShellWord>;

class ScriptReader {
 public:
  ScriptReader(const std::string& file, const ScriptRequest& request)
      : main_(file),
        request_(request),
        variables_(file),
        blocks_(variables_),
        calls_(variables_),
        sources_(file, request.left_out) {}

  ShellScript read(const std::string& text) {
    for (auto& [name, value] : slurm_variables(text, request_.nodes))
      variables_.set(name, std::move(value));
    read_file(text, main_);
    while (const auto body = functions_.next_uncalled()) read_call(*body, *body);
    sources_.refuse_missing();
    script_.unused = put_in_arguments(words_, calls_.callers(), looped_);
    for (ReadWord& read : words_) {
      if (!read.word.ends && !read.forgotten) read.word.text = variables_.put_in(read.word.text);
      script_.words.push_back(std::move(read.word));
    }
    for (auto& [name, word] : script_.environment) word.text = variables_.put_in("${" + name + "}");
    return std::move(script_);
  }

 private:
  void read_file(const std::string& text, const std::string& file) {
    if (std::find(open_.begin(), open_.end(), file) != open_.end()) {
      throw InputError({file}, "",
                       fmt::format("goes in a circle: {} -> {}", fmt::join(open_, " -> "), file));
    }
    const std::string outer = variables_.source();
    variables_.enter(file);
    open_.push_back(file);
    WordList words = split_script(text, file);
    if (open_.size() == 1 && request_.arguments) words = with_arguments(words);
    functions_.note(words, true);
    read_words(words);
    open_.pop_back();
    variables_.enter(outer);
  }

  /// The words of the script with the arguments that it is given.
  WordList with_arguments(const WordList& words) {
    const ScriptArguments given = script_arguments(*request_.arguments);
    for (const ShellWord& word : given.variables) variables_.take(word.text, false);
    if (auto read = with_parameters(words, given.parameters)) return std::move(*read);
    throw InputError({main_}, "arguments",
                     "are shifted in a branch or loop; --override KEY=VALUE gives each key");
  }

  void read_words(const WordList& words) {
    std::vector<ChainedBlock> outer = std::exchange(chains_, {});
    const std::size_t depth = blocks_.depth();
    for (std::size_t at = 0; at < words.size() && !returns_;) {
      settle_chains(at);
      at = step(words, at);
    }
    returns_ = false;
    while (blocks_.depth() > depth) blocks_.close();
    chains_ = std::move(outer);
  }

  /// Reads the words of a function, `body` as they are defined; false where calls go too deep.
  bool read_call(const WordList& words, const WordList& body) {
    if (!calls_.open(words.size(), blocks_.depth())) return false;
    const std::string outer = variables_.source();
    if (!body.empty()) variables_.enter(body.front().place.file);
    functions_.note(words, &words == &body);
    read_words(words);
    variables_.enter(outer);
    calls_.close();
    return true;
  }

  /// The words of a call's arguments, those of variables of arguments as they are written.
  [[nodiscard]] WordList arguments(const WordList& words, std::size_t at, std::size_t end) const {
    WordList out;
    out.reserve(end - at);
    for (; at < end; ++at) {
      out.push_back(words[at]);
      std::string value = variables_.put_in(words[at].text);
      const bool plain =
          !value.empty() && value[0] != '-' && value.find_first_of(" =") == value.npos;
      if (plain && !words[at].ends) out.back().text = std::move(value);
    }
    return out;
  }

  /// Reads a function that is called at `at`; the place behind the call, or none where none is.
  std::optional<std::size_t> call(const WordList& words, std::size_t at) {
    const auto body = functions_.call(words[at].text);
    if (!body) return std::nullopt;
    const std::size_t end = behind_words(words, at + 1);
    auto parameters = parameters_of(arguments(words, at + 1, end));
    const auto given = parameters ? with_parameters(*body, std::move(*parameters)) : std::nullopt;
    after_keyword_ = false;
    const bool read = read_call(given ? *given : *body, *body);
    return read ? std::optional(end) : std::nullopt;
  }

  /// Reads on from a word; the place of the next.
  std::size_t step(const WordList& words, std::size_t at) {
    const ShellWord& word = words[at];
    if (word.document) {
      if (!blocks_.is_live() || blocks_.is_undecided()) return at + 1;
      return note_document(words, at, variables_, script_.documents);
    }
    const bool command = !word.ends && (word.starts || after_keyword_);
    after_keyword_ = false;
    if (command) {
      if (const auto next = keyword(words, at)) return *next;
      if (blocks_.is_live() && (word.text == "source" || word.text == "."))
        return take_in(words, at);
      if (word.text == "exit" || word.text == "return") leave(words, at);
      if (const auto defined = function_at(words, at)) {
        const std::size_t end = defined->end;
        if (!blocks_.is_live() || functions_.define(*defined)) return end;
      }
      if (blocks_.is_live() && start_chain(words, at)) return chains_.back().command.begin;
      if (const auto next = behind_text(words, at)) return *next;
      if (!blocks_.is_live()) functions_.pass_over(word.text);
      if (const auto next = blocks_.is_live() ? call(words, at) : std::nullopt) return *next;
      command_ = word.text;
    }
    if (is_choice_end(words, at)) return next_choice(words, at + 2);
    if (!blocks_.is_live()) return at + 1;
    if (const auto read = read_at(words, at, variables_)) return take_read(*read);
    use(words, at, command);
    return at + 1;
  }

  /// A command behind tests, as a branch of its own.
  struct ChainedBlock {
    ChainedCommand command;
    std::optional<bool> runs;
    std::size_t depth = 0;  ///< of the blocks around it, once it is open
    bool open = false;
  };

  /// The tests at `at` decide the commands behind them. The last of `chains_` is the first to come.
  bool start_chain(const WordList& words, std::size_t at) {
    const std::optional<ShellChain> chain = chain_at(words, at);
    if (!chain || blocks_.depth() >= kDeepestNesting || ++branches_ > kMostBranches) return false;
    const std::optional<bool> holds = condition_holds(chain->tests, variables_);
    for (auto command = chain->commands.rbegin(); command != chain->commands.rend(); ++command) {
      chains_.push_back({*command, holds ? std::optional(*holds == command->wanted) : holds});
    }
    return true;
  }

  /// Closes the branches that are over and opens the one that starts.
  void settle_chains(std::size_t at) {
    while (!chains_.empty() && chains_.back().open && chains_.back().command.end <= at) {
      while (blocks_.depth() > chains_.back().depth) blocks_.close();
      chains_.pop_back();
    }
    if (chains_.empty() || chains_.back().open || chains_.back().command.begin > at) return;
    ChainedBlock& starting = chains_.back();
    starting.open = true;
    starting.depth = blocks_.depth();
    blocks_.open(Kind::chain);
    blocks_.next_branch();
    blocks_.decide(starting.runs);
    after_keyword_ = true;
  }

  [[nodiscard]] bool is_in_chain() const { return !chains_.empty() && chains_.back().open; }

  /// The script or a call ends here, or does in a branch; after a failure, which what is not known
  /// here may avert, only the branch does.
  void leave(const WordList& words, std::size_t at) {
    const bool fails = behind_words(words, at + 1) > at + 1 && words[at + 1].text != "0";
    const auto depth = calls_.depth();
    if (words[at].text == "return" && depth && blocks_.is_certain(*depth) &&
        (!fails || *depth == blocks_.depth())) {
      returns_ = true;
    } else {
      blocks_.leave();
    }
  }

  void use(const WordList& words, std::size_t at, bool command) {
    ShellWord word = words[at];
    word.call = calls_.current();
    word.starts = word.starts || command;
    word.undecided = blocks_.is_undecided();
    const bool forgotten = !word.ends && variables_.has_forgotten(word.text);
    const bool own = word.call != 0 && !word.ends && declares_own(command_);
    if (own) calls_.note_own(std::string(leading_name(word.text)));
    if (!word.ends) {
      variables_.take_default(word.text);
      if (variables_.take(word.text, !is_in_chain() && is_chained(words, at))) {
        note_environment(word);
        note_list(words, at);
      }
      word.text = variables_.put_in(word.text);
    }
    words_.push_back({std::move(word), words[at].text, forgotten, own});
  }

  void note_environment(const ShellWord& word) {
    const std::string name(leading_name(word.text));
    if (is_environment(name)) script_.environment[name] = word;
  }

  /// `NAME=(...)` and `NAME+=(...)`, whose values the word itself does not have. Any other
  /// assignment ends a list.
  void note_list(const WordList& words, std::size_t at) {
    const std::string& text = words[at].text;
    const std::string name(leading_name(text));
    const bool appends = text[name.size()] == '+';
    const bool opens = is_operator(words, at + 1, "(") && text.ends_with('=');
    if (opens && blocks_.is_undecided()) variables_.forget(name);
    if (!opens || blocks_.is_undecided()) return variables_.forget_list(name);
    for (std::size_t i = at + 2; i < words.size() && !words[i].ends; ++i) {
      if (words[i].text.starts_with('[')) variables_.take(name + words[i].text, false);
    }
    auto values = listed_values(words, at + 2, variables_);
    const auto* kept = variables_.list(name);
    if (appends && kept != nullptr) values.insert(values.begin(), kept->begin(), kept->end());
    variables_.set_list(name, std::move(values));
  }

  std::size_t take_read(const ShellRead& read) {
    for (std::size_t i = 0; i < read.names.size(); ++i) {
      if (!read.values || blocks_.is_undecided()) {
        variables_.forget(read.names[i]);
      } else {
        variables_.set(read.names[i], (*read.values)[i]);
      }
    }
    return read.end;
  }

  std::optional<std::size_t> keyword(const WordList& words, std::size_t at) {
    const std::string& text = words[at].text;
    if (text == "if" || text == "case" || text == "for" || text == "while" || text == "until")
      return begin(words, at);
    if (text == "elif" && blocks_.in(Kind::condition)) return condition(words, at + 1);
    if (text == "else" && blocks_.in(Kind::condition)) {
      blocks_.next_branch();
      blocks_.decide(true);
    } else if ((text == "fi" && blocks_.in(Kind::condition)) ||
               (text == "esac" && blocks_.in(Kind::choice)) ||
               (text == "done" && blocks_.in(Kind::loop))) {
      blocks_.close();
      return at + 1;
    } else if (text != "then" && text != "do" && text != "{" && text != "!" && text != "time") {
      return std::nullopt;
    }
    after_keyword_ = true;
    return at + 1;
  }

  /// A block starts, if the word is not just one of a text (of another language, in the script).
  std::optional<std::size_t> begin(const WordList& words, std::size_t at) {
    const std::string& text = words[at].text;
    const bool choice = text == "case" && at + 2 < words.size() && words[at + 2].text == "in";
    if (!choice && find_keyword(words, at, text == "if" ? "then" : "do") == at) return std::nullopt;
    if (blocks_.depth() >= kDeepestNesting || ++branches_ > kMostBranches)
      throw InputError(words[at].place, "", "has more branches than any script to train with");
    const bool live = blocks_.is_live();
    if (choice) {
      blocks_.open(Kind::choice, variables_.put_in(words[at + 1].text));
      return next_choice(words, at + 3);
    }
    blocks_.open(text == "if" ? Kind::condition : Kind::loop);
    if (text == "if") return condition(words, at + 1);
    const auto head = std::span(words).subspan(at, find_keyword(words, at, "do") - at);
    if (calls_.current() == 0 && go_over_arguments(head)) blocks_.pass_over_loop();
    if (text != "for" || words[at + 1].ends) return at + 1;
    std::size_t next = at + 2;
    if (!live || !take_first_round(words, at + 1)) return next;
    while (next < words.size() && (words[next].quote != 0 || !words[next].ends) &&
           !(words[next].starts && words[next].text == "do"))
      looped_.push_back(words[next++].text);
    return next;
  }

  /// The first value of `for NAME in ...`; false where the script itself does not say it.
  bool take_first_round(const WordList& words, std::size_t at) {
    const std::string& name = words[at].text;
    variables_.forget(name);
    const bool lists = at + 1 < words.size() && words[at + 1].text == "in" && !words[at + 1].ends;
    if (!lists) return false;
    const auto values = listed_values(words, at + 2, variables_);
    if (values.empty() || !values.front()) return false;
    variables_.set(name, *values.front());
    if (values.size() == 1) return true;
    blocks_.read_first_round();
    script_.rounds[name] = values.size();
    return true;
  }

  /// The words up to `then` decide the branch behind it.
  std::size_t condition(const WordList& words, std::size_t at) {
    const std::size_t end = find_keyword(words, at, "then");
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size()));
    const WordList test(from, from + static_cast<std::ptrdiff_t>(end - at));
    blocks_.next_branch();
    blocks_.decide(condition_holds(test, variables_));
    after_keyword_ = true;
    return end + (end > at ? 1 : 0);
  }

  [[nodiscard]] bool is_choice_end(const WordList& words, std::size_t at) const {
    return blocks_.in(Kind::choice) && is_operator(words, at, ";") &&
           is_operator(words, at + 1, ";");
  }

  /// The patterns up to `)` decide the branch behind it.
  std::size_t next_choice(const WordList& words, std::size_t at) {
    blocks_.next_branch();
    bool known = blocks_.subject().find_first_of("$`") == std::string::npos;
    bool takes = false;
    bool all = false;
    std::size_t end = at;
    while (end < words.size() && !(words[end].ends && words[end].text == ")")) {
      if (words[end].text == "esac") return end;
      const auto taken = words[end].ends ? std::optional(false)
                                         : pattern_takes(words[end].text, blocks_.subject());
      if (!taken) known = false;
      if (taken == true) takes = true;
      if (words[end].text == "*") all = true;
      ++end;
    }
    blocks_.decide(all || known ? std::optional(takes) : std::nullopt);
    after_keyword_ = true;
    return std::min(end + 1, words.size());
  }

  std::size_t take_in(const WordList& words, std::size_t at) {
    const bool file_follows = at + 1 < words.size() && !words[at + 1].ends &&
                              !words[at + 1].starts && words[at + 1].text != "=";
    if (!file_follows) return at + 1;
    const auto file = sources_.find(words[at + 1], variables_);
    if (!file) return at + 2;
    read_file(read_text_file(*file, kSourced), *file);
    return at + 2;
  }

  std::string main_;
  const ScriptRequest& request_;
  ShellVariables variables_;
  ShellBlocks blocks_;
  ShellCalls calls_;
  ShellFunctions functions_;
  ShellSources sources_;
  std::vector<std::string> open_;
  std::size_t branches_ = 0;
  bool after_keyword_ = false;
  bool returns_ = false;              ///< the call that is read is over
  std::string command_;               ///< whose words are read
  std::vector<ChainedBlock> chains_;  ///< of the file that is read
  std::vector<ReadWord> words_;
  std::vector<std::string> looped_;  ///< what loops go over, as it is written
  ShellScript script_;
};

}  // namespace

ShellScript read_script(const std::string& text, const std::string& file,
                        const ScriptRequest& request) {
  return ScriptReader(file, request).read(text);
}

}  // namespace simtrain
