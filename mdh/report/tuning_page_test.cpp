#include "mdh/report/tuning_page.h"

#include <gtest/gtest.h>

#include "mdh/report/markup_check.h"
#include "mdh/report/sections.h"
#include "mdh/report/test_runs.h"

namespace mdh::report::tuning_page_test {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

TEST(TuningPage, is_well_formed_and_loads_nothing) {
  const std::string page = html(test_page());
  EXPECT_EQ(mistake_in(page), "");
  EXPECT_EQ(count(page, "<section>"), 5U);
  EXPECT_EQ(count(page, "<svg"), 3U);
  for (const char* outside : {"http", "<script", "<link", "<img", "url(", "@import", "src="}) {
    EXPECT_FALSE(has(page, outside)) << outside;
  }
  EXPECT_TRUE(has(page, "prefers-color-scheme: dark"));
}

TEST(TuningPage, says_what_was_tuned_and_what_came_of_it) {
  const std::string text = summary_section(test_page());
  for (const char* part :
       {"<h1>matmul</h1>", "I = 1024, J = 1024, K = 1024 · T = f32", "7.5 ms", "286.2 GFLOP/s",
        "12.00×", "cpu, 2 threads", "ARM 0xd40, 2 cores, neon, L1 64 KiB",
        "2026-11-15 17:20:25 UTC", "60s, ended by: time", "auto, seed 1", "12, 2 failed",
        "<td>compile_error</td><td class=\"number\">2</td>", "gcc -O3"}) {
    EXPECT_TRUE(has(text, part)) << part;
  }
}

TEST(TuningPage, convergence_has_every_trial) {
  const std::string text = convergence_section(test_page());
  EXPECT_EQ(count(text, "class=\"trial\""), 7U);  // nine searched, two of them failed
  EXPECT_EQ(count(text, "class=\"trial of-final\""), 3U);
  EXPECT_EQ(count(text, "class=\"failure\""), 2U);
  EXPECT_EQ(count(text, "class=\"best-so-far\""), 1U);
  EXPECT_TRUE(has(text, "<title>1, after 0.0 s: 90 ms\nCOR.j 2, L2.k 2, L2.i 8, "));
  EXPECT_TRUE(has(text, "A in L1, REG; B in L2; C in REG; gcc -O3</title>"));
}

TEST(TuningPage, what_comes_from_outside_is_escaped) {
  TuningPage page = test_page();
  page.program.name = "<b>&\"p\"";
  page.machine.name = "<machine> & 'co'";
  page.hardware.model = "\"<model>\"";
  page.choices = {"--lock 'a<b&c'"};
  page.command = "mdh run 'x<y>&z.mdh'";
  page.report.best->config.program = "<b>&\"p\"";
  const std::string text = html(page);
  EXPECT_EQ(mistake_in(text), "");
  EXPECT_TRUE(has(text, "<h1>&lt;b&gt;&amp;&quot;p&quot;</h1>"));
  EXPECT_TRUE(has(text, "&lt;machine&gt; &amp; &#39;co&#39;, 2 threads"));
  EXPECT_TRUE(has(text, "mdh run &#39;x&lt;y&gt;&amp;z.mdh&#39;"));
  EXPECT_TRUE(has(text, "&lt;stdin&gt;:1: error: unknown type name &#39;a&amp;b&#39;"));
}

TEST(TuningPage, has_no_estimates_of_machines_without_a_model) {
  TuningPage page = test_page();
  EXPECT_TRUE(has(html(page), "<h2>Roofline</h2>"));
  page.is_estimated = false;
  const std::string text = html(page);
  EXPECT_EQ(mistake_in(text), "");
  EXPECT_FALSE(has(text, "<h2>Roofline</h2>"));
  EXPECT_FALSE(has(text, "estimated"));
  EXPECT_TRUE(has(text, "7.5 ms"));
}

TEST(TuningPage, shows_how_the_best_configuration_is_launched_on_a_device) {
  const TuningPage page = test_page_of_device();
  const std::string text = html(page);
  EXPECT_EQ(mistake_in(text), "");
  EXPECT_FALSE(has(text, "<h2>Roofline</h2>"));
  const std::string device = grid_section(page);
  for (const char* part :
       {"<h2>On the device</h2>",
        "<td>blocks of the grid</td><td class=\"number\">256</td><td>BLK.i 16 × BLK.j 16</td>",
        "<td>parts of a block for its warps</td><td class=\"number\">8</td><td>WRP.i 8</td>",
        "<td>parts of those for threads</td><td class=\"number\">32</td><td>THR.j 32</td>",
        "<td>warps of a block</td><td class=\"number\">8</td><td>256 threads in all</td>",
        "<td>shared memory of a block</td><td class=\"number\">0 B</td>", "<td>waves</td>",
        "of 2048 that it has room for", "7.5 ms"}) {
    EXPECT_TRUE(has(device, part)) << part << device;
  }
  for (const char* kind : {"16 parts, blocks", "8 parts, warps", "32 parts, threads"}) {
    EXPECT_TRUE(has(text, kind)) << kind;
  }
}

TEST(TuningPage, estimates_say_that_they_are) {
  const std::string text = traffic_section(test_page());
  EXPECT_TRUE(has(text, "<h2>Memory traffic and time, estimated</h2>"));
  EXPECT_TRUE(has(text, "<td>L3</td><td>memory</td>"));
  EXPECT_TRUE(has(text, "12 MiB"));  // every buffer once
  EXPECT_TRUE(has(text, "<td>measured</td><td class=\"number\">7.5 ms</td>"));
}

TEST(TuningPage, the_tree_shows_copies_and_accumulators) {
  const std::string text = tree_section(test_page());
  EXPECT_TRUE(has(text, ">2 parts, threads</text>"));
  EXPECT_TRUE(has(text, "copy A into L1 as [i@L1, k@L1, i@REG]: 128 × 512, 256 KiB"));
  EXPECT_TRUE(has(text, "B stays in L2: 512 × 512, 1 MiB"));
  EXPECT_TRUE(has(text, "accumulate C in REG: 8 × 8, 256 B"));
}

TEST(TuningPage, roofs_are_typical_or_measured) {
  TuningPage page = test_page();
  EXPECT_TRUE(has(roofline_section(page), "typical, not measured"));
  page.rates.memory_of_all = 57;
  const std::string text = roofline_section(page);
  EXPECT_TRUE(has(text, "by measured rates"));
  EXPECT_TRUE(has(text, "memory 57 GB/s"));
}

TEST(TuningPage, the_configuration_has_the_commands_that_use_it) {
  const std::string text = config_section(test_page());
  EXPECT_TRUE(has(text, "&quot;mdh_config&quot;: 1"));
  EXPECT_TRUE(has(text, "mdh run matmul --config best.json"));
  EXPECT_TRUE(has(text, "It is recorded"));
  TuningPage page = test_page();
  page.command.clear();
  EXPECT_FALSE(has(config_section(page), "It is recorded"));
}

TEST(TuningPage, a_search_that_found_nothing_has_a_page) {
  TuningPage page = test_page();
  page.report.trials = {page.report.trials[3], page.report.trials[7]};
  page.report.searched = 2;
  page.report.best = page.report.untuned = std::nullopt;
  const std::string text = html(page);
  EXPECT_EQ(mistake_in(text), "");
  EXPECT_EQ(count(text, "class=\"failure\""), 2U);
  EXPECT_TRUE(has(text, "no configuration works"));
  page.report = {};
  EXPECT_EQ(mistake_in(html(page)), "");
  EXPECT_TRUE(has(html(page), "Nothing was tried."));
}

TEST(TuningPage, claims_no_gain_that_no_final_has_shown) {
  TuningPage page = test_page();
  EXPECT_TRUE(has(html(page), "12.00×"));
  page.report.gain = std::nullopt;
  page.report.no_gain_because = "the budget is too small for a final";
  EXPECT_FALSE(has(html(page), "as fast as untuned"));
  EXPECT_TRUE(has(html(page), "not known: the budget is too small for a final"));
  page.report.loaded = 3;
  EXPECT_TRUE(has(html(page), "3 times were taken while other programs used the cores"));
}

TEST(TuningPage, one_trial_is_enough) {
  TuningPage page = test_page();
  page.report.trials = {page.report.trials.back()};
  page.report.searched = 1;
  page.report.failures.clear();
  page.report.untuned = page.report.best = page.report.trials.front();
  EXPECT_EQ(mistake_in(html(page)), "");
  EXPECT_EQ(count(html(page), "nan"), 0U);
  EXPECT_EQ(count(html(page), "inf\""), 0U);
}

}  // namespace
}  // namespace mdh::report::tuning_page_test
