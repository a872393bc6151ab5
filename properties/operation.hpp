// What the harness asks of an operation: properties/ops/OP.cpp defines `extern const Operation OP`. Whatever belongs to
// one operation lies under its name, in properties/ops/OP/ and properties/checks/OP/.
#pragma once

#include "properties/case.hpp"
#include "properties/check.hpp"
#include "properties/inspect.hpp"
#include "properties/profile.hpp"
#include "properties/subject.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

struct Operation {
  const char* name;
  std::span<const Check* const> (*checks)();
  std::vector<Subject> (*subjects)(const Module&);
  std::vector<Case> (*profile)(Profile, std::span<const plusmax_dtype>);
  std::string (*refusal)(const Subject&, const Case&);  // why the variant does not take the case, or empty
  // The first rows of a case that it takes.
  std::vector<RowResult> (*inspect)(const Case&, const Subject&, std::int64_t most);
  std::vector<RowBound> (*explain)(const Case&, const Subject&, std::int64_t most);
};

namespace operations {
std::span<const Operation* const> all();
}
const Operation* find_operation(std::string_view name);        // nullptr if this build has none
const Operation& operation_named(std::string_view name);       // throws UsageError
std::span<const Check* const> checks_of(std::string_view op);  // none if this build has no such operation

}  // namespace plusmax::properties
