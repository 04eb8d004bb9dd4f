#include "mdh/ll/table.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::table_test {
namespace {

const machine::Machine& artificial() { return machine::find_machine("artificial"); }

/// Rows below the header, words separated by one blank.
std::vector<std::string> rows_of(const std::string& table) {
  std::vector<std::string> rows;
  for (const std::string& line : split(table.substr(table.find("\nlevel ") + 1), '\n')) {
    std::vector<std::string> words;
    for (const std::string& word : split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    if (!words.empty()) rows.push_back(join(words, " "));
  }
  return rows;
}

/// The decoded schedule, row by row: level, parts, rank, machine level, regions of A and B, of C.
TEST(Table, of_the_decoded_tvm_schedule) {
  struct Row {
    const char *level, *parts, *rank, *on, *read, *write;
  };
  const std::vector<Row> expected = {
      {"(1,i)", "2", "1", "SMX.y", "DM", "DM"}, {"(1,j)", "50", "2", "SMX.x", "DM", "DM"},
      {"(1,k)", "1", "3", "SMX.z", "DM", "DM"}, {"(2,i)", "2", "8", "DM.y", "SM", "RM"},
      {"(2,j)", "1", "9", "DM.z", "SM", "RM"},  {"(2,k)", "8", "7", "DM.x", "DM", "RM"},
      {"(3,i)", "4", "4", "CC.y", "DM", "DM"},  {"(3,j)", "20", "5", "CC.x", "DM", "DM"},
      {"(3,k)", "1", "6", "CC.z", "DM", "DM"},  {"(4,i)", "1", "11", "SM.y", "SM", "RM"},
      {"(4,j)", "1", "12", "SM.z", "SM", "RM"}, {"(4,k)", "128", "10", "SM.x", "SM", "RM"},
      {"(5,i)", "1", "14", "RM.y", "SM", "RM"}, {"(5,j)", "1", "15", "RM.z", "SM", "RM"},
      {"(5,k)", "2", "13", "RM.x", "SM", "RM"}};
  const std::vector<std::string> rows =
      rows_of(print_table(config(tvm_entries), tvm_matmul(), machine::find_machine("cuda")));
  ASSERT_EQ(rows.size(), expected.size() + 2);
  EXPECT_EQ(rows[0], "level #PRT D1 D2 D3 D4 S1 S2 S3 S4 S5 S6 R1 R2 R3 R4");
  for (size_t n = 0; n < expected.size(); ++n) {
    const Row& r = expected[n];
    EXPECT_EQ(rows[n + 1],
              fmt::format("{0} {1} {2} {3} A:{4},B:{4} A:[1,2],B:[1,2] {2} {3} - - - - {2} {3} "
                          "C:{5} C:[1,2]",
                          r.level, r.parts, r.rank, r.on, r.read, r.write));
  }
  EXPECT_EQ(rows.back(), "f - - - - - - - A:SM,B:SM A:[1,2],B:[1,2] C:RM C:[1,2] - - - -");
}

TEST(Table, columns_are_aligned_below_the_common_part) {
  const hl::Program dot = computation(dot_text, {{"K", 6}});
  Config c = config(R"("sizes": {"K": 6}, "layers": ["COR", "L1"],
      "split": {"k": ["COR 2", "L1 3"]}, "order": ["COR.k", "L1.k"],
      "code": {"kernel": {"compiler": "gcc"}})");
  EXPECT_EQ(
      print_table(c, dot, artificial()),
      R"({"mdh_config": 1, "program": "dot", "sizes": {"K": 6}, "types": {}, "machine": "artificial",
 "layers": ["COR", "L1"],
 "split": {},
 "order": [],
 "code": {"kernel": {"compiler": "gcc"}}}
level  #PRT  D1  D2     D3         D4           S1  S2     S3         S4           S5    S6    R1  R2     R3    R4
(1,k)  2     1   COR.x  x:HM,y:HM  x:[1],y:[1]  1   COR.x  -          -            -     -     1   COR.x  s:HM  s:[]
(2,k)  3     2   L1.x   x:HM,y:HM  x:[1],y:[1]  2   L1.x   -          -            -     -     2   L1.x   s:HM  s:[]
(3,k)  1     3   HM.x   x:HM,y:HM  x:[1],y:[1]  3   HM.x   -          -            -     -     3   HM.x   s:HM  s:[]
f      -     -   -      -          -            -   -      x:HM,y:HM  x:[1],y:[1]  s:HM  s:[]  -   -      -     -
)");
}

// ---- there and back

TEST(Table, random_configurations_are_read_back) {
  Random random(41);
  for (int n = 0; n < 150; ++n) {
    const hl::Program program = random_computation(random);
    const machine::Machine& m = random.pick(machine::machines());
    Config c = random_config(random, program, m);
    c.sizes = {{"N", random.between(1, 9)}};
    c.types = {{"T", "f64"}};
    c.code.kernel.flags = {"-O3"};
    const std::string table = print_table(c, program, m);
    const Config found = parse_table(table, program, m);
    ASSERT_TRUE(parameters_of(found, program, m) == parameters_of(c, program, m))
        << table << print(found);
    Config expected = config_of(parameters_of(c, program, m), program, m);
    expected.sizes = c.sizes;
    expected.types = c.types;
    expected.code = c.code;
    ASSERT_EQ(print(found), print(expected));
    ASSERT_EQ(rows_of(print_table(found, program, m)), rows_of(table));
  }
}

TEST(Table, an_open_level_is_read_back) {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram sum<K: size = *> = out_view( s: i64 = [] )"
                         " * md_hom( k: K by pw(add) ) { s = x; } * inp_view( x: i64 = [k] )"),
               {});
  const Config c = config(R"("layers": ["COR", "L1"], "split": {"k": ["COR *", "L1 8"]},
                             "order": ["COR.k", "L1.k"])");
  const Config found = parse_table(print_table(c, p, artificial()), p, artificial());
  EXPECT_EQ(found.split, c.split);
}

TEST(Table, blank_lines_and_other_names_of_layers_are_read) {
  const machine::Machine& cuda = machine::find_machine("cuda");
  std::string table = print_table(config(tvm_entries), tvm_matmul(), cuda);
  for (size_t at = table.find("CC."); at != std::string::npos; at = table.find("CC.", at)) {
    table.replace(at, 2, "THR");
  }
  const Config found = parse_table(table + "\n\n", tvm_matmul(), cuda);
  EXPECT_TRUE(parameters_of(found, tvm_matmul(), cuda) ==
              parameters_of(config(tvm_entries), tvm_matmul(), cuda));
}

// ---- refusals

class Refusals : public testing::Test {
 protected:
  const hl::Program dot = computation(dot_text, {{"K", 6}});
  const std::string good =
      print_table(config(R"("layers": ["COR", "L1", "HM"], "split": {"k": ["COR 2", "L1 3"]},
                "order": ["COR.k", "L1.k"])"),
                  dot, artificial());

  std::string with(const std::string& from, const std::string& to) const {
    std::string table = good;
    const size_t at = table.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? table : table.replace(at, from.size(), to);
  }

  std::string without(const std::string& row) const {
    std::string table = good;
    const size_t begin = table.find("\n" + row);
    return table.erase(begin, table.find('\n', begin + 1) - begin);
  }

  /// "line message" of a table that must be refused.
  std::string complaint(const std::string& table) const {
    const Diagnostic d = diagnostic_of([&] { parse_table(table, dot, artificial(), "t.txt"); });
    EXPECT_EQ(d.code, "E319") << d.message;
    EXPECT_EQ(d.hint, "one row per level of the machine, one for f: see mdh show --table");
    return fmt::format("{} {}", d.where.line, d.message);
  }
};

TEST_F(Refusals, the_good_table_is_read) { EXPECT_NO_THROW(parse_table(good, dot, artificial())); }

TEST_F(Refusals, rows_and_columns_are_complete) {
  EXPECT_EQ(complaint("{\"mdh_config\": 1}\n"), "1 there is no line that names the columns");
  EXPECT_EQ(complaint(with("#PRT", "PRT")), "1 there is no line that names the columns");
  EXPECT_EQ(complaint(good + "(1,k) 2\n"), "10 a row has 16 cells, not 2");
  EXPECT_EQ(complaint(without("(3,k)")), "9 2 levels are there, the machine has 3");
  EXPECT_EQ(complaint(without("f ")), "9 the row of f is missing");
  EXPECT_EQ(complaint(good + "f - - - - - - - x:HM,y:HM x:[1],y:[1] s:HM s:[] - - - -\n"),
            "10 the row of f occurs twice");
}

TEST_F(Refusals, levels_exist_and_occur_once) {
  EXPECT_EQ(complaint(with("(2,k)", "(1,k)")), "7 level (1,k) occurs twice");
  EXPECT_EQ(complaint(with("(2,k)", "(4,k)")), "7 '4' is not a number from 1 to 3");
  EXPECT_EQ(complaint(with("(2,k)", "(2,j)")), "7 '(2,j)' is not a level such as (1,k)");
  EXPECT_EQ(complaint(with("(2,k)", "2,k")), "7 '2,k' is not a level such as (1,k)");
  EXPECT_EQ(complaint(with("(2,k)", "(2)")), "7 '(2)' is not a level such as (1,k)");
}

TEST_F(Refusals, numbers_are_in_range) {
  EXPECT_EQ(complaint(with("(2,k)  3 ", "(2,k)  0 ")),
            "7 '0' is not a number from 1 to 1099511627776");
  EXPECT_EQ(complaint(with("(2,k)  3     2", "(2,k)  3     1")), "7 rank 1 occurs twice");
  EXPECT_EQ(complaint(with("(2,k)  3     2", "(2,k)  3     x")),
            "7 'x' is not a number from 1 to 1048576");
}

TEST_F(Refusals, machine_levels_exist_and_are_used_once) {
  EXPECT_EQ(complaint(with("L1.x", "L2.x")), "7 'L2.x' is not a level of machine 'artificial'");
  EXPECT_EQ(complaint(with("L1.x", "L1")), "7 'L1' is not a level of machine 'artificial'");
  EXPECT_EQ(complaint(with("L1.x", "COR.y")), "10 two levels of k are on COR");
  EXPECT_EQ(complaint(with("\"L1\", \"HM\"", "\"L1\", \"L1\"")),
            "1 \"layers\" names a layer twice, or one that the machine does not have");
}

TEST_F(Refusals, two_dimensions_do_not_share_a_machine_level) {
  const hl::Program p = computation(matvec_text, {{"I", 2}, {"K", 2}});
  const Config c = config(R"("layers": ["COR"], "split": {"i": ["COR 2"], "k": ["COR 2"]},
                             "order": ["COR.i", "COR.k"])");
  const std::string table = print_table(c, p, artificial());
  for (int column = 0; column < 3; ++column) {
    std::string changed = table;
    size_t at = changed.find("COR.y");
    for (int n = 0; n < column; ++n) at = changed.find("COR.y", at + 1);
    changed.replace(at, 5, "COR.x");
    EXPECT_EQ(diagnostic_of([&] { parse_table(changed, p, artificial()); }).message,
              "two levels are on COR.x");
  }
}

TEST_F(Refusals, places_are_complete) {
  EXPECT_EQ(complaint(with("x:HM,y:HM", "x:HM")), "6 expected ',y:' in the cell 'x:HM'");
  EXPECT_EQ(complaint(with("x:HM,y:HM", "x:HM,y:HM,z:HM")),
            "6 unexpected ',z:HM' in the cell 'x:HM,y:HM,z:HM'");
  EXPECT_EQ(complaint(with("x:HM,y:HM", "x:L2,y:HM")), "6 machine 'artificial' has no region 'L2'");
  EXPECT_EQ(complaint(with("x:[1],y:[1]", "x:[2],y:[1]")), "6 '2' is not a number from 1 to 1");
  EXPECT_EQ(complaint(with("x:[1],y:[1]", "x:1,y:[1]")), "6 '1' is not a layout such as [1,2]");
  EXPECT_EQ(complaint(with("x:[1],y:[1]", "x:[1,y:[1]")),
            "6 expected ',y:' in the cell 'x:[1,y:[1]'");
  EXPECT_EQ(complaint(with("y:[1]", "y:[1")), "6 unexpected '[1' in the cell 'x:[1],y:[1'");
}

}  // namespace
}  // namespace mdh::ll::table_test
