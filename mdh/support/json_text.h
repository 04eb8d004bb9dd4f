// JSON written by people: what is wrong with it is said with line and column.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "mdh/support/diagnostic.h"

namespace mdh {

/// A text, which outlives the object, and the file it comes from.
class JsonText {
 public:
  JsonText(std::string_view text, const std::string& file);

  /// The document. What is not JSON is a user error with this code, where reading stopped.
  nlohmann::json document(const std::string& code) const;

  /// Line and column of a byte.
  Location place(size_t byte) const;

  /// The byte at which the key first stands, and not a value that reads the same.
  std::optional<size_t> find_key(const std::string& key, size_t from = 0) const;

  /// Where the key first stands; the beginning if it is not found.
  Location place_of_key(const std::string& key) const;

  /// Where the keys and positions lead from the outermost value: {"layers", "2", "kind"} is the
  /// key `kind` of the third layer. Where they lead nowhere, the last value on the way. Only for
  /// a text that is a document.
  Location place_of(const std::vector<std::string>& path) const;

 private:
  std::string_view text_;
  std::shared_ptr<const std::string> file_;
};

}  // namespace mdh
