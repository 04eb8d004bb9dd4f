#include "mdh/backend/c/type.h"

#include <gtest/gtest.h>

#include <set>

namespace mdh::backend::type_test {
namespace {

using scalar::Scalar;

TEST(CType, every_type_has_its_name_in_c) {
  const std::vector<std::pair<Scalar, std::string>> names = {
      {Scalar::boolean, "_Bool"},      {Scalar::i8, "signed char"},
      {Scalar::i16, "short"},          {Scalar::i32, "int"},
      {Scalar::i64, "long"},           {Scalar::u8, "unsigned char"},
      {Scalar::u16, "unsigned short"}, {Scalar::u32, "unsigned"},
      {Scalar::u64, "unsigned long"},  {Scalar::f32, "float"},
      {Scalar::f64, "double"}};
  for (const auto& [type, name] : names) EXPECT_EQ(c_type(type), name);
}

TEST(CName, ordinary_names_stay) {
  for (const char* name : {"x", "M", "cor_k", "i64", "in", "forward", "x_1"}) {
    EXPECT_EQ(c_name(name), name);
  }
}

TEST(CName, keywords_and_names_of_printed_code_are_prefixed) {
  for (const std::string name :
       {"int", "for", "restrict", "register", "long", "typeof", "core", "cores", "part", "threads",
        "workspace", "buffers", "main", "linux", "omp_get_thread_num", "mdh_min_i64", "_Bool",
        "__func__"}) {
    EXPECT_EQ(c_name(name), "mdh_" + name);
  }
}

TEST(CName, keywords_types_and_macros_of_opencl_are_prefixed) {
  for (const std::string name :
       {"kernel", "global", "half", "uint", "float4", "double16", "barrier", "get_global_id",
        "M_PI", "FLT_MAX", "INT_MIN", "NULL", "bool"}) {
    EXPECT_EQ(c_name(name), "mdh_" + name);
  }
  for (const char* name : {"global_size", "halfway", "float_4", "MAX", "M", "M_1a", "x4"}) {
    EXPECT_EQ(c_name(name), name);
  }
}

TEST(CName, names_of_accesses_become_identifiers) { EXPECT_EQ(c_name("x.1"), "mdh_x_1"); }

TEST(CName, different_names_stay_different) {
  std::set<std::string> names;
  const std::vector<std::string> given = {"int", "mdh_int", "mdh_mdh_int", "_int", "mdh__int"};
  for (const std::string& name : given) names.insert(c_name(name));
  EXPECT_EQ(names.size(), given.size());
}

}  // namespace
}  // namespace mdh::backend::type_test
