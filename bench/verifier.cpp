#include "bench/verifier.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mdh/hl/analysis.h"

namespace mdh::bench {
namespace {

using driver::Verification;

constexpr int poison = 0xDB, other_poison = 0x24;

/// Programs with more points are checked by samples, as many as have about that many points.
constexpr int64_t most_points = int64_t{1} << 18;

/// A sample of a scan takes all points before it: there, everything costs less than samples.
bool has_scan(const hl::Program& program) {
  return std::any_of(program.dimensions.begin(), program.dimensions.end(),
                     [](const auto& d) { return d.combine.shape == hl::Shape::scan; });
}

int samples_of(const hl::Program& program) {
  int64_t points = 1;
  for (const int64_t size : hl::sizes(program)) points *= size;
  const int64_t one = points / scalar::volume(hl::result_sizes(program));
  const int64_t least = std::clamp<int64_t>((most_points << 8) / one, 4, 16);
  return static_cast<int>(std::clamp<int64_t>(most_points / one, least, driver::sample_count));
}

bool is_poison(const char* element, size_t bytes, int byte) {
  return std::all_of(element, element + bytes,
                     [&](char one) { return one == static_cast<char>(byte); });
}

/// The largest difference; infinite if there is a number on one side only.
template <class T>
double deviation_of(const std::vector<char>& one, const std::vector<char>& other) {
  double largest = 0;
  for (size_t at = 0; at < one.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, &one[at], sizeof(T));
    std::memcpy(&y, &other[at], sizeof(T));
    const double difference = std::abs(static_cast<double>(x) - static_cast<double>(y));
    if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

/// The same for records: infinite if any other field differs. Padding says nothing, since it keeps
/// what was there before.
double deviation_of_records(const scalar::Type& type, const std::vector<char>& one,
                            const std::vector<char>& other) {
  const auto count = static_cast<int64_t>(one.size()) / scalar::bytes_of(type);
  const scalar::Array x = copy_from_memory(type, {count}, one.data());
  const scalar::Array y = copy_from_memory(type, {count}, other.data());
  const std::vector<scalar::Leaf> leaves = leaves_of(type);
  double largest = 0;
  for (size_t n = 0; n < x.cells.size(); ++n) {
    if (x.cells[n] == y.cells[n]) continue;
    if (!is_floating(leaves[n % leaves.size()].type)) return INFINITY;
    const double difference = std::abs(x.cells[n].as_floating() - y.cells[n].as_floating());
    if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

double deviation_of(const scalar::Type& type, const std::vector<char>& one,
                    const std::vector<char>& other) {
  if (!type.is_scalar()) return deviation_of_records(type, one, other);
  if (type == scalar::Scalar::f32) return deviation_of<float>(one, other);
  if (type == scalar::Scalar::f64) return deviation_of<double>(one, other);
  return INFINITY;
}

}  // namespace

Verifier::Verifier(const hl::Program& program, driver::Memory& memory, uint64_t seed)
    : program_(program), memory_(memory), seed_(seed) {}

void Verifier::take(const std::vector<scalar::Array>& inputs, Numbers numbers) {
  inputs_ = &inputs;
  numbers_ = numbers;
  for (size_t n = 0; n < inputs.size(); ++n) {
    copy_to_memory(inputs[n], memory_.pointers()[program_.outputs.size() + n]);
  }
}

driver::VerifyOptions Verifier::options() const {
  const bool whole = numbers_ == Numbers::whole;
  return {.depth = whole ? 0 : driver::sequential_depth(program_),
          .seed = seed_,
          .whole = whole,
          .limit = has_scan(program_) ? hl::points(program_) : most_points,
          .samples = samples_of(program_)};
}

Verification Verifier::defined(Child& child) {
  const std::vector<scalar::Array> outputs =
      memory_.run_poisoned([&](std::span<void* const>) { child.compute(); });
  if (!child.is_usable()) return {};
  Verification result = driver::verify_outputs(program_, *inputs_, outputs, options());
  result.exact = result.right && numbers_ == Numbers::whole;
  return result;
}

Verification Verifier::by_definition(Child& child) {
  child.load();
  verified_ = defined(child);
  if (!verified_.right) return verified_;
  right_ = outputs_ = computed(child, poison);
  if (const int64_t count = unwritten(right_, computed(child, other_poison)); count > 0) {
    verified_.right = false;
    verified_.complaint = fmt::format("{} elements were not written", count);
  }
  return verified_;
}

Verification Verifier::by_mdh(Child& child, Exactness exactness) {
  child.load();
  outputs_ = computed(child, poison);
  const Bytes& outputs = outputs_;
  const Bytes again = computed(child, other_poison);
  if (!child.is_usable()) return {};
  Verification result = verified_;
  if (outputs == right_ && again == right_) return result;
  if (const int64_t count = unwritten(outputs, again); count > 0) {
    result.right = false;
    result.complaint = fmt::format("{} elements were not written", count);
    return result;
  }
  double deviation = 0;
  if (!is_near(outputs, deviation, exactness)) return defined(child);
  result.max_error = deviation + verified_.max_error;
  result.exact = false;
  return result;
}

Verifier::Bytes Verifier::computed(Child& child, int byte) {
  const size_t count = program_.outputs.size();
  for (size_t b = 0; b < count; ++b) {
    std::memset(memory_.pointers()[b], byte, static_cast<size_t>(memory_.shared().bytes()[b]));
  }
  child.compute();
  Bytes outputs;
  for (size_t b = 0; b < count; ++b) {
    const auto* from = static_cast<const char*>(memory_.pointers()[b]);
    outputs.emplace_back(from, from + memory_.shared().bytes()[b]);
  }
  return outputs;
}

/// How many of the elements that must be written kept their poison in both runs. Libraries need not
/// combine in the same order twice, so bits that differ say nothing.
int64_t Verifier::unwritten(const Bytes& one, const Bytes& other) const {
  int64_t written = 0, expected = 0;
  for (size_t b = 0; b < one.size(); ++b) {
    const auto bytes = static_cast<size_t>(scalar::bytes_of(program_.outputs[b].type));
    for (size_t at = 0; at < one[b].size(); at += bytes) {
      const bool kept =
          is_poison(&one[b][at], bytes, poison) && is_poison(&other[b][at], bytes, other_poison);
      written += kept ? 0 : 1;
    }
    expected += scalar::volume(hl::result_sizes(program_)) *
                static_cast<int64_t>(program_.outputs[b].accesses.size());
  }
  return expected - written;
}

/// Infinite where there are other numbers than floats, unless they are fields that are equal.
double Verifier::deviation_from_mdh(const Bytes& outputs) const {
  double deviation = 0;
  for (size_t b = 0; b < outputs.size(); ++b) {
    deviation = std::max(deviation, deviation_of(program_.outputs[b].type, outputs[b], right_[b]));
  }
  return deviation;
}

bool Verifier::is_near(const Bytes& outputs, double& deviation, Exactness exactness) const {
  constexpr double hundredth = 0.01;
  const bool is_whole = numbers_ == Numbers::whole;
  if (is_whole && exactness == Exactness::required) return false;
  deviation = deviation_from_mdh(outputs);
  return deviation <= (is_whole ? hundredth : 2 * verified_.bound);
}

}  // namespace mdh::bench
