#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"
#include "mdh/loop/verify.h"

namespace mdh::loop::verify_warps_test {
namespace {

TEST(LoopVerify, warps_wait_where_they_exist) {
  const More warps{"digit h: THR.i < 3 of i step 1 cores\nwarp 32\n", ""};
  const More on_axes{"digit h: THR.i < 3 of i step 1 cores axis x\nwarp 32\n", ""};
  const std::string waits = "a barrier inside of Deal";
  const std::string none = "a barrier of warps that do not exist";
  const auto with = [](const More& declared, const std::string& body) {
    const std::string text = diagnostic_of([&] { parse(rows_text(body, declared)); }).message;
    const std::string begin = "not a well-formed loop program: ";
    if (!text.starts_with(begin)) return text;
    return text.substr(begin.size(), text.rfind(" (") - begin.size());
  };
  EXPECT_EQ(with(warps, "deal grid () { barrier warp; }"), "(no error was raised)");
  EXPECT_EQ(with({}, "deal grid () { barrier warp; }"), none);
  EXPECT_EQ(with(warps, "barrier warp;"), none) << "outside of groups";
  EXPECT_EQ(with(on_axes, "deal grid () { barrier warp; }"), none);
  EXPECT_EQ(with(warps, "deal cores () { barrier warp; }"), waits);
  EXPECT_EQ(with(warps, "deal warp () { }"), "shares of warps");
  EXPECT_EQ(with({"warp 0\n", ""}, ""), "warps of 0 cores");
}

TEST(LoopVerify, a_wait_keeps_some_groups_or_none) {
  Program p = rows_with("wait 2;");
  verify(p);
  p.body = {StmtNode{Wait{-1}}};
  EXPECT_EQ(internal_error_of([&] { verify(p); }), "a wait that keeps -1 groups in flight");
}

}  // namespace
}  // namespace mdh::loop::verify_warps_test
