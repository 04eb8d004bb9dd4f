// Diagnostics: the one way in which mdh says that something is wrong.
//
// A diagnostic says where, what, why (notes) and what to do (hint). Its kind separates the user's
// mistakes from things mdh does not do, from things the machine lacks, and from bugs of mdh; the
// kind decides the exit code of the command line.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace mdh {

/// A place in a text. Locations never take part in comparisons: two programs are equal if they say
/// the same.
struct Location {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;

  bool known() const { return line > 0; }
  friend bool operator==(const Location&, const Location&) { return true; }
};

std::string to_string(const Location& where);

enum class DiagnosticKind {
  user,          // the input is wrong: exit code 2
  unsupported,   // the input is right, but mdh does not do it: exit code 2, the text begins "not
                 // supported:"
  wrong_result,  // a computed result is not the right one: exit code 1
  missing,       // a device or tool is missing: exit code 3
  no_candidate,  // no configuration that could be used: exit code 4
  internal,      // a bug of mdh: exit code 70
};

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::user;
  std::string code;  // stable name, "E101"; empty for internal errors
  Location where;
  std::string message;
  std::vector<std::string> notes;
  std::string hint;
};

/// clang's form: `file:line:col: error: message [E101]`, then one line per note and one for the
/// hint. With the text of the source at hand the offending line is shown with a caret below it.
std::string render(const Diagnostic& diagnostic, std::string_view source = {});

int exit_code(DiagnosticKind kind);

/// Carries one diagnostic out of any depth to the border of the API.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  const char* what() const noexcept override { return text_.c_str(); }
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
  std::string text_;
};

/// The user's mistake. `code` is the key of docs/errors.md.
[[noreturn]] void user_error(std::string code, Location where, std::string message,
                             std::string hint = {});

/// Right but not built. The message is prefixed with "not supported: ".
[[noreturn]] void unsupported(std::string code, Location where, const std::string& message,
                              std::string hint = {});

/// A device, compiler or library that this machine lacks.
[[noreturn]] void missing(std::string code, std::string message, std::string hint = {});

/// A condition that remembers where it was written; lets internal_check do without a macro.
struct Condition {
  bool holds;
  const char* file;
  int line;
  // Implicit on purpose: internal_check(x > 0, "...") reads like an assertion.
  Condition(bool holds, const char* file = __builtin_FILE(),  // NOLINT(google-explicit-constructor)
            int line = __builtin_LINE())
      : holds(holds), file(file), line(line) {}
};

[[noreturn]] void internal_failure(const Condition& condition, const std::string& message);

/// States what must be true if mdh itself has no bug. Always on, also in release builds.
template <class... T>
void internal_check(Condition condition, fmt::format_string<T...> message, T&&... values) {
  if (!condition.holds) {
    internal_failure(condition, fmt::format(message, std::forward<T>(values)...));
  }
}

}  // namespace mdh
