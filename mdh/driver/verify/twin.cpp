#include "mdh/driver/verify/twin.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Function;
using scalar::Scalar;
using scalar::Type;

Scalar twin_scalar(Scalar type) {
  switch (type) {
    case Scalar::f16:
    case Scalar::bf16:
      return Scalar::u16;
    case Scalar::f32:
      return Scalar::u32;
    case Scalar::f64:
      return Scalar::u64;
    default:
      return type;
  }
}

/// What hashes are computed in: multiplied and added only, which vectors of all machines do.
Scalar hash_type(Scalar result) { return result == Scalar::boolean ? Scalar::u32 : result; }

bool has_array(const Type& type) {
  const scalar::Record* record = type.record();
  return record && std::any_of(record->fields.begin(), record->fields.end(),
                               [](const scalar::Field& f) { return f.count > 0; });
}

/// Odd factors of one result. Each operand x counts as 2ax + b, which is odd whatever x is, so that
/// their product loses nothing of the others.
class Hash {
 public:
  Hash(Scalar type, uint64_t seed) : type_(type), random_(seed) {}

  void take(const Expr& operand) {
    if (const scalar::Record* record = operand.type().record()) {
      for (const scalar::Field& field : record->fields) take_field(field_of(operand, field.name));
    } else {
      take_scalar(operand);
    }
  }

  Expr value() {
    const Expr own = odd();
    return product_ ? binary(BinaryOp::multiply, *product_, own) : own;
  }

 private:
  void take_field(const Expr& field) {
    const scalar::ArrayType* array = field.type().array();
    if (!array) return take_scalar(field);
    for (int n = 0; n < array->count; ++n) {
      take_scalar(element_of(field, scalar::index_literal(n)));
    }
  }

  void take_scalar(const Expr& operand) {
    const Scalar type = scalar_of(operand.type());
    const Expr a = even(), b = odd();
    if (type == Scalar::boolean) return multiply(select(operand, odd(), b));
    const Expr x = type == type_ ? operand : cast(type_, operand);
    multiply(binary(BinaryOp::add, binary(BinaryOp::multiply, x, a), b));
  }

  void multiply(const Expr& factor) {
    product_ = product_ ? binary(BinaryOp::multiply, *product_, factor) : factor;
  }

  Expr number(uint64_t bits) const {
    return scalar::literal(type_, scalar::from_integer(type_, static_cast<int64_t>(bits)));
  }
  Expr odd() { return number(random_.next() | 1); }
  Expr even() { return number((random_.next() | 1) << 1); }

  Scalar type_;
  Random random_;
  std::optional<Expr> product_;
};

/// What result n of f depends on, as far as its text tells.
bool reads(const Function& f, size_t n, const Symbol& symbol) {
  const auto check = [&](const scalar::Assignment& a) { return mentions(a.value, symbol); };
  return check(f.results[n]) || std::any_of(f.locals.begin(), f.locals.end(), check);
}

class TwinFunction {
 public:
  TwinFunction(const Function& f, uint64_t seed) : f_(f), seed_(seed) {
    for (const scalar::Parameter& p : f.parameters) {
      parameters_.push_back({p.symbol, twin_type(p.type)});
    }
  }

  Function made() const {
    Function twin{f_.name, parameters_, {}, {}};
    for (size_t n = 0; n < f_.results.size(); ++n) {
      twin.results.push_back(
          {f_.results[n].target, result(n, twin_type(f_.results[n].value.type())), {}});
    }
    return twin;
  }

 private:
  Expr result(size_t n, const Type& type) const {
    const scalar::Record* record = type.record();
    if (!record) return hashed(n, scalar_of(type), 0);
    scalar::Make make{record->name, {}};
    for (size_t k = 0; k < record->fields.size(); ++k) {
      const scalar::Field& field = record->fields[k];
      make.fields.push_back({scalar::local(field.name), hashed(n, field.type, k)});
    }
    return scalar::make(type, std::move(make));
  }

  Expr hashed(size_t n, Scalar type, uint64_t leaf) const {
    Hash hash(hash_type(type), seed_ * 1000003 + n * 101 + leaf + 1);
    for (const scalar::Parameter& p : parameters_) {
      if (reads(f_, n, p.symbol)) hash.take(scalar::variable(p.symbol, p.type));
    }
    const Expr value = hash.value();
    if (type != Scalar::boolean) return value;
    const auto number = [](int64_t i) {
      return scalar::literal(Scalar::u32, scalar::from_integer(Scalar::u32, i));
    };
    const Expr bit =
        binary(BinaryOp::bit_and, binary(BinaryOp::shift_right, value, number(17)), number(1));
    return binary(BinaryOp::equal, bit, number(1));
  }

  const Function& f_;
  uint64_t seed_;
  std::vector<scalar::Parameter> parameters_;
};

/// Wrap-around addition, of truth values exclusive or.
Expr sum(const Expr& left, const Expr& right) {
  const bool truth = left.type() == Scalar::boolean;
  return binary(truth ? BinaryOp::not_equal : BinaryOp::add, left, right);
}

Expr sum_of(const Expr& left, const Expr& right) {
  const scalar::Record* record = left.type().record();
  if (!record) return sum(left, right);
  scalar::Make make{record->name, {}};
  for (const scalar::Field& field : record->fields) {
    make.fields.push_back(
        {scalar::local(field.name), sum(field_of(left, field.name), field_of(right, field.name))});
  }
  return scalar::make(left.type(), std::move(make));
}

Function twin_combination(const Function& combine) {
  Function twin{combine.name, {}, {}, {}};
  for (const scalar::Parameter& p : combine.parameters) {
    twin.parameters.push_back({p.symbol, twin_type(p.type)});
  }
  const size_t count = combine.results.size();
  for (size_t n = 0; n < count; ++n) {
    const scalar::Parameter &l = twin.parameters[n], &r = twin.parameters[count + n];
    twin.results.push_back(
        {combine.results[n].target,
         sum_of(scalar::variable(l.symbol, l.type), scalar::variable(r.symbol, r.type)),
         {}});
  }
  return twin;
}

}  // namespace

std::string without_twin(const hl::Program& program) {
  if (hl::has_custom_operator(program)) return "an operator on whole arrays has none";
  for (const hl::BufferView& view : program.outputs) {
    if (has_array(view.type)) return "results with array fields have none";
  }
  return "";
}

Type twin_type(const Type& type) {
  if (type.is_scalar()) return twin_scalar(scalar_of(type));
  if (const scalar::ArrayType* array = type.array()) {
    return Type(scalar::ArrayType{twin_scalar(array->element), array->count});
  }
  const scalar::Record* record = type.record();
  if (!record) return type;
  scalar::Record twin = *record;
  for (scalar::Field& field : twin.fields) field.type = twin_scalar(field.type);
  return twin == *record ? type : Type(std::move(twin));
}

hl::Program twin_views(const hl::Program& program) {
  hl::Program twin = program;
  for (auto* views : {&twin.outputs, &twin.inputs}) {
    for (hl::BufferView& view : *views) view.type = twin_type(view.type);
  }
  return twin;
}

Meaning twin_of(const Meaning& meaning, uint64_t seed) {
  return {TwinFunction(meaning.f, seed).made(), twin_combination(meaning.combine)};
}

loop::Program twin_of(const loop::Program& program, uint64_t seed) {
  loop::Program twin = program;
  for (loop::Buffer& buffer : twin.buffers) buffer.type = twin_type(buffer.type);
  const Meaning meaning = twin_of(Meaning{program.f, program.combine}, seed);
  twin.f = meaning.f;
  twin.combine = meaning.combine;
  return twin;
}

Stages twin_stages(const Stages& stages, const Target& target) {
  Stages twin = stages;
  twin.concrete = twin_of(stages.concrete, twin_seed);
  twin.module = target.print(twin.concrete, stages.module.name + "_twin");
  twin.module.compiler = stages.module.compiler;
  twin.module.flags = stages.module.flags;
  return twin;
}

}  // namespace mdh::driver
