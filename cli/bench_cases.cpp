#include "cli/bench_cases.hpp"

#include "properties/number.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace plusmax::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}
std::string key_of(const std::string& word) { return word.substr(0, word.find('=')); }

// What is usual, and what is given, which goes before it.
std::string merged(const std::string& usual, const std::string& given) {
  std::vector<std::string> words = words_of(usual);
  for (const std::string& word : words_of(given)) {
    std::erase_if(words, [&](const std::string& other) { return key_of(other) == key_of(word); });
    words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

struct Shape {
  std::int64_t rows = 0, cols = 0;
};
Shape shape_of(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross != std::string::npos) {
    const auto rows = properties::parse_integer(text.substr(0, cross)), cols = properties::parse_integer(text.substr(cross + 1));
    constexpr std::int64_t kMost = std::int64_t{1} << 36;  // logits; more memory than a GPU has
    if (rows && cols && *rows > 0 && *cols > 0 && *rows <= kMost / *cols) return {*rows, *cols};
  }
  throw properties::UsageError(fmt::format("--shape '{}' is no shape: write ROWSxCOLS, such as 8192x128256, up to 2^36 logits", text));
}

}  // namespace

std::vector<properties::BenchCase> bench_cases(const properties::Operation& operation, const std::vector<std::string>& shapes, const std::string& options, const Selection& selection, std::string_view backend, std::uint64_t seed) {
  const auto made = [&](const char* dtype, std::int64_t rows, std::int64_t cols, const std::string& own) {
    const std::string keys = merged(merged(operation.bench_options, own), options);
    return properties::parse_case(fmt::format("{} {} rows={} cols={} {} seed={}", operation.name, dtype, rows, cols, keys, seed));
  };
  std::vector<properties::BenchCase> cases;
  for (const std::string& text : shapes) {
    const Shape shape = shape_of(text);
    for (const std::string& dtype : selection.dtype.empty() ? std::vector<std::string>{"bf16", "f32"} : std::vector{selection.dtype})
      cases.push_back({made(dtype.c_str(), shape.rows, shape.cols, "")});
  }
  if (!shapes.empty()) return cases;
  for (const properties::BenchCase& usual : operation.bench_cases(backend)) {
    if (!usual.variant.empty() && !selection.variant.empty() && usual.variant != selection.variant) continue;
    const char* dtype = reference::name_of(usual.of.dtype);
    if (selection.dtype.empty() || selection.dtype == dtype) cases.push_back({made(dtype, usual.of.rows, usual.of.cols, usual.options), usual.variant});
  }
  return cases;
}

}  // namespace plusmax::cli
