#include "mdh/backend/c/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mdh/backend/c/type.h"
#include "mdh/scalar/simplify.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::Stmt;

constexpr int64_t most_elements = 1024;

bool is_ascending(const std::vector<int64_t>& places) {
  for (size_t n = 0; n < places.size(); ++n) {
    if (places[n] != places[0] + static_cast<int64_t>(n)) return false;
  }
  return true;
}

/// What is known of all accesses so far.
class Survey {
 public:
  Survey(const loop::Program& p, const Symbol& buffer, bool vectors)
      : program_(p), buffer_(buffer), vectors_(vectors) {}

  /// What begins outside of a share outlives it, and others may see it.
  void block(const Block& statements, const loop::Lanes* lanes) {
    for (const Stmt& s : statements) {
      if (s.as<loop::Deal>()) unknown_ = true;
      if (const auto* load = s.as<loop::Load>()) access(load->from, lanes);
      if (const auto* store = s.as<loop::Store>()) access(store->to, lanes);
      if (const auto* load = s.as<loop::WideLoad>())
        unknown_ = unknown_ || load->from.buffer == buffer_;
      if (const auto* store = s.as<loop::WideStore>())
        unknown_ = unknown_ || store->to.buffer == buffer_;
      if (const auto* copy = s.as<loop::AsyncCopy>()) {
        access(copy->to, lanes);
        access(copy->from, lanes);
      }
      if (const auto* square = s.as<loop::Transpose>()) {
        access(square->to, lanes);
        access(square->from, lanes);
      }
      const auto* inner = s.as<loop::Lanes>();
      loop::for_each_child(s, [&](const Block& b) { block(b, inner && vectors_ ? inner : lanes); });
    }
  }

  std::optional<Registers> result() const {
    if (unknown_ || widths_.size() > 1) return std::nullopt;
    Registers registers{c_name(buffer_.name), widths_.empty() ? 1 : *widths_.begin(), {}};
    std::set<int64_t> variables;
    for (const int64_t at : places_) variables.insert(at / registers.lanes);
    registers.variables.assign(variables.begin(), variables.end());
    for (const int64_t at : begins_) {
      if (at % registers.lanes != 0) return std::nullopt;
    }
    return registers;
  }

 private:
  void access(const Element& e, const loop::Lanes* lanes) {
    if (e.buffer != buffer_) return;
    const auto places = places_of(program_, e, lanes);
    if (!places) {
      unknown_ = true;
      return;
    }
    places_.insert(places->begin(), places->end());
    if (places->size() > 1 && is_ascending(*places)) {
      widths_.insert(std::ssize(*places));
      begins_.insert(places->front());
    }
  }

  const loop::Program& program_;
  Symbol buffer_;
  bool vectors_, unknown_ = false;
  std::set<int64_t> places_, begins_, widths_;
};

}  // namespace

std::string Registers::variable(int64_t number) const { return fmt::format("{}_{}", name, number); }

std::string Registers::element(int64_t at) const {
  if (lanes == 1) return variable(at);
  return fmt::format("{}[{}]", variable(at / lanes), at % lanes);
}

std::optional<std::vector<int64_t>> places_of(const loop::Program& p, const Element& e,
                                              const loop::Lanes* lanes) {
  const Expr address = address_of(p, e);
  const bool varies = lanes && mentions(address, lanes->var);
  std::vector<int64_t> places;
  for (int64_t n = 0; n < (varies ? lanes->count : 1); ++n) {
    const auto place = constant(varies ? with_value(address, lanes->var, n) : address);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

std::optional<Registers> registers_of(const loop::Program& p, const loop::Buffer& b,
                                      const Block& statements, bool vectors) {
  if (b.scope != loop::Scope::registers || !b.type.is_scalar()) return std::nullopt;
  if (scalar::volume(b.extents) > most_elements) return std::nullopt;
  Survey survey(p, b.symbol, vectors);
  survey.block(statements, nullptr);
  return survey.result();
}

}  // namespace mdh::backend
