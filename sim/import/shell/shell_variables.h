#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// The variables of a script, as far as they are known without running it.
class ShellVariables {
 public:
  /// `script` is the path of `$0`.
  explicit ShellVariables(std::string script) : script_(script), source_(std::move(script)) {}

  /// The file that is read, for BASH_SOURCE.
  void enter(std::string file) { source_ = std::move(file); }
  [[nodiscard]] const std::string& source() const { return source_; }

  void set(const std::string& name, std::string value) { values_[name] = std::move(value); }
  /// From here on only a run knows the value.
  void forget(const std::string& name) { values_[name].reset(); }

  /// Keeps the values of `NAME=(...)`; those that only a run knows are none. A list that is longer
  /// than any of arguments is forgotten.
  void set_list(const std::string& name, std::vector<std::optional<std::string>> values);
  /// From here on only a run knows the list.
  void forget_list(const std::string& name) { lists_.erase(name); }
  /// What was kept; null where there is no such list.
  [[nodiscard]] const std::vector<std::optional<std::string>>* list(std::string_view name) const;

  /// All that is kept of a name, to be put back behind a call that has one of its own.
  struct Kept {
    std::optional<std::optional<std::string>> value;  ///< none: it is set nowhere
    std::optional<std::vector<std::optional<std::string>>> list;
  };
  [[nodiscard]] Kept kept(const std::string& name) const;
  void put_back(const std::string& name, Kept kept);

  /// Takes a word that is `NAME=value`, `NAME[key]=value` or one of them with `+=`; false where it
  /// is neither. With `maybe` an assignment that may not happen: a value that it would change is
  /// forgotten.
  bool take(const std::string& word, bool maybe);

  /// Sets what the `${NAME:=value}` of a word set.
  void take_default(const std::string& word);

  /// Keeps what all branches agree in. A variable that one of them does not set has the others'.
  static ShellVariables joined(const std::vector<ShellVariables>& branches);

  /// Forgets what is not as it was before.
  void forget_changes(const ShellVariables& before);

  /// A word with the values of `$NAME`, `${NAME}`, `${NAME:-value}`, `${NAME:+value}`,
  /// `${NAME[0]}`, `${NAME[key]}`, `$((NAME * 8))`, `$(expr $NAME \* 8)`, `$(echo $NAME)`,
  /// `$(echo "$NAME * 8" | bc)` and what shell_expansion knows; what is not known stays as it is
  /// written.
  [[nodiscard]] std::string put_in(const std::string& word) const { return put_in(word, 0); }

  /// What `$((expression))` is; none where only a run knows it.
  [[nodiscard]] std::optional<std::string> computed(const std::string& expression) const;

  /// Whether a word names a variable that only a run knows, though the script sets it.
  [[nodiscard]] bool has_forgotten(const std::string& word) const;

  /// A word that is only a variable that is set nowhere.
  [[nodiscard]] bool is_unset(const std::string& word) const;

  /// A word as a path, with `$0`, `$PWD`, `$(dirname X)`, `$(readlink -f X)`, `$(realpath X)`,
  /// `$(cd X && pwd)` and `$(pwd)`, the working directory being the script's folder. None where
  /// only a run knows it.
  [[nodiscard]] std::optional<std::string> path_in(const std::string& word) const;

 private:
  [[nodiscard]] std::string put_in(const std::string& word, int depth) const;
  [[nodiscard]] std::optional<std::string> value_of(const std::string& reference, int depth) const;

  [[nodiscard]] std::optional<std::string> number_of(std::string_view formula, int depth) const;
  [[nodiscard]] std::optional<std::string> echoed_words(const std::string& words, int depth) const;

  /// `${NAME[2]}`, `$NAME` and `${#NAME[@]}` of a list that was kept, `${NAME[key]}` of an item
  /// that was set; none of anything else.
  [[nodiscard]] std::optional<std::string> item_of(const std::string& name, std::string_view rest,
                                                   int depth) const;

  /// Whether the text of `$((...))` names one of those.
  [[nodiscard]] bool names_forgotten(std::string_view formula) const;

  std::string script_;
  std::string source_;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;
  std::map<std::string, std::vector<std::optional<std::string>>, std::less<>> lists_;
};

}  // namespace simtrain
