#include "properties/operation.hpp"

#include "properties/suggest.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace plusmax::properties {
namespace {

[[noreturn]] void refuse(std::string_view name) {
  std::vector<std::string> names;
  for (const Operation* operation : operations::all()) names.emplace_back(operation->name);
  const auto written = operations::written();
  const bool designed =
      std::any_of(written.begin(), written.end(), [&](const Operation* o) { return name == o->name; });
  if (designed) throw UsageError("operation " + std::string(name) + " is not in this version: use " + listed(names));
  throw UsageError("unknown operation " + in_quotes(name) + suggestion(name, names));
}

}  // namespace

std::span<const Operation* const> operations::all() {
  static const std::vector<const Operation*> running = [] {
    std::vector<const Operation*> found;
    for (const Operation* operation : written())
      if (operation->checks) found.push_back(operation);
    return found;
  }();
  return running;
}

const Operation& grammar_of(std::string_view name) {
  for (const Operation* operation : operations::written())
    if (name == operation->name) return *operation;
  refuse(name);
}

const Operation* find_operation(std::string_view name) {
  for (const Operation* operation : operations::all())
    if (name == operation->name) return operation;
  return nullptr;
}

const Operation& operation_named(std::string_view name) {
  if (const Operation* operation = find_operation(name)) return *operation;
  refuse(name);
}

std::span<const Check* const> checks_of(std::string_view op) {
  const Operation* operation = find_operation(op);
  return operation ? operation->checks() : std::span<const Check* const>();
}

}  // namespace plusmax::properties
