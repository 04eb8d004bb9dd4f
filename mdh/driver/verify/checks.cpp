#include "mdh/driver/verify/checks.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

namespace mdh::driver {
namespace {

using scalar::Scalar;

/// Bits of the mantissa of the coarsest float among the results; 53 if there is none.
int mantissa_of(const hl::Program& p) {
  double epsilon = scalar::epsilon_of(Scalar::f64);
  for (const hl::BufferView& view : p.outputs) {
    for (const scalar::Leaf& leaf : leaves_of(view.type)) {
      if (is_floating(leaf.type)) epsilon = std::max(epsilon, scalar::epsilon_of(leaf.type));
    }
  }
  return 1 - static_cast<int>(std::lround(std::log2(epsilon)));
}

/// n terms of one size t round to n · u · n · t at most, an eighth of √n · t; half of that n.
double terms_that_bite(int mantissa) { return 0.5 * std::pow(2.0, (mantissa - 3) / 1.5); }

/// Whole numbers below ten, so many of them, are summed up exactly.
double exact_terms(int mantissa) { return std::pow(2.0, mantissa / 2.0 - 2); }

/// One set of few numbers is enough for so many results: thousands of them have one term or two.
constexpr int64_t many_results = int64_t{1} << 22;

bool is_no_loop(const scalar::Expr& e) {
  const auto* call = e.as<scalar::Call>();
  return !e.as<scalar::Loop>() && !(call && call->callee && !all_nodes(*call->callee, is_no_loop));
}

bool has_loops(const Meaning& meaning) {
  return !all_nodes(meaning.f, is_no_loop) || !all_nodes(meaning.combine, is_no_loop);
}

Yardstick twin_yardstick(const Subject& s) {
  return {twin_views(s.computation), twin_of(meaning_of(s.computation), twin_seed)};
}

}  // namespace

Checks::Checks(Subject subject, CheckLimits limits)
    : subject_(std::move(subject)),
      limits_(std::move(limits)),
      yardstick_(subject_.computation, subject_.deviations),
      gates_(find_gates(subject_.computation, meaning_of(subject_.computation))) {
  if (subject_.run_twin) twin_ = twin_yardstick(subject_);
}

std::vector<kernel::Module> Checks::modules() const {
  std::vector<kernel::Module> modules;
  if (hl::points(subject_.computation) <= limits_.interpreted) return modules;
  if (yardstick_.can_be_compiled()) modules.push_back(yardstick_.plain_loops("mdh_definition"));
  if (twin_ && twin_->can_be_compiled()) {
    modules.push_back(twin_->plain_loops("mdh_definition_of_twin"));
  }
  return modules;
}

void Checks::use(const runtime::LoadedKernels& kernels, int threads) {
  kernels_ = kernels;
  threads_ = threads;
}

std::span<void* const> Checks::inputs_of(const Memory& memory) const {
  return memory.pointers().subspan(subject_.computation.outputs.size());
}

std::span<void* const> Checks::outputs_of(const Memory& memory) const {
  return memory.pointers().first(subject_.computation.outputs.size());
}

Points Checks::points(const Yardstick& yardstick, Sampling sampling) const {
  const hl::Program& p = subject_.computation;
  const int64_t limit = yardstick.is_compiled() ? limits_.compiled : limits_.interpreted;
  const int64_t work = sampling == Sampling::generous  ? 4 * limit
                       : sampling == Sampling::sparing ? limit / 2
                                                       : limit / 4;
  const int64_t least = sampling == Sampling::always ? 2 : 16;
  const int64_t affordable = work / std::max<int64_t>(1, terms_of(p));
  return chosen_points(
      p, {.border_steps = subject_.border_steps,
          .seed = limits_.seed,
          .limit = sampling == Sampling::always ? 0 : limit,
          .samples = static_cast<int>(std::clamp<int64_t>(affordable, least, limits_.samples))});
}

Coverage Checks::coverage(const Points& points) const {
  return points.all ? Coverage::full : Coverage::sampled;
}

namespace {

/// The compiled definition of that name, if there is one.
void compile_by(const runtime::LoadedKernels& kernels, const std::string& name,
                std::span<void* const> inputs, int threads, Yardstick& yardstick) {
  if (yardstick.is_compiled()) return;
  for (const auto& kernel : kernels) {
    if (kernel->module().name == name) yardstick.compute_by(kernel, inputs, threads);
  }
}

void reject(const std::string& complaint, Verification& result) {
  if (!result.right) return;
  result.right = false;
  result.complaint = complaint;
}

}  // namespace

/// What was prepared before, or the newest one.
Checks::Prepared& Checks::kept(const std::string& key, const std::function<Prepared()>& make) {
  if (!limits_.keeps) kept_.clear();
  auto found = kept_.find(key);
  if (found == kept_.end()) found = kept_.emplace(key, make()).first;
  return found->second;
}

Checks::Prepared Checks::prepared_twin(int round) {
  const hl::Program& views = twin_->program();
  Prepared p{subject_.memory(views), {}, {}, {}};
  const std::span<void* const> inputs = inputs_of(*p.memory);
  fill(views, inputs, Numbers::words, limits_.seed + 17 + static_cast<uint64_t>(round));
  compile_by(kernels_, "mdh_definition_of_twin", inputs, threads_, *twin_);
  finish(*twin_, p, Sampling::generous);
  return p;
}

/// What one kernel only is compared with is not kept: it may be large.
void Checks::finish(const Yardstick& yardstick, Prepared& p, Sampling sampling) const {
  p.points = points(yardstick, sampling);
  if (!limits_.keeps) return;
  p.expected = yardstick.expected(p.points, inputs_of(*p.memory), p.about, limits_.share);
}

Checks::Judged Checks::judged(const Yardstick& yardstick, const Prepared& p) const {
  if (!p.expected) return judged(yardstick, *p.memory, p.points, p.about);
  return {compare(yardstick.program(), *p.expected, p.points, outputs_of(*p.memory),
                  second_opinion(yardstick, *p.memory, p.points, p.about)),
          p.expected->weakness, p.expected->orders_differ};
}

/// Bounds are for numbers that neither overflow nor vanish inside of f. Where a result is beyond
/// its bound all of its terms are followed, as long as that does not take too long.
Comparer::SecondOpinion Checks::second_opinion(const Yardstick& yardstick, const Memory& memory,
                                               const Points& points, const About& about) const {
  if (!yardstick.has_bounds()) return {};
  auto left = std::make_shared<std::atomic<int64_t>>(int64_t{1} << 23);
  const int64_t terms = terms_of(subject_.computation);
  return [=, this, &yardstick, &memory, &points](int64_t n) -> std::vector<scalar::Enclosure> {
    if (left->fetch_sub(terms) < 0) return {};
    return yardstick.followed(points, n, inputs_of(memory), about);
  };
}

Checks::Judged Checks::judged(const Yardstick& yardstick, const Memory& memory,
                              const Points& points, const About& about) const {
  Comparer comparer(yardstick.program(), points, outputs_of(memory),
                    second_opinion(yardstick, memory, points, about));
  std::mutex mutex;
  double weakness = 0;
  bool orders_differ = false;
  const auto take = [&](int64_t first, const Expected& expected) {
    comparer.take(first, expected.leaves);
    const std::lock_guard<std::mutex> lock(mutex);
    weakness = std::max(weakness, expected.weakness);
    orders_differ = orders_differ || expected.orders_differ;
  };
  yardstick.each(points, inputs_of(memory), about, take, limits_.share);
  return {comparer.result(), weakness, orders_differ};
}

void Checks::check_twin(Verification& result) {
  if (!twin_) {
    result.twin.note = without_twin(subject_.computation);
    return;
  }
  const bool narrow = mantissa_of(subject_.computation) <= 11;
  for (int round = 0; round < (narrow ? 3 : 1) && result.right; ++round) {
    Prepared& p = kept(fmt::format("twin {}", round), [&] { return prepared_twin(round); });
    p.memory->poison(0xA5);
    subject_.run_twin(*p.memory);
    const Comparison c = judged(*twin_, p).comparison;
    ++result.twin.runs;
    result.twin.coverage = coverage(p.points);
    if (!c.right) {
      reject(
          "in the kernel's twin, which computes with whole words and never rounds, " + c.complaint,
          result);
    }
  }
}

Checks::Prepared Checks::prepared_set(const Set& set) {
  const hl::Program& program = subject_.computation;
  Prepared p{subject_.memory(program), {}, {.whole = set.numbers == Numbers::whole}, {}};
  const std::span<void* const> inputs = inputs_of(*p.memory);
  std::optional<Thinning> thinning;
  if (set.gate < gates_.size()) {
    thinning = {gates_[set.gate], set.terms / static_cast<double>(terms_of(program)), {}};
    if (set.borders) {
      thinning->points = border_points(hl::sizes(program), subject_.border_steps, 48, set.seed);
    }
  }
  fill(program, inputs, set.numbers, limits_.seed + set.seed, thinning);
  compile_by(kernels_, "mdh_definition", inputs, threads_, yardstick_);
  finish(yardstick_, p, set.sampled ? Sampling::always : Sampling::sparing);
  return p;
}

void Checks::check_set(const Set& set, const std::string& what, Verification& result,
                       Check& check) {
  const std::string key = fmt::format("set {} {}", set.seed, set.terms);
  Prepared& p = kept(key, [&] { return prepared_set(set); });
  p.memory->poison(0xA5);
  subject_.run(*p.memory);
  const Judged j = judged(yardstick_, p);
  ++check.runs;
  if (!set.sampled) check.coverage = coverage(p.points);
  if (&check == &result.random) {  // instead of those on data that hide too much
    result.weakness = j.weakness;
    result.max_error = j.comparison.max_error;
    result.bound = j.comparison.bound;
  }
  if (j.comparison.right) return;
  reject(what + j.comparison.complaint, result);
  for (size_t b = 0; b < subject_.computation.inputs.size(); ++b) {
    const hl::BufferView& view = subject_.computation.inputs[b];
    result.failed_on.push_back(scalar::copy_from_memory(
        view.type, hl::extents(subject_.computation, view), inputs_of(*p.memory)[b]));
  }
}

Checks::Task Checks::task_for(Memory& memory, Inputs inputs) {
  compile_by(kernels_, "mdh_definition", inputs_of(memory), threads_, yardstick_);
  Task task{.points = points(yardstick_)};
  task.coverage = coverage(task.points);
  task.expected = yardstick_.expected(task.points, inputs_of(memory), {}, limits_.share);
  if (inputs == Inputs::given || gates_.empty()) return task;
  const hl::Program& program = subject_.computation;
  double terms = terms_that_bite(mantissa_of(program));
  for (int round = 0; round < 4 && task.expected.weakness > 0.125; ++round, terms /= 4) {
    thin(program, inputs_of(memory),
         {gates_.front(), terms / static_cast<double>(terms_of(program)), {}}, limits_.seed);
    task.expected = yardstick_.expected(task.points, inputs_of(memory), {}, limits_.share);
  }
  return task;
}

Comparison Checks::compare_with(const Task& task, const Memory& memory) const {
  return compare(subject_.computation, task.expected, task.points, outputs_of(memory),
                 second_opinion(yardstick_, memory, task.points, {}));
}

void Checks::check_thinned(Verification& result) {
  check_few(result);
  check_wide(result);
}

void Checks::check_few(Verification& result) {
  const int mantissa = mantissa_of(subject_.computation);
  const double most = std::max(1.0, exact_terms(mantissa));
  const std::string what = "on few whole numbers, ";
  check_set({.terms = most / 2, .borders = true, .seed = 1}, what, result, result.thinned);
  if (gates_.empty() || !result.right) {
    if (result.weakness > 0) result.thinned.note = "no input makes its terms 0";
    return;
  }
  if (scalar::volume(hl::result_sizes(subject_.computation)) > many_results) return;
  check_set({.terms = most, .gate = gates_.size() - 1, .seed = 2}, what, result, result.thinned);
  // One or two terms in a result: all that f itself computes shows. Numbers of all sizes do that,
  // too.
  if (!result.right || may_have_wide()) return;
  check_set({.numbers = Numbers::tenths, .terms = 1, .seed = 3}, "on few numbers, ", result,
            result.thinned);
}

/// A loop of f may run as often as its input says: not on large numbers.
bool Checks::may_have_wide() const { return !has_loops(meaning_of(subject_.computation)); }

/// Small numbers do not show what f does with large ones, at its constants, and where it compares.
void Checks::check_wide(Verification& result) {
  if (!result.right || !may_have_wide()) return;
  const bool many = scalar::volume(hl::result_sizes(subject_.computation)) > many_results;
  check_set({.numbers = Numbers::wide, .terms = 1, .seed = 5, .sampled = many},
            "on numbers of all sizes, ", result, result.thinned);
}

void Checks::check_random(const Memory& memory, int64_t depth, Verification& result) {
  compile_by(kernels_, "mdh_definition", inputs_of(memory), threads_, yardstick_);
  const Points at = points(yardstick_);
  const Judged j = judged(yardstick_, memory, at, {.depth = depth});
  const Comparison& c = j.comparison;
  result.coverage = result.random.coverage = coverage(at);
  ++result.random.runs;
  result.max_error = c.max_error;
  result.bound = c.bound;
  result.weakness = j.weakness;
  result.orders_differ = j.orders_differ;
  if (!c.right) reject(c.complaint, result);
}

void Checks::check_random_thinned(Verification& result) {
  if (result.weakness <= 0.125 || !result.right) return;
  if (gates_.empty()) {
    result.random.note = "rounding hides more than an eighth of long sums, and no input is neutral";
    return;
  }
  double terms = terms_that_bite(mantissa_of(subject_.computation));
  for (int round = 0; round < 4 && result.weakness > 0.125 && result.right; ++round, terms /= 4) {
    check_set({.numbers = Numbers::tenths, .terms = terms, .seed = 4}, "on thinned numbers, ",
              result, result.random);
  }
  if (result.weakness > 0.125) result.random.note = "rounding hides more than an eighth of sums";
}

}  // namespace mdh::driver
