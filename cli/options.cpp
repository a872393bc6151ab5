#include "cli/options.hpp"

#include "cli/suggest.hpp"
#include "properties/case.hpp"
#include "properties/number.hpp"
#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>

namespace plusmax::cli {
namespace {

using properties::UsageError;

constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 62;

void require_known(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end())
    throw UsageError(unknown_name(kind, name, known));
}

// Of one operation, or of all.
std::vector<std::string> check_names(const std::string& op) {
  std::vector<std::string> names;
  for (const properties::Operation* operation : properties::operations::all()) {
    if (!op.empty() && op != operation->name) continue;
    for (const properties::Check* check : operation->checks())
      if (std::find(names.begin(), names.end(), check->name) == names.end()) names.emplace_back(check->name);
  }
  return names;
}

}  // namespace

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const properties::Operation* operation : properties::operations::all()) all.emplace_back(operation->name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64}) all.emplace_back(reference::name_of(dtype));
    return all;
  }();
  return names;
}

void Selection::validate() const {
  require_known("backend", backend, {"host", "cuda"});
  if (!op.empty()) properties::operation_named(op);
  require_known("dtype", dtype, dtype_names());
  const std::vector<std::string> known = check_names(op);
  for (const std::string& check : checks) require_known("check", check, known);
  if (!module.empty() && !backend.empty())
    throw UsageError(fmt::format("--module {} and --backend {} exclude each other: a module is its own backend", module, backend));
  matches("");
}

std::optional<plusmax_dtype> Selection::dtype_filter() const {
  return dtype.empty() ? std::nullopt : reference::dtype_from(dtype);
}

bool Selection::matches(const std::string& text) const {
  if (match.empty()) return true;
  try {
    if (!matches_)
      matches_ = [expression = std::regex(match, std::regex::ECMAScript | std::regex::optimize)](const std::string& whole) {
        // std::regex recurses for each character: literal data of thousands of values would overflow the stack.
        constexpr std::size_t kLongest = 1024;
        const auto end = whole.begin() + static_cast<std::ptrdiff_t>(std::min(whole.size(), kLongest));
        return std::regex_search(whole.begin(), end, expression);
      };
    return matches_(text);
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("--match '{}' is no regular expression: {}", match, error.what()));
  }
}

void add_backend(Arguments& arguments, Selection& s) {
  arguments.option("--backend", s.backend, "host or cuda (default: cuda if a device answers, else host)");
}

void add_selection(Arguments& arguments, Selection& s) {
  add_backend(arguments, s);
  arguments.option("--module", s.module, "test the kernel module at this path instead");
  arguments.option("--op", s.op, "only this operation");
  arguments.option("--variant", s.variant, "only this variant");
  arguments.option("--dtype", s.dtype, "only this storage type: f32, f16, bf16, f64");
  arguments.option("--check", s.checks, "only this check (may be repeated)");
  arguments.option("--match", s.match, "only where this expression is found in 'VARIANT CHECK [ID] CASE LINE'");
}

std::string refuse_seconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool usable = !text.empty() && *end == '\0' && std::isfinite(seconds) && seconds >= 0;
  return usable ? "" : fmt::format("'{}' is no time: write seconds, 0 or more", text);
}

std::string refuse_seed(const std::string& text) {
  return properties::parse_unsigned(text) ? "" : fmt::format("'{}' is no seed: write a whole number from 0 to 2^64 - 1", text);
}

std::string refuse_count(const std::string& text) {
  const std::optional<std::uint64_t> count = properties::parse_unsigned(text);
  return count && *count <= kLargestCount ? ""
                                          : fmt::format("'{}' is no count: write a whole number from 0 to 2^62", text);
}

std::string refuse_no_count(const std::string& text) {
  const std::optional<std::uint64_t> count = properties::parse_unsigned(text);
  return count && *count >= 1 && *count <= kLargestCount
             ? ""
             : fmt::format("'{}' is no count: write a whole number from 1 to 2^62", text);
}

std::string refuse_outside(const std::string& text, int low, int high) {
  const std::optional<std::uint64_t> number = properties::parse_unsigned(text);
  return number && *number >= static_cast<std::uint64_t>(low) && *number <= static_cast<std::uint64_t>(high)
             ? ""
             : fmt::format("'{}' is not in range: write a whole number from {} to {}", text, low, high);
}

std::string refuse_no_name(const std::string& text) { return text.empty() ? "the name of the file is empty" : ""; }

void add_running(Arguments& arguments, Running& r) {
  arguments.option("--out", r.out, "directory of the report; a previous run there moves to DIR.old", {.shows_default = true});
  arguments.option("--jobs", r.jobs, "processes (default: one per core on the host, 1 on cuda)", {.refuse = refuse_outside<1, 1024>});
  arguments.option("--timeout", r.timeout, "seconds for one check of one variant on one case, 0 for none", {.refuse = refuse_seconds, .shows_default = true});
  arguments.flag("-q,--quiet", r.quiet, "no progress, no summary; failures only");
  arguments.flag("-v,--verbose", r.verbosity, "every check as it ends; twice: with its figures");
}

double parse_duration(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" || unit == "min" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || factor == 0 || !(number > 0) || !std::isfinite(number * factor))
    throw UsageError(fmt::format("'{}' is no duration: write 60s, 5m or 1h", text));
  return number * factor;
}

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.^"), text.size());
  const std::string number = text.substr(0, end), unit = text.substr(std::min(text.find_first_not_of(' ', end), text.size()));
  constexpr std::pair<const char*, double> kUnits[] = {{"", 1},     {"B", 1},    {"kB", 1e3},     {"KB", 1e3},       {"MB", 1e6},        {"GB", 1e9},
                                                       {"TB", 1e12}, {"KiB", 1024}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  const auto known = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& row) { return row.first == unit; });
  if (known == std::end(kUnits)) return std::nullopt;
  const std::optional<std::int64_t> whole = properties::parse_integer(number);
  if (known->second == 1) return whole && *whole >= 1 && *whole <= std::int64_t{kLargestCount} ? std::optional<std::uint64_t>(*whole) : std::nullopt;
  const std::optional<double> scaled = whole ? static_cast<double>(*whole) : properties::parse_number(number);
  if (!scaled || !(*scaled * known->second >= 1 && *scaled * known->second <= static_cast<double>(kLargestCount))) return std::nullopt;
  return static_cast<std::uint64_t>(std::round(*scaled * known->second));
}

std::string refuse_bytes(const std::string& text) {
  return parse_bytes(text) ? "" : fmt::format("'{}' is no amount of memory: write bytes such as 268435456 or 2^28, 256MB or 0.25GB, from 1 to 2^62", text);
}

}  // namespace plusmax::cli
