#include "mdh/backend/c/opaque.h"

#include <fmt/format.h>

namespace mdh::backend {
namespace {

/// Where a kind of values lies: a condition of the preprocessor and a constraint of asm.
struct Register {
  const char* condition;
  const char* constraint;
};

/// Registers of vectors of so many bytes, by machine. With all of AVX-512 there are 32 of each
/// width, which only the constraint v names.
std::vector<Register> vector_registers(int64_t bytes) {
  std::vector<Register> all;
  if (bytes == 8 || bytes == 16) all.push_back({"defined(__aarch64__)", "w"});
  if (bytes == 64) all.push_back({"defined(__AVX512F__)", "v"});
  if (bytes == 16 || bytes == 32) all.push_back({"defined(__AVX512VL__)", "v"});
  if (bytes == 16) all.push_back({"defined(__x86_64__)", "x"});
  if (bytes == 32) all.push_back({"defined(__AVX__)", "x"});
  return all;
}

/// NAME(x) is an empty piece of assembler that may change x. It is volatile, or compilers would
/// leave out those whose result they can do without.
std::string opaque_macro(const std::string& name, const std::string& constraint) {
  return fmt::format("#define {}(x) __asm__ volatile(\"\" : \"+{}\"(x))", name, constraint);
}

std::string define_opaque(Helpers& helpers, const std::string& name,
                          const std::vector<Register>& registers) {
  std::string text;
  for (const Register& r : registers) {
    text += fmt::format("#{} {}\n{}\n", text.empty() ? "if" : "elif", r.condition,
                        opaque_macro(name, r.constraint));
  }
  const std::string nothing = fmt::format("#define {}(x) (void)0", name);
  helpers.define_operation(name, text.empty() ? nothing : text + "#else\n" + nothing + "\n#endif");
  return name;
}

bool is_float_in_c(scalar::Scalar type) {
  return type == scalar::Scalar::f32 || type == scalar::Scalar::f64;
}

}  // namespace

std::string made_opaque(Helpers& helpers, scalar::Scalar type, int64_t lanes,
                        const std::string& variable) {
  std::string name;
  if (lanes > 1) {
    const int64_t bytes = lanes * scalar::bytes_of(type);
    name = define_opaque(helpers, fmt::format("mdh_opaque_{}", bytes), vector_registers(bytes));
  } else if (is_float_in_c(type)) {
    name = define_opaque(helpers, "mdh_opaque_float",
                         {{"defined(__aarch64__)", "w"}, {"defined(__x86_64__)", "x"}});
  } else {
    name = "mdh_opaque_integer";
    helpers.define_operation(name, opaque_macro(name, "r"));
  }
  return fmt::format("{}({});\n", name, variable);
}

}  // namespace mdh::backend
