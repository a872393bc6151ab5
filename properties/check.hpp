// A check is one property of one operation: properties/checks/OP/NAME.cpp defines `extern const Check NAME`.
#pragma once

#include "properties/case.hpp"
#include "properties/record.hpp"
#include "properties/subject.hpp"

#include <string_view>

namespace plusmax::properties {

struct Check {
  const char* name;
  const char* statement;  // the property as a sentence
  bool has_margin;        // its failures measure error / bound
  // Why not, or empty. A pure function of the case and the variant's own supports().
  std::string (*applies)(const Case&, const Subject&);
  // Fills everything from `outcome` down; may throw DeviceError, which the pipeline turns into a failure.
  void (*run)(const Case&, Subject&, Record&);
  // It makes rows of its own, or any will do: one case of each shape and layout is enough, and one of each set of options.
  bool own_rows = false;
};

const Check* find_check(std::string_view op, std::string_view name);  // nullptr if there is none

// How the reason of a failure begins that the device found: out of bounds, a race, divergence, a refused launch.
inline constexpr std::string_view kFaultPrefix = "fault: ";

// The only pipeline: identity of the record, applies(), run(), faults to outcomes, seconds.
Record run_check(const Check&, const Case&, Subject&);

}  // namespace plusmax::properties
