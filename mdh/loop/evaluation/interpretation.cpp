#include "mdh/loop/evaluation/interpretation.h"

#include <algorithm>

#include "mdh/loop/index_value.h"

namespace mdh::loop {

Interpretation::Interpretation(const Program& p, const std::vector<scalar::Array>& inputs,
                               scalar::Algebra& algebra)
    : program_(p), algebra_(algebra) {
  size_t next = 0;
  for (const Buffer& b : p.buffers) {
    Instances& instances = memory_[b.symbol.name];
    instances.buffer = &b;
    if (b.role != Role::input) continue;
    internal_check(next < inputs.size(), "too few inputs");
    internal_check(inputs[next].extents == b.extents, "'{}' is given with other extents",
                   b.symbol.name);
    instances.by_digits.emplace(std::vector<int64_t>{}, Memory(b.symbol.name, inputs[next++]));
  }
  internal_check(next == inputs.size(), "too many inputs");
}

std::vector<scalar::Array> Interpretation::outputs() {
  std::vector<scalar::Array> all;
  for (const Buffer& b : program_.buffers) {
    if (b.role == Role::output) all.push_back(instance(memory_.at(b.symbol.name)).content());
  }
  return all;
}

int64_t Interpretation::trip(const Digit& d) const {
  const int64_t room = program_.dimensions[d.dimension].size - base(d.dimension);
  return std::clamp<int64_t>((room + d.step - 1) / d.step, 0, d.parts);
}

int64_t Interpretation::base(int dimension) const {
  int64_t sum = 0;
  for (const Digit* d : enclosing_) {
    if (d->dimension == dimension) sum += index_.at(d->var.name) * d->step;
  }
  return sum;
}

std::vector<int64_t> Interpretation::set_dimensions() {
  std::vector<int64_t> point;
  for (size_t d = 0; d < program_.dimensions.size(); ++d) {
    point.push_back(base(static_cast<int>(d)));
    index_[program_.dimensions[d].symbol.name] = point.back();
  }
  return point;
}

void Interpretation::over(const std::vector<Symbol>& digits, size_t depth,
                          const std::function<void()>& visit) {
  if (depth == digits.size()) return visit();
  const Digit& d = find_digit(program_, digits[depth]);
  const int64_t count = trip(d);
  enclosing_.push_back(&d);
  for (int64_t n = 0; n < count; ++n) {
    index_[d.var.name] = n;
    over(digits, depth + 1, visit);
  }
  enclosing_.pop_back();
  index_.erase(d.var.name);
}

void Interpretation::set_counters(const std::vector<Counter>& counters, int64_t n) {
  for (auto c = counters.rbegin(); c != counters.rend(); ++c) {
    index_[c->var.name] = n % c->count;
    n /= c->count;
  }
}

Memory& Interpretation::instance(Instances& all) {
  std::vector<int64_t> digits;
  for (const Symbol& digit : all.buffer->per) {
    const auto value = index_.find(digit.name);
    internal_check(value != index_.end(), "'{}' is used without a value of '{}', which it is per",
                   all.buffer->symbol.name, digit.name);
    digits.push_back(value->second);
  }
  return all.at(digits);
}

void Interpretation::update(const Target& target, const Leaves& fresh) {
  if (is_atomic(target.elements.front())) return combine_atomically(target.elements, fresh);
  const bool first = std::all_of(target.first.begin(), target.first.end(),
                                 [&](const Symbol& digit) { return index_.at(digit.name) == 0; });
  Leaves values = fresh;
  if (!first) algebra_.combine(load(target.elements), fresh, values);
  store(target.elements, values);
}

void Interpretation::combine_atomically(const std::vector<Element>& to, const Leaves& fresh) {
  Leaves there, values = fresh;
  std::vector<Place> places;
  for (const Element& e : to) places.push_back(place_of(e));
  if (places.front().memory->is_defined(places.front().index)) {
    for (const Place& p : places) p.memory->load_atomically(p.index, there);
    algebra_.combine(there, fresh, values);
  }
  size_t begin = 0;
  for (size_t n = 0; n < to.size(); ++n) {
    const auto width =
        static_cast<size_t>(scalar::width_of(find_buffer(program_, to[n].buffer).type));
    places[n].memory->store_atomically(places[n].index, now_,
                                       std::span(values).subspan(begin, width));
    begin += width;
  }
}

Leaves Interpretation::take(const std::vector<Element>& from) {
  const Leaves leaves = load(from);
  for (const Element& e : from) undefine(e);
  return leaves;
}

void Interpretation::expect_taken(const Buffer& buffer) {
  if (!buffer.atomic) return;
  for (const auto& [digits, memory] : memory_.at(buffer.symbol.name).by_digits) {
    internal_check(memory.is_empty(), "'{}' is left with what nobody takes", buffer.symbol.name);
  }
}

std::vector<Element> Interpretation::neighbours(const Element& e, int64_t width) {
  const auto& extents = find_buffer(program_, e.buffer).extents;
  internal_check(width == 1 || scalar::address(extents, index_of(e)) % width == 0,
                 "{} elements of '{}' at once from a place that is no multiple of that", width,
                 e.buffer.name);
  return loop::neighbours(e, width);
}

Leaves Interpretation::load(const std::vector<Element>& elements) {
  Leaves leaves;
  for (const Element& e : elements) {
    instance(memory_.at(e.buffer.name)).load(index_of(e), now_, leaves);
  }
  return leaves;
}

Leaves Interpretation::load_if_defined(const Element& element) {
  const Place place = place_of(element);
  return place.memory->is_defined(place.index) ? load({element}) : Leaves{};
}

void Interpretation::undefine(const Element& element) {
  const Place place = place_of(element);
  place.memory->expect(place.index, now_);
}

void Interpretation::store(const std::vector<Element>& elements, const Leaves& leaves) {
  size_t begin = 0;
  for (const Element& e : elements) {
    const auto width = static_cast<size_t>(scalar::width_of(find_buffer(program_, e.buffer).type));
    instance(memory_.at(e.buffer.name))
        .store(index_of(e), now_, std::span(leaves).subspan(begin, width));
    begin += width;
  }
}

void Interpretation::copy(const std::vector<Counter>& axes, const Element& to, const Element& from,
                          const std::vector<Expr>& within) {
  for (int64_t n = 0; n < volume_of(axes); ++n) {
    set_counters(axes, n);
    const bool inside =
        std::all_of(within.begin(), within.end(), [&](const Expr& e) { return integer(e) != 0; });
    if (inside) store(to, load({from}));
  }
  for (const Counter& axis : axes) index_.erase(axis.var.name);
}

int Interpretation::result_width() const {
  int width = 0;
  for (const auto& result : program_.f.results) width += scalar::width_of(result.value.type());
  return width;
}

std::vector<int64_t> Interpretation::index_of(const Element& e) const {
  std::vector<int64_t> index;
  for (const Expr& i : e.index) index.push_back(integer(i));
  return index;
}

int64_t Interpretation::integer(const Expr& e) const { return index_value(e, index_); }

Leaves Interpretation::values(const std::vector<Symbol>& names) const {
  Leaves all;
  for (const Symbol& name : names) {
    const Leaves& leaves = values_.at(name.name);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

void Interpretation::define(const std::vector<Symbol>& names, const Leaves& leaves) {
  auto next = leaves.begin();
  for (size_t n = 0; n < names.size(); ++n) {
    const auto end = next + scalar::width_of(program_.f.results[n].value.type());
    values_[names[n].name] = Leaves(next, end);
    next = end;
  }
}

}  // namespace mdh::loop
