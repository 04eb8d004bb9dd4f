#include "mdh/runtime/worker/message.h"

#include <array>
#include <cstring>

#include <nlohmann/json.hpp>

namespace mdh::runtime {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 8> status_names = {
    "ok", "crash", "timeout", "exit", "out_of_memory", "no_room", "no_device", "error"};

/// A launch is [name, groups, items, local bytes, cluster, in order], a loop is [count, steps].
json to_json(const std::vector<kernel::Step>& steps) {
  json all = json::array();
  for (const kernel::Step& step : steps) {
    if (const auto* launch = std::get_if<kernel::Launch>(&step.is)) {
      all.push_back(json::array({launch->function, launch->groups, launch->items,
                                 launch->local_bytes, launch->cluster, launch->in_order}));
    } else {
      const auto& repeat = std::get<kernel::Repeat>(step.is);
      all.push_back(json::array({repeat.count, to_json(repeat.body)}));
    }
  }
  return all;
}

std::vector<kernel::Step> steps_from(const json& all) {
  std::vector<kernel::Step> steps;
  for (const json& step : all) {
    if (step.at(0).is_string()) {
      steps.push_back(
          {kernel::Launch{step.at(0), step.at(1), step.at(2), step.at(3), step.at(4), step.at(5)}});
    } else {
      steps.push_back({kernel::Repeat{step.at(0), steps_from(step.at(1))}});
    }
  }
  return steps;
}

json to_json(const TimingLimits& l) {
  return {l.warm_up, l.least, l.most, l.seconds, l.accuracy, static_cast<int>(l.caches)};
}

TimingLimits limits_from(const json& l) {
  const auto caches = static_cast<Caches>(l.at(5).get<int>());
  return {l.at(0), l.at(1), l.at(2), l.at(3), l.at(4), caches};
}

/// What `read` makes of the text, or nothing where that is not possible.
template <class F>
auto parsed(const std::string& text, F read) -> std::optional<decltype(read(json()))> {
  try {
    return read(json::parse(text));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

kernel::Module module_of(const WorkRequest& request) {
  kernel::Module module;
  module.steps = request.steps;
  module.arguments.resize(request.bytes.size());
  for (size_t n = 0; n < module.arguments.size(); ++n) {
    module.arguments[n].is_output = request.is_output[n];
  }
  module.workspace_bytes = request.workspace_bytes;
  module.zeroed_bytes = request.zeroed_bytes;
  module.parts_on_cores = request.parts_on_cores;
  return module;
}

std::string to_string(WorkStatus status) { return status_names[static_cast<size_t>(status)]; }

std::string to_text(const WorkRequest& r) {
  json out = {{"mdh", r.version},
              {"device", r.device},
              {"model", r.model},
              {"library", r.library},
              {"steps", to_json(r.steps)},
              {"bytes", r.bytes},
              {"is_output", r.is_output},
              {"workspace", r.workspace_bytes},
              {"zeroed", r.zeroed_bytes},
              {"parts", r.parts_on_cores},
              {"threads", r.threads},
              {"time_limit", r.time_limit},
              {"measure", nullptr},
              {"stay", r.inputs_stay},
              {"outputs", r.wants_outputs},
              {"filled", r.filled ? json(*r.filled) : json(nullptr)},
              {"all_inputs", r.compares_all_inputs}};
  if (r.measure) out["measure"] = to_json(*r.measure);
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<WorkRequest> request_from(const std::string& text) {
  return parsed(text, [](const json& in) {
    WorkRequest r{.version = in.at("mdh"),
                  .device = in.at("device"),
                  .model = in.at("model"),
                  .library = in.at("library"),
                  .steps = steps_from(in.at("steps")),
                  .bytes = in.at("bytes"),
                  .is_output = in.at("is_output"),
                  .workspace_bytes = in.at("workspace"),
                  .zeroed_bytes = in.at("zeroed"),
                  .parts_on_cores = in.at("parts"),
                  .threads = in.at("threads"),
                  .time_limit = in.at("time_limit"),
                  .inputs_stay = in.at("stay"),
                  .wants_outputs = in.at("outputs"),
                  .compares_all_inputs = in.at("all_inputs")};
    if (!in.at("measure").is_null()) r.measure = limits_from(in.at("measure"));
    if (!in.at("filled").is_null()) r.filled = in.at("filled").get<int>();
    return r;
  });
}

std::string to_text(const Outcome& o) {
  const json out = {{"status", to_string(o.status)},
                    {"reason", o.reason},
                    {"timing",
                     {o.timing.median_us, o.timing.mean_us, o.timing.ci99_us, o.timing.count,
                      o.timing.load, o.timing.host_us}},
                    {"last", o.is_last},
                    {"hint", o.hint},
                    {"renewed", o.has_renewed_inputs}};
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Outcome> outcome_from(const std::string& text) {
  return parsed(text, [](const json& in) {
    Outcome o{WorkStatus::error, in.at("reason"), {}};
    for (size_t n = 0; n < status_names.size(); ++n) {
      if (in.at("status") == status_names[n]) o.status = static_cast<WorkStatus>(n);
    }
    o.is_last = in.at("last");
    o.hint = in.at("hint");
    o.has_renewed_inputs = in.at("renewed");
    const json& t = in.at("timing");
    o.timing = {t.at(0), t.at(1), t.at(2), t.at(3), t.at(4), t.at(5)};
    return o;
  });
}

std::optional<CrashNote> crash_from(const std::string& text) {
  CrashNote note;
  if (text.size() != sizeof(note) || std::memcmp(text.data(), note.tag, sizeof(note.tag)) != 0) {
    return std::nullopt;
  }
  std::memcpy(&note, text.data(), sizeof(note));
  return note;
}

}  // namespace mdh::runtime
