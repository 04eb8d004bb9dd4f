#include "mdh/support/diagnostic.h"

#include <utility>

namespace mdh {
namespace {

const char* label(DiagnosticKind kind) {
  return kind == DiagnosticKind::internal ? "internal error" : "error";
}

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// The offending line and a caret below the column; tabs are kept so that the caret stays aligned.
std::string excerpt(const Location& where, std::string_view source) {
  const std::string_view line = line_of(source, where.line);
  if (line.empty()) return {};
  std::string caret;
  for (int i = 1; i < where.column && i <= static_cast<int>(line.size()); ++i) {
    caret += line[i - 1] == '\t' ? '\t' : ' ';
  }
  return fmt::format("  {}\n  {}^\n", line, caret);
}

[[noreturn]] void raise(DiagnosticKind kind, std::string code, Location where, std::string message,
                        std::string hint) {
  throw Error({kind, std::move(code), std::move(where), std::move(message), {}, std::move(hint)});
}

}  // namespace

std::string to_string(const Location& where) {
  if (!where.known()) return {};
  return fmt::format("{}:{}:{}", where.file ? *where.file : "<text>", where.line, where.column);
}

std::string render(const Diagnostic& d, std::string_view source) {
  std::string text = d.where.known() ? to_string(d.where) + ": " : "mdh: ";
  text += fmt::format("{}: {}", label(d.kind), d.message);
  text += d.code.empty() ? "\n" : fmt::format(" [{}]\n", d.code);
  if (d.where.known() && !source.empty()) text += excerpt(d.where, source);
  for (const std::string& note : d.notes) text += fmt::format("note: {}\n", note);
  if (!d.hint.empty()) text += fmt::format("hint: {}\n", d.hint);
  return text;
}

int exit_code(DiagnosticKind kind) {
  switch (kind) {
    case DiagnosticKind::user:
    case DiagnosticKind::unsupported:
      return 2;
    case DiagnosticKind::wrong_result:
      return 1;
    case DiagnosticKind::missing:
      return 3;
    case DiagnosticKind::no_candidate:
      return 4;
    case DiagnosticKind::internal:
      return 70;
  }
  return 70;
}

Error::Error(Diagnostic diagnostic)
    : diagnostic_(std::move(diagnostic)), text_(render(diagnostic_)) {}

void user_error(std::string code, Location where, std::string message, std::string hint) {
  raise(DiagnosticKind::user, std::move(code), std::move(where), std::move(message),
        std::move(hint));
}

void unsupported(std::string code, Location where, const std::string& message, std::string hint) {
  raise(DiagnosticKind::unsupported, std::move(code), std::move(where), "not supported: " + message,
        std::move(hint));
}

void missing(std::string code, std::string message, std::string hint) {
  raise(DiagnosticKind::missing, std::move(code), {}, std::move(message), std::move(hint));
}

void internal_failure(const Condition& condition, const std::string& message) {
  throw Error({DiagnosticKind::internal,
               {},
               {},
               message,
               {fmt::format("checked at {}:{}", condition.file, condition.line)},
               "this is a bug of mdh; please report it with the command that led here"});
}

}  // namespace mdh
