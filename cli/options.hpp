// The options that several verbs share, by the words of docs/reports.md.
#pragma once

#include "cli/arguments.hpp"
#include "kernels/include/plusmax/types.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plusmax::cli {

// What is tested.
struct Selection {
  std::string backend;                 // "host", "cuda" or empty: cuda if a device answers, else host
  std::string module;                  // path of a foreign kernel module instead
  std::string op, variant, dtype, match;
  std::vector<std::string> checks;

  // Throws properties::UsageError for a name that does not exist, or an expression that does not parse.
  void validate() const;
  std::optional<plusmax_dtype> dtype_filter() const;
  bool matches(const std::string& text) const;  // --match; true if it was not given

 private:
  mutable std::function<bool(const std::string&)> matches_;  // made from --match by the first use
};

// How it is run.
struct Running {
  std::string out = "out";
  std::uint64_t seed = 1;
  bool seed_given = false;
  int jobs = 0;            // 0: every core on the host, 1 on cuda
  double timeout = 300;    // seconds for one check of one variant on one case
  bool quiet = false;
  int verbosity = 0;
};

void add_backend(Arguments& arguments, Selection& selection);
void add_selection(Arguments& arguments, Selection& selection);   // with --backend
// Why the text is no number of seconds, no seed, no count or no count above 0; empty if it is one. Validators of
// options.
std::string refuse_seconds(const std::string& text);
std::string refuse_seed(const std::string& text);
std::string refuse_count(const std::string& text);
std::string refuse_no_count(const std::string& text);
std::string refuse_outside(const std::string& text, int low, int high);
template <int kLow, int kHigh>
std::string refuse_outside(const std::string& text) {
  return refuse_outside(text, kLow, kHigh);
}
std::string refuse_no_name(const std::string& text);

void add_running(Arguments& arguments, Running& running);

// "60s", "5m", "1h" or plain seconds. Throws properties::UsageError.
double parse_duration(const std::string& text);

// "268435456", "2^28", "256MB", "0.25 GB", "256MiB". Nothing for what is no number of bytes from 1 to 2^62.
std::optional<std::uint64_t> parse_bytes(const std::string& text);
std::string refuse_bytes(const std::string& text);

const std::vector<std::string>& operation_names();
const std::vector<std::string>& dtype_names();

}  // namespace plusmax::cli
