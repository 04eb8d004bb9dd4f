// Reading JSON with complaints that name the place and the key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/support/diagnostic.h"
#include "mdh/support/json_text.h"
#include "mdh/support/text.h"

namespace mdh::ll {

/// A JSON text, and typed access to the values in it. Every complaint names the key it is about and
/// where that stands.
class JsonFields {
 public:
  using json = nlohmann::ordered_json;

  JsonFields(std::string_view text, const std::string& file) : text_(text), source_(text, file) {}

  /// The whole text; E310 if it is not JSON or has a key twice.
  json document() const;

  [[noreturn]] void fail(const std::string& code, const std::string& key,
                         const std::string& message, const std::string& hint = {}) const;

  /// Where the key stands, and not a value that reads the same; the beginning if it is not found.
  Location place_of(const std::string& key) const;

  /// The same text, for the values inside of a key: what comes before it is not searched any more.
  JsonFields inside(const std::string& key) const;

  void expect_object(const std::string& key, const json& value) const;
  void expect_list(const std::string& key, const json& value) const;

  /// Every key of the object is known; E314 with the nearest name otherwise.
  void check_keys(const json& object, const std::vector<std::string>& known) const;

  std::string text_of(const std::string& key, const json& value) const;
  std::vector<std::string> texts_of(const std::string& key, const json& value) const;
  int64_t integer_of(const std::string& key, const json& value) const;
  bool truth_of(const std::string& key, const json& value) const;

  /// One of a closed list of names, by position.
  size_t choice_of(const std::string& key, const json& value,
                   const std::vector<std::string>& names) const;

 private:
  [[noreturn]] void wrong_kind(const std::string& key, const char* expected, const json& value,
                               const std::string& hint) const;

  std::string_view text_;
  JsonText source_;
  size_t from_ = 0;
};

/// JSON on one line, with a space after every comma and colon.
std::string spaced(const JsonFields::json& value);

}  // namespace mdh::ll
