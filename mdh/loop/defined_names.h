// The names that are defined at a place of a program.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

namespace mdh::loop {

/// A set of names that forgets the latest ones. Leaving a block costs what was defined in it; a copy
/// of the set at every block would cost as much as all that is defined around it.
class DefinedNames {
 public:
  bool contains(const std::string& name) const { return names_.contains(name); }

  /// False if it is there already.
  bool insert(const std::string& name) {
    const auto [at, is_new] = names_.insert(name);
    if (is_new) order_.push_back(&*at);
    return is_new;
  }

  size_t size() const { return order_.size(); }

  /// Forgets all but the first ones.
  void shrink(size_t size) {
    while (order_.size() > size) {
      names_.erase(names_.find(*order_.back()));
      order_.pop_back();
    }
  }

 private:
  std::unordered_set<std::string> names_;  // its elements stay where they are in memory
  std::vector<const std::string*> order_;
};

}  // namespace mdh::loop
