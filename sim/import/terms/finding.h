#pragma once

#include <functional>
#include <map>
#include <string>

namespace simtrain {

/// A value of an imported file as it is written there.
struct Finding {
  std::string key;     ///< ours, dotted
  std::string value;   ///< as YAML
  std::string origin;  ///< the foreign key, an option, or what was assumed
  bool assumed = false;
  bool noted = false;  ///< worth a line on standard error
};

/// Takes a key of the scenario, and how to find its value where the user does not give it.
using PutFinding =
    std::function<void(const std::string& key, const std::function<Finding()>& derive)>;

/// Our keys that the user gave with `--set`, and the YAML of their values.
using GivenKeys = std::map<std::string, std::string, std::less<>>;

/// A text of a foreign file as it can be written in a comment or in double quotes.
std::string plain_text(std::string text);

}  // namespace simtrain
