// What the symbols of a function are called in C.
#pragma once

#include <map>
#include <set>
#include <string>

#include "mdh/support/symbol.h"

namespace mdh::backend {

/// Symbols are told apart by their numbers, too, and their names may have characters that C does
/// not accept: a function in C has names of its own.
class Names {
 public:
  struct Place {
    std::string text;  // a name, or the expression that the symbol stands for
    bool is_pointer = false;
  };

  /// A new name for a symbol, like its own.
  std::string declare(const Symbol& symbol, bool is_pointer = false);

  /// A new name for nothing in particular.
  std::string fresh(const std::string& wish);

  void bind(const Symbol& symbol, Place place) { places_[symbol] = std::move(place); }

  /// Symbols that were not declared have their own names.
  Place find(const Symbol& symbol) const;

 private:
  std::map<Symbol, Place> places_;
  std::set<std::string> used_;
};

}  // namespace mdh::backend
