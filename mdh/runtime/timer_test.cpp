#include "mdh/runtime/timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>

namespace mdh::runtime::timer_test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Work that takes time in proportion to `units`.
void spin(int units) {
  for (volatile int n = 0; n < 2000 * units;) n = n + 1;
}

// ---- statistics, against values worked out by hand

TEST(Summarize, odd_number_of_samples) {
  const Timing t = summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(t.count, 5);
  EXPECT_DOUBLE_EQ(t.median_us, 3);
  EXPECT_DOUBLE_EQ(t.mean_us, 3);
  // Squares 4 1 0 1 4, variance 10 / 4, and Student's t for 4 degrees is 4.6041.
  EXPECT_NEAR(t.ci99_us, 4.6041 * std::sqrt(2.5) / std::sqrt(5.0), 1e-3);
}

TEST(Summarize, even_number_of_samples_has_its_median_in_between) {
  const Timing t = summarize({10, 1, 3, 2});
  EXPECT_DOUBLE_EQ(t.median_us, 2.5);
  EXPECT_DOUBLE_EQ(t.mean_us, 4);
  // Squares 36 9 1 4, variance 50 / 3, and Student's t for 3 degrees is 5.8409.
  EXPECT_NEAR(t.ci99_us, 5.8409 * std::sqrt(50.0 / 3) / 2, 1e-3);
}

TEST(Summarize, outlier_moves_the_mean_and_not_the_median) {
  const Timing t = summarize({1, 1, 100, 1, 1});
  EXPECT_DOUBLE_EQ(t.median_us, 1);
  EXPECT_DOUBLE_EQ(t.mean_us, 20.8);
}

TEST(Summarize, equal_samples_leave_no_doubt) { EXPECT_DOUBLE_EQ(summarize({7, 7, 7}).ci99_us, 0); }

TEST(Summarize, one_sample_has_no_interval) {
  const Timing t = summarize({3});
  EXPECT_EQ(t.count, 1);
  EXPECT_DOUBLE_EQ(t.median_us, 3);
  EXPECT_DOUBLE_EQ(t.mean_us, 3);
  EXPECT_DOUBLE_EQ(t.ci99_us, 0);
}

TEST(Summarize, no_sample_is_no_time) {
  EXPECT_EQ(summarize({}).count, 0);
  EXPECT_DOUBLE_EQ(summarize({}).median_us, 0);
}

/// P(|T| <= t) for Student's T, by Simpson's rule on its density.
double student_coverage(int degrees, double t) {
  const double scale = std::exp(std::lgamma((degrees + 1) / 2.0) - std::lgamma(degrees / 2.0)) /
                       std::sqrt(degrees * std::numbers::pi);
  const auto density = [&](double x) {
    return scale * std::pow(1 + x * x / degrees, -(degrees + 1) / 2.0);
  };
  constexpr int steps = 4000;
  double sum = density(0) + density(t);
  for (int n = 1; n < steps; ++n) sum += (n % 2 == 1 ? 4 : 2) * density(t * n / steps);
  return 2 * sum * t / steps / 3;
}

TEST(Summarize, interval_covers_the_mean_in_99_of_100_cases_for_any_number_of_samples) {
  for (const int count : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 21, 30, 41, 80, 101, 1000}) {
    // A one among zeros: the deviation of the mean is 1 / count.
    std::vector<double> samples(count, 0.0);
    samples[0] = 1;
    const double t = summarize(samples).ci99_us * count;
    EXPECT_GE(student_coverage(count - 1, t), 0.9899) << count << " samples, t = " << t;
    EXPECT_LE(student_coverage(count - 1, t), 0.9935) << count << " samples, t = " << t;
  }
}

TEST(Measure, clock_of_the_host_runs_beside_one_of_its_own) {
  const auto run = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return 0.25;
  };
  const Timing t = measure_by(run, {.warm_up = 1, .least = 3, .most = 3, .seconds = 10});
  EXPECT_DOUBLE_EQ(t.median_us, 0.25);
  EXPECT_GE(t.host_us, 2000);
  const Timing same = measure([] { spin(2); }, {.warm_up = 0, .least = 3, .most = 3});
  EXPECT_GE(same.host_us, same.median_us);
}

// ---- when to stop

TEST(Measure, well_known_time_stops_at_the_least_number) {
  int calls = 0;
  const Timing t = measure([&] { ++calls; }, {.warm_up = 3, .least = 4, .accuracy = 1e9});
  EXPECT_EQ(t.count, 4);
  EXPECT_EQ(calls, 3 + 4);
}

TEST(Measure, uncertain_time_stops_at_the_greatest_number) {
  int calls = 0;
  const Timing t =
      measure([&] { spin(1 + 5 * (++calls % 2)); },
              {.warm_up = 1, .least = 2, .most = 12, .seconds = 100, .accuracy = 1e-9});
  EXPECT_EQ(t.count, 12);
  EXPECT_EQ(calls, 1 + 12);
}

TEST(Measure, late_measurement_stops_but_not_before_the_least_number) {
  int calls = 0;
  const Timing t = measure([&] { spin(1 + 5 * (++calls % 2)); },
                           {.warm_up = 0, .least = 6, .seconds = 0, .accuracy = 1e-9});
  EXPECT_EQ(t.count, 6);
}

TEST(Measure, seconds_end_the_measurement) {
  const auto start = Clock::now();
  int calls = 0;
  const Timing t =
      measure([&] { spin(10 + 50 * (++calls % 2)); },
              {.warm_up = 0, .least = 2, .most = 1000000000, .seconds = 0.05, .accuracy = 1e-9});
  EXPECT_GE(seconds_since(start), 0.05);
  EXPECT_GT(t.count, 2);
  EXPECT_LT(t.count, 1000000000);
}

TEST(Measure, warm_up_is_not_counted) {
  int calls = 0;
  const Timing t =
      measure([&] { spin(++calls == 1 ? 5000 : 1); }, {.warm_up = 1, .least = 3, .most = 3});
  // The first call is thousands of times longer than the others; with it the mean were a third.
  const auto start = Clock::now();
  spin(5000);
  EXPECT_LT(t.mean_us, seconds_since(start) * 1e6 / 10);
}

TEST(Measure, time_is_in_microseconds) {
  const auto wait = [] {
    const auto start = Clock::now();
    while (seconds_since(start) < 2e-3) {
    }
  };
  const Timing t = measure(wait, {.warm_up = 0, .least = 5, .most = 5});
  EXPECT_GE(t.median_us, 2000);
  EXPECT_LT(t.median_us, 200000);
}

TEST(Measure, what_has_a_clock_of_its_own_is_believed) {
  int runs = 0;
  const auto run = [&] {
    spin(1);
    return 10.0 + ++runs % 3;  // 11, 12, 10, ...
  };
  const Timing t = measure_by(run, {.warm_up = 3, .least = 6, .most = 6, .seconds = 10});
  EXPECT_EQ(runs, 9);
  EXPECT_EQ(t.count, 6);
  EXPECT_DOUBLE_EQ(t.median_us, 11);
  EXPECT_DOUBLE_EQ(t.mean_us, 11);
}

// ---- ratios

TEST(InterleavedRatio, three_times_the_work_takes_three_times_as_long) {
  const TimingLimits limits{.least = 21, .most = 101, .seconds = 0.2};
  const double slower = interleaved_ratio([] { spin(20); }, [] { spin(60); }, limits);
  EXPECT_GT(slower, 2.0);
  EXPECT_LT(slower, 4.5);
  const double faster = interleaved_ratio([] { spin(60); }, [] { spin(20); }, limits);
  EXPECT_GT(faster, 1 / 4.5);
  EXPECT_LT(faster, 1 / 2.0);
}

TEST(InterleavedRatio, both_run_in_turn) {
  std::string order;
  interleaved_ratio([&] { order += 'o'; }, [&] { order += 'p'; }, {.warm_up = 1, .most = 3});
  EXPECT_EQ(order, "opopopop");
}

TEST(InterleavedRatio, late_comparison_stops_but_not_before_the_least_number) {
  int rounds = 0;
  interleaved_ratio([&] { ++rounds; }, [] { spin(1); }, {.warm_up = 2, .least = 4, .seconds = 0});
  EXPECT_EQ(rounds, 2 + 4);
}

}  // namespace
}  // namespace mdh::runtime::timer_test
