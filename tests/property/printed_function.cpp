#include "tests/property/printed_function.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mdh/runtime/process.h"
#include "mdh/scalar/half.h"
#include "mdh/scalar/mathematics.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

using backend::Dialect;
using scalar::Function;
using scalar::Scalar;
using scalar::Type;
using scalar::Value;

/// C's built-ins under the names of OpenCL C; all of them in double, as the interpreter has them.
std::string opencl_in_c() {
  std::string text = "#define bool _Bool\n";
  for (const char* name : {"fabs", "fmin", "fmax"}) {
    text += fmt::format("#define {0} __builtin_{0}\n", name);
  }
  for (const std::string& name : scalar::math_names()) {
    text += fmt::format("#define {0} __builtin_{0}\n", name);
  }
  return "#ifndef bool\n" + text + "#endif\n";
}

Type result_type(const Function& f, size_t n) { return f.results[n].value.type(); }

using Bytes = std::vector<unsigned char>;

void write_element(Bytes& memory, int64_t element, const Type& type, const Value* leaves) {
  unsigned char* at = memory.data() + element * bytes_of(type);
  for (const scalar::Leaf& leaf : leaves_of(type)) {
    scalar::store(leaf.type, at + leaf.offset, *leaves++);
  }
}

void read_element(const Bytes& memory, int64_t element, const Type& type,
                  std::vector<Value>& leaves) {
  const unsigned char* at = memory.data() + element * bytes_of(type);
  for (const scalar::Leaf& leaf : leaves_of(type)) {
    leaves.push_back(scalar::load(leaf.type, at + leaf.offset));
  }
}

/// The buffers of a kernel: results, arguments, the number of cases.
std::vector<Bytes> memory_of(const Trial& trial) {
  const size_t count = trial.cases.size();
  std::vector<Bytes> buffers;
  for (size_t n = 0; n < trial.f.results.size(); ++n) {
    buffers.emplace_back(count * static_cast<size_t>(bytes_of(result_type(trial.f, n))));
  }
  size_t first = 0;
  for (const scalar::Parameter& p : trial.f.parameters) {
    Bytes& buffer = buffers.emplace_back(count * static_cast<size_t>(bytes_of(p.type)));
    for (size_t c = 0; c < count; ++c) {
      write_element(buffer, static_cast<int64_t>(c), p.type, trial.cases[c].data() + first);
    }
    first += static_cast<size_t>(width_of(p.type));
  }
  Bytes& number = buffers.emplace_back(8);
  const Value value = Value::integer(static_cast<int64_t>(count));
  write_element(number, 0, Scalar::i64, &value);
  return buffers;
}

bool agrees(Scalar type, Value a, Value b) {
  if (!is_floating(type) || a == b) return a == b;
  return std::isnan(a.as_floating()) && std::isnan(b.as_floating());
}

std::string texts(const std::vector<Value>& leaves, const std::vector<Scalar>& types) {
  std::vector<std::string> all;
  for (size_t n = 0; n < leaves.size(); ++n) all.push_back(to_string(types[n], leaves[n]));
  return join(all, ", ");
}

/// The interpreter's results, or none where it reports an error.
bool interpreted(const scalar::Tape& tape, const std::vector<Value>& arguments,
                 std::vector<Value>& results) {
  try {
    tape.run(arguments, results);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Cases results_of(const Trial& trial, const runtime::host::Kernel& kernel) {
  std::vector<Bytes> buffers = memory_of(trial);
  std::vector<void*> pointers;
  for (Bytes& buffer : buffers) pointers.push_back(buffer.data());
  kernel(pointers, 1);
  Cases results(trial.cases.size());
  for (size_t c = 0; c < trial.cases.size(); ++c) {
    for (size_t n = 0; n < trial.f.results.size(); ++n) {
      read_element(buffers[n], static_cast<int64_t>(c), result_type(trial.f, n), results[c]);
    }
  }
  return results;
}

std::vector<kernel::Module> modules_of(const std::vector<Trial>& trials,
                                       const Translation& translation) {
  std::vector<kernel::Module> modules;
  for (size_t n = 0; n < trials.size(); ++n) {
    modules.push_back(printed_module(trials[n].f, translation.dialect, fmt::format("trial_{}", n)));
    modules.back().contract_allowed = translation.contracts;
  }
  return modules;
}

std::string difference(const Trial& trial, const runtime::host::Kernel& kernel) {
  const Cases results = results_of(trial, kernel);
  const scalar::Tape tape(trial.f);
  const std::vector<Scalar> types = leaf_types(trial.f);
  std::vector<Scalar> given;
  for (const scalar::Parameter& p : trial.f.parameters) {
    for (const scalar::Leaf& leaf : leaves_of(p.type)) given.push_back(leaf.type);
  }
  for (size_t c = 0; c < trial.cases.size(); ++c) {
    const std::vector<Value>& found = results[c];
    std::vector<Value> expected(types.size());
    if (!interpreted(tape, trial.cases[c], expected)) continue;
    for (size_t n = 0; n < types.size(); ++n) {
      if (agrees(types[n], expected[n], found[n])) continue;
      return fmt::format("{}of ({}) gives ({}), not ({})\n{}", description(trial.f),
                         texts(trial.cases[c], given), texts(found, types), texts(expected, types),
                         kernel.module().source);
    }
  }
  return "";
}

}  // namespace

std::vector<Translation> translations() {
  std::vector<Translation> all;
  if (const std::string gcc = runtime::find_program("gcc"); !gcc.empty()) {
    // Mathematics of constants, which gcc computes itself, would be more exact than the library's.
    all.push_back({"gcc", Dialect::c, {gcc, {"-O2", "-frounding-math"}}});
  }
  if (const std::string clang = runtime::find_program("clang"); !clang.empty()) {
    const std::vector<std::string> flags = {"-O1", "-fno-openmp",
                                            "-fsanitize=undefined,float-cast-overflow,local-bounds",
                                            "-fsanitize-trap=all"};
    all.push_back({"sanitized", Dialect::c, {clang, flags}});
    all.push_back({"opencl", Dialect::opencl, {clang, flags}});
  }
  return all;
}

std::vector<Scalar> leaf_types(const Function& f) {
  std::vector<Scalar> types;
  for (size_t n = 0; n < f.results.size(); ++n) {
    for (const scalar::Leaf& leaf : leaves_of(result_type(f, n))) types.push_back(leaf.type);
  }
  return types;
}

std::string description(const Function& f) {
  std::string text;
  for (const auto* part : {&f.locals, &f.results}) {
    for (const scalar::Assignment& a : *part) {
      text += fmt::format("  {} = {};\n", a.target.name, scalar::print(a.value));
    }
  }
  return text;
}

// ---- values

std::vector<Value> edge_values(Scalar type) {
  if (type == Scalar::boolean) return {{0}, {1}};
  std::vector<Value> values;
  if (!scalar::is_floating(type)) {
    const uint64_t bits = 8 * static_cast<uint64_t>(bytes_of(type));
    const uint64_t top = uint64_t{1} << (bits - 1);
    for (const uint64_t v : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{7}, ~uint64_t{0},
                             ~uint64_t{1}, top, top - 1, top + 1, bits, bits + 1}) {
      values.push_back(scalar::from_integer(type, static_cast<int64_t>(v)));
    }
    return values;
  }
  for (const double v : {0.0,
                         1.0,
                         0.5,
                         1.5,
                         2.5,
                         3.0,
                         0.1,
                         1e-3,
                         127.5,
                         128.0,
                         255.9,
                         32767.5,
                         65504.0,
                         65520.0,
                         2147483648.0,
                         4294967296.0,
                         0x1p63,
                         0x1p64,
                         1e10,
                         1e38,
                         1e300,
                         0x1p-14,
                         0x1p-24,
                         0x1p-25,
                         0x1p-126,
                         0x1p-133,
                         0x1p-149,
                         1e-300,
                         static_cast<double>(INFINITY)}) {
    values.push_back(scalar::from_floating(type, v));
    values.push_back(scalar::from_floating(type, -v));
  }
  values.push_back(scalar::from_floating(type, std::nan("")));
  return values;
}

Value any_value(Choices& choices, Scalar type) {
  if (choices.chance(30)) return choices.pick(edge_values(type));
  const uint64_t bits = choices.next();
  if (!scalar::is_floating(type)) {
    return scalar::from_integer(
        type, choices.chance(50) ? static_cast<int64_t>(bits % 8) : static_cast<int64_t>(bits));
  }
  if (choices.chance(50)) {
    return scalar::from_floating(type, static_cast<double>(choices.between(-40, 40)) / 8);
  }
  const Bytes memory(reinterpret_cast<const unsigned char*>(&bits),
                     reinterpret_cast<const unsigned char*>(&bits) + sizeof bits);
  return scalar::load(type, memory.data());
}

/// Records are often alike, because functions of two of them compare.
Cases random_cases(Choices& choices, const Function& f, int count) {
  Cases cases(static_cast<size_t>(count));
  for (std::vector<Value>& one : cases) {
    for (size_t n = 0; n < f.parameters.size(); ++n) {
      const Type& type = f.parameters[n].type;
      const auto width = static_cast<size_t>(width_of(type));
      const bool is_repeated = n > 0 && width > 1 && f.parameters[n - 1].type == type;
      for (const scalar::Leaf& leaf : leaves_of(type)) {
        const bool copies = is_repeated && choices.chance(80);
        one.push_back(copies ? one[one.size() - width] : any_value(choices, leaf.type));
      }
    }
  }
  return cases;
}

// ---- code

kernel::Module printed_module(const Function& f, Dialect dialect, const std::string& name) {
  backend::ExprPrinter printer(dialect);
  std::string pointers, loads, stores;
  std::vector<std::string> arguments, results;
  kernel::Module module{.language = "c", .name = name};
  const auto buffer = [&](const Type& type, const std::string& pointer) {
    pointers += fmt::format("  {} *{} = buffers[{}];\n", printer.storage_type(type), pointer,
                            module.arguments.size());
    module.arguments.push_back({pointer, to_string(type), bytes_of(type), {1}, false});
  };
  for (size_t n = 0; n < f.results.size(); ++n) {
    results.push_back(fmt::format("result_{}", n));
    buffer(result_type(f, n), fmt::format("to_{}", n));
    stores += printer.store(result_type(f, n), fmt::format("to_{}[n]", n), results.back());
  }
  for (size_t n = 0; n < f.parameters.size(); ++n) {
    const Type& type = f.parameters[n].type;
    arguments.push_back(fmt::format("argument_{}", n));
    buffer(type, fmt::format("from_{}", n));
    loads += fmt::format("const {} {} = {};\n", printer.value_type(type), arguments.back(),
                         printer.load(type, fmt::format("from_{}[n]", n)));
  }
  buffer(Scalar::i64, "count");
  const std::string body = loads + printer.call(f, arguments, results) + stores;
  module.source = fmt::format(
      "{}{}void {}(void **buffers, char *workspace, long threads) {{\n{}  for (long n = 0; n < "
      "*count; ++n) {{\n{}  }}\n}}\n",
      dialect == Dialect::opencl ? opencl_in_c() : "", printer.helpers(), name, pointers,
      indent(body, 4));
  module.steps = {{kernel::Launch{name}}};
  module.contract_allowed = false;
  return module;
}

std::vector<Cases> compiled_results(const std::vector<Trial>& trials,
                                    const Translation& translation) {
  const std::vector<runtime::host::Kernel> kernels =
      runtime::host::load(modules_of(trials, translation), translation.compiler);
  std::vector<Cases> results;
  for (size_t n = 0; n < trials.size(); ++n) results.push_back(results_of(trials[n], kernels[n]));
  return results;
}

std::string difference(const std::vector<Trial>& trials, const Translation& translation) {
  const std::vector<runtime::host::Kernel> kernels =
      runtime::host::load(modules_of(trials, translation), translation.compiler);
  for (size_t n = 0; n < trials.size(); ++n) {
    const std::string found = difference(trials[n], kernels[n]);
    if (!found.empty()) return translation.name + ":\n" + found;
  }
  return "";
}

// ---- OpenCL C

bool can_read_opencl() { return !runtime::find_program("clang").empty(); }

std::string refused_as_opencl(const std::string& source) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "kernel.cl").string();
  write_file(path, source);
  const runtime::Exit read =
      runtime::run_program({runtime::find_program("clang"), "-x", "cl", "-cl-std=CL1.2", "-Xclang",
                            "-finclude-default-header", "-target", "spir64-unknown-unknown", "-w",
                            "-fsyntax-only", path},
                           folder.path());
  return read.status == 0 ? "" : read.output + source;
}

}  // namespace mdh::test
