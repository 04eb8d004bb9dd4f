#include "tools/mdh/tuned.h"

#include <filesystem>

#include "mdh/support/files.h"

namespace mdh::tool {
namespace {

/// Empty: there is none.
std::string tuned_file_to_read(const Request& request) {
  if (!request.tuned.empty()) return request.tuned;
  if (request.no_records || request.no_tuned || !is_file_name(request.program)) return {};
  std::error_code ignored;
  const std::string beside = request.program + ".tuned";
  return std::filesystem::exists(beside, ignored) ? beside : "";
}

}  // namespace

std::string tuned_file_to_write(const Request& request) {
  if (!request.tuned.empty()) return request.tuned;
  if (is_file_name(request.program)) return request.program + ".tuned";
  user_error("E875", {},
             fmt::format("there is no file for configurations of '{}', a program of the catalogue",
                         request.program),
             "name one by --tuned, such as --tuned " + request.program + ".mdh.tuned");
}

void require_shippable(const Request& request) {
  const std::string file = tuned_file_to_write(request);
  tune::load_tuned(file);
  require_writable(file);
}

tuning::ShippedConfigs shipped_configs_of(const Request& request, const hl::Program& program,
                                          const tuning::Site& where) {
  const std::string file = tuned_file_to_read(request);
  if (file.empty()) return {};
  try {
    return shipped_configs(program, where, tune::parse_tuned(read_file(file), file), file);
  } catch (const Error& e) {
    if (!request.tuned.empty() || e.diagnostic().kind == DiagnosticKind::internal) throw;
    return {{},
            {fmt::format("'{}' is not used: {} [{}]", file, e.diagnostic().message,
                         e.diagnostic().code)}};
  }
}

std::string ship_best(const Request& request, const hl::Program& program, const tuning::Site& where,
                      const std::vector<tune::Record>& records) {
  const auto shipment = tuning::ship(program, where, records, tuned_file_to_write(request));
  if (!shipment) return {};
  using Kind = tuning::Shipment::Kind;
  const char* what = shipment->kind == Kind::added      ? "added"
                     : shipment->kind == Kind::replaced ? "better than before"
                                                        : "as before";
  return fmt::format("{}: {:.4g} us", what, shipment->record.time_us.median);
}

}  // namespace mdh::tool
