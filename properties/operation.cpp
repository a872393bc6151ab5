#include "properties/operation.hpp"

#include "properties/suggest.hpp"

#include <algorithm>
#include <iterator>

namespace plusmax::properties {
namespace {

constexpr std::string_view kDesigned[] = {"cross_entropy", "linear_cross_entropy"};  // docs/contracts.md has them

}  // namespace

const Operation* find_operation(std::string_view name) {
  for (const Operation* operation : operations::all())
    if (name == operation->name) return operation;
  return nullptr;
}

const Operation& operation_named(std::string_view name) {
  if (const Operation* operation = find_operation(name)) return *operation;
  std::vector<std::string> names;
  for (const Operation* operation : operations::all()) names.emplace_back(operation->name);
  if (std::find(std::begin(kDesigned), std::end(kDesigned), name) != std::end(kDesigned))
    throw UsageError("operation " + std::string(name) + " is not in this version: use " + listed(names));
  throw UsageError("unknown operation " + quoted(name) + suggestion(name, names));
}

std::span<const Check* const> checks_of(std::string_view op) {
  const Operation* operation = find_operation(op);
  return operation ? operation->checks() : std::span<const Check* const>();
}

}  // namespace plusmax::properties
