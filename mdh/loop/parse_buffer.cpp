#include "mdh/loop/parse_buffer.h"

#include "mdh/loop/keywords.h"
#include "mdh/loop/parse_function.h"

namespace mdh::loop {
namespace {

scalar::Extents parse_extents(scalar::TokenStream& tokens) {
  scalar::Extents extents;
  tokens.expect("[", "to begin the extents");
  if (tokens.accept("]")) return extents;
  do {
    extents.push_back(tokens.expect_integer("(an extent)"));
  } while (tokens.accept(","));
  tokens.expect("]", "after the extents");
  return extents;
}

/// Where a temporary is.
void parse_place(scalar::TokenStream& tokens, Buffer& b) {
  tokens.expect("in", "before the region");
  b.region = tokens.expect_name("of a region").text;
  tokens.expect("of", "after the region");
  const auto scope = find_scope(tokens.peek().text);
  if (!scope) tokens.fail("all, group, core or registers", "after 'of'");
  tokens.next();
  b.scope = *scope;
  tokens.expect("per", "after the scope");
  tokens.expect("(", "to begin the names");
  b.per = parse_names(tokens, ")");
}

}  // namespace

Buffer parse_buffer(scalar::TokenStream& tokens, const scalar::Scope& scope) {
  Buffer b;
  const auto role = find_role(tokens.peek().text);
  if (!role) tokens.fail("output, input or temporary", "after 'buffer'");
  tokens.next();
  b.role = *role;
  b.symbol = named(tokens.expect_name("of a buffer").text);
  tokens.expect(":", "after the buffer");
  b.type = parse_type(tokens, scope);
  b.extents = parse_extents(tokens);
  if (b.role == Role::temporary) parse_place(tokens, b);
  if (tokens.accept("holds")) b.holds = tokens.expect_integer("(the elements kept)");
  if (tokens.accept("depth")) b.depth = tokens.expect_integer("(the copies in flight)");
  b.streaming = tokens.accept("streaming");
  b.opaque = tokens.accept("opaque");
  b.held = tokens.accept("held");
  b.atomic = tokens.accept("atomic");
  if (tokens.accept("swizzle")) b.swizzle = tokens.expect_integer("(lines that differ)");
  if (tokens.accept("width")) b.width = tokens.expect_integer("(bytes of an access)");
  if (tokens.accept("across")) b.across = named(tokens.expect_name("of a digit").text);
  return b;
}

std::vector<Symbol> parse_names(scalar::TokenStream& tokens, const char* end) {
  std::vector<Symbol> symbols;
  if (tokens.accept(end)) return symbols;
  do {
    symbols.push_back(named(tokens.expect_name("in the list").text));
  } while (tokens.accept(","));
  tokens.expect(end, "after the list");
  return symbols;
}

}  // namespace mdh::loop
