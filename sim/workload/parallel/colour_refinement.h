#pragma once

#include <map>
#include <vector>

namespace simtrain {

/// Numbers from 0 on for values in the order in which they are first seen. Quick for a value that
/// follows its equal, as those of neighbouring ranks do.
template <class Value>
class Numbering {
 public:
  int of(const Value& value) {
    if (known_.empty() || last_->first != value)
      last_ = known_.try_emplace(value, static_cast<int>(known_.size())).first;
    return last_->second;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  std::map<Value, int> known_;
  typename std::map<Value, int>::iterator last_;
};

/// Numbers where equal colours sit, in every grouping, in groups of equal sets of colours: the
/// coarsest such refinement of `colours`, numbered by first appearance. A grouping gives each
/// item the number of its group, below the number of items.
std::vector<int> refined(std::vector<int> colours, const std::vector<std::vector<int>>& groupings);

/// By item, the number of the set of colours that its group holds, from 0 on by first appearance.
std::vector<int> set_numbers(const std::vector<int>& colours, const std::vector<int>& groups);

/// By item, the first of its colour.
std::vector<int> first_alike(const std::vector<int>& colours);

}  // namespace simtrain
