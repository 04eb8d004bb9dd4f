// Mistakes on the command line, in our words: those of CLI11 change from version to version.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace mdh::tool {

/// Values of options, both ends included. What is no such number is refused before CLI11 reads it.
CLI::Validator whole_number(uint64_t low, uint64_t high);
CLI::Validator decimal_number(double low, double high);

/// Says what is wrong, with the nearest verb or option, and gives the exit code.
int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace mdh::tool
