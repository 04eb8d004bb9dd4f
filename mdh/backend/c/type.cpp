#include "mdh/backend/c/type.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "mdh/support/diagnostic.h"

namespace mdh::backend {
namespace {

using scalar::Scalar;

bool is_word_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

bool is_reserved(const std::string& name) {
  static const std::set<std::string> reserved = {
      // Keywords of C, names of printed code, and what compilers define as macros.
      "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
      "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
      "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
      "union", "unsigned", "void", "volatile", "while", "asm", "typeof", "main", "core", "cores",
      "part", "threads", "workspace", "buffers", "linux", "unix",
      // Keywords, types and macros of OpenCL C, and those of its functions that kernels call.
      "kernel", "global", "local", "constant", "private", "read_only", "write_only", "read_write",
      "bool", "true", "false", "half", "quad", "complex", "imaginary", "uchar", "ushort", "uint",
      "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "image1d_t", "image2d_t",
      "image3d_t", "image1d_array_t", "image2d_array_t", "image1d_buffer_t", "sampler_t", "event_t",
      // Keywords of C++, and what CUDA defines.
      "alignas", "alignof", "and", "and_eq", "bitand", "bitor", "catch", "class", "compl",
      "concept", "const_cast", "consteval", "constexpr", "constinit", "co_await", "co_return",
      "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable",
      "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
      "protected", "public", "reinterpret_cast", "requires", "static_assert", "static_cast",
      "template", "this", "thread_local", "throw", "try", "typeid", "typename", "using", "virtual",
      "wchar_t", "char8_t", "char16_t", "char32_t", "xor", "xor_eq", "threadIdx", "blockIdx",
      "blockDim", "gridDim", "warpSize", "dim3", "NULL", "NAN", "INFINITY", "MAXFLOAT", "HUGE_VAL",
      "HUGE_VALF", "barrier", "mem_fence", "vec_step"};
  return reserved.contains(name);
}

/// float4 and its like, the names of OpenCL's vectors.
bool is_vector_type(std::string_view name) {
  static const std::set<std::string_view> elements = {"char", "uchar", "short",  "ushort",
                                                      "int",  "uint",  "long",   "ulong",
                                                      "half", "float", "double", "bool"};
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() && elements.contains(name.substr(0, digits));
}

/// OpenCL's limits and constants are macros: FLT_MAX, M_PI, INT_MIN, CLK_LOCAL_MEM_FENCE.
bool is_macro(std::string_view name) {
  for (const std::string_view prefix : {"FLT_", "DBL_", "HALF_", "CLK_", "FP_"}) {
    if (name.starts_with(prefix)) return true;
  }
  const bool upper =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); });
  return upper && (name.starts_with("M_") || name.ends_with("_MAX") || name.ends_with("_MIN") ||
                   name.ends_with("_BIT"));
}

bool is_taken(const std::string& name) {
  for (const char* prefix : {"mdh_", "omp_", "_", "get_", "cl_", "as_", "convert_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return is_reserved(name) || is_vector_type(name) || is_macro(name);
}

}  // namespace

std::string unsigned_type(Scalar type) {
  switch (scalar::bytes_of(type)) {
    case 1:
      return "unsigned char";
    case 2:
      return "unsigned short";
    case 4:
      return "unsigned";
    default:
      return "unsigned long";
  }
}

std::string wrapping_type(Scalar type) {
  return scalar::bytes_of(type) == 8 ? "unsigned long" : "unsigned";
}

std::string c_type(Scalar type) {
  switch (type) {
    case Scalar::boolean:
      return "_Bool";
    case Scalar::i8:
      return "signed char";
    case Scalar::i16:
      return "short";
    case Scalar::i32:
      return "int";
    case Scalar::i64:
      return "long";
    case Scalar::f16:
    case Scalar::bf16:
      internal_check(false, "{} has no type of its own in C", to_string(type));
      return "";
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::u8:
    case Scalar::u16:
    case Scalar::u32:
    case Scalar::u64:
      return unsigned_type(type);
  }
  return {};
}

std::string storage_type(Scalar type) {
  const bool own = type != Scalar::boolean && type != Scalar::f16 && type != Scalar::bf16;
  return own ? c_type(type) : unsigned_type(type);
}

std::string value_type(Dialect dialect, Scalar type) {
  if (type == Scalar::f16 || type == Scalar::bf16) return "float";
  return type == Scalar::boolean ? facts_of(dialect).truth : c_type(type);
}

std::string identifier(const std::string& name) {
  std::string result = name;
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !is_word_character(c); }, '_');
  return result;
}

std::string c_name(const std::string& name) {
  const std::string result = identifier(name);
  return result != name || is_taken(name) ? "mdh_" + result : name;
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_word_character);
}

}  // namespace mdh::backend
