#include "tools/mdh/usage.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"

namespace mdh::tool {
namespace {

/// All of the text is one number.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (text.empty() || failure != std::errc() || rest != end) return std::nullopt;
  return value;
}

template <class Number>
CLI::Validator number_between(const char* what, Number low, Number high, const std::string& range) {
  const std::string expected = fmt::format("{} {}", what, range);
  const auto complaint = [=](std::string& text) -> std::string {
    const std::optional<Number> value = number_of<Number>(text);
    if (value && *value >= low && *value <= high) return {};
    return fmt::format("'{}' is not a {}", text, expected);
  };
  return {complaint, range, what};
}

/// The verb that the first words name, down to the verbs of a verb.
struct NamedVerb {
  const CLI::App* verb;
  std::string words;  // "records prune"
  int next = 1;       // the argument behind them
};

std::vector<const CLI::App*> verbs_of(const CLI::App& verb) {
  return verb.get_subcommands([](const CLI::App*) { return true; });
}

NamedVerb named_verb(const CLI::App& app, int argc, char** argv) {
  NamedVerb named{&app, ""};
  const auto step = [&] {
    for (const CLI::App* verb : verbs_of(*named.verb)) {
      if (named.next >= argc || verb->get_name() != argv[named.next]) continue;
      named.verb = verb;
      named.words += (named.words.empty() ? "" : " ") + verb->get_name();
      ++named.next;
      return true;
    }
    return false;
  };
  while (step()) continue;
  return named;
}

/// What is wrong, and what to do; no text where it is not known.
struct Complaint {
  std::string message;
  std::string hint = "'mdh --help' shows all verbs";
};

/// A word where a verb should be.
Complaint unknown_verb(const NamedVerb& named, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : verbs_of(*named.verb)) verbs.push_back(verb->get_name());
  if (verbs.empty()) return {};
  if (named.next < argc && argv[named.next][0] != '-') {
    const std::string before = named.words.empty() ? "" : named.words + " ";
    return {fmt::format("unknown verb '{}{}'", before, argv[named.next]),
            suggestion(argv[named.next], verbs)};
  }
  if (named.words.empty()) return {"a verb is missing"};
  return {fmt::format("'mdh {}' needs a verb of its own", named.words),
          fmt::format("known: {}", fmt::join(verbs, ", "))};
}

Complaint unknown_option(const NamedVerb& named, int argc, char** argv) {
  if (named.words.empty()) return {};
  std::vector<std::string> options;
  for (const CLI::Option* option : named.verb->get_options()) options.push_back(option->get_name());
  for (int n = named.next; n < argc; ++n) {
    const std::string word = split(argv[n], '=').front();
    if (word.rfind("--", 0) != 0 || named.verb->get_option_no_throw(word) != nullptr) continue;
    return {fmt::format("'mdh {}' has no option '{}'", named.words, word),
            suggestion(word, options)};
  }
  return {};
}

/// An option at the end, or before another one, that needs a value.
Complaint missing_value(const NamedVerb& named, int argc, char** argv) {
  for (int n = named.next; n < argc; ++n) {
    const CLI::Option* option = named.verb->get_option_no_throw(argv[n]);
    if (argv[n][0] != '-' || option == nullptr || option->get_items_expected_min() == 0) continue;
    const bool has_value =
        n + 1 < argc && named.verb->get_option_no_throw(split(argv[n + 1], '=').front()) == nullptr;
    if (!has_value) return {fmt::format("{} needs a value", argv[n])};
  }
  return {};
}

/// Options that are missing, or that do not fit together.
Complaint bad_combination(const NamedVerb& named) {
  const auto given = [](const CLI::Option* option) { return option->count() > 0; };
  for (const CLI::Option* option : named.verb->get_options()) {
    if (option->get_required() && !given(option)) {
      return {fmt::format("'mdh {}' needs {}", named.words, option->get_name())};
    }
    if (!given(option)) continue;
    for (const CLI::Option* other : option->get_excludes()) {
      if (!given(other)) continue;
      return {fmt::format("{} and {} exclude each other", option->get_name(), other->get_name())};
    }
    for (const CLI::Option* other : option->get_needs()) {
      if (given(other)) continue;
      return {fmt::format("{} needs {}", option->get_name(), other->get_name())};
    }
  }
  return {};
}

Complaint surplus_word(const CLI::App& app, const NamedVerb& named) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return {};
  return {fmt::format("'mdh {}' has no use for '{}'", named.words, rest.front())};
}

/// Values that our own validators refused come with our own words. CLI11 says which option it was.
Complaint bad_value(const CLI::ParseError& error) {
  if (error.get_name() != "ValidationError") return {};
  return {error.what()};
}

}  // namespace

CLI::Validator whole_number(uint64_t low, uint64_t high) {
  const std::string range =
      high == UINT64_MAX ? fmt::format("from {} on", low) : fmt::format("from {} to {}", low, high);
  return number_between("whole number", low, high, range);
}

CLI::Validator decimal_number(double low, double high) {
  return number_between("number", low, high, fmt::format("from {:g} to {:g}", low, high));
}

int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const NamedVerb named = named_verb(app, argc, argv);
  Complaint complaint;
  for (const Complaint& other :
       {unknown_option(named, argc, argv), unknown_verb(named, argc, argv),
        missing_value(named, argc, argv), bad_value(error), bad_combination(named),
        surplus_word(app, named), Complaint{error.what()}}) {
    if (complaint.message.empty()) complaint = other;
  }
  const Diagnostic d{DiagnosticKind::user, "E800", {}, complaint.message, {}, complaint.hint};
  say("{}", render(d));
  return exit_code(d.kind);
}

}  // namespace mdh::tool
