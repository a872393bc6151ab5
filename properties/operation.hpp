// What the harness asks of an operation: properties/ops/OP.cpp defines `extern const Operation OP`. Whatever belongs to
// one operation lies under its name, in properties/ops/OP/ and properties/checks/OP/.
#pragma once

#include "properties/answers.hpp"
#include "properties/bench_bed.hpp"
#include "properties/case.hpp"
#include "properties/check.hpp"
#include "properties/inspect.hpp"
#include "properties/profile.hpp"
#include "properties/subject.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties {

namespace gen {
class Draw;
}

struct Operation {
  const char* name;
  // Keys of its case lines beyond those of the logits, and the given ones as a line writes them, which throws
  // UsageError.
  std::span<const std::string_view> (*keys)() = nullptr;
  std::vector<std::pair<std::string, std::string>> (*canonical)(const Case&) = nullptr;

  // Random ones for a case with drawn logits, which may be laid out anew.
  void (*draw)(gen::Draw&, Case&) = nullptr;

  // What follows is null as long as only its lines can be written.
  std::span<const Check* const> (*checks)() = nullptr;
  std::vector<Subject> (*subjects)(const Module&) = nullptr;
  std::vector<Case> (*profile)(Profile, std::span<const plusmax_dtype>) = nullptr;
  std::string (*refusal)(const Subject&, const Case&) = nullptr;  // why the variant does not take the case, or empty
  // What results take beside a few numbers a row: as read back, and, on the host, where they are written.
  double (*result_bytes)(const Case&, bool on_host) = nullptr;
  // The first rows of a case that it takes.
  std::vector<RowResult> (*inspect)(const Case&, const Subject&, InspectLimits) = nullptr;
  std::vector<RowBound> (*explain)(const Case&, const Subject&, InspectLimits) = nullptr;
  // The numbers that a case gives, by the names that inspect() has for them, and the one that case files need not name.
  std::vector<ResultName> (*results)(const Case&) = nullptr;
  const char* main_result = nullptr;
  // For bench: the cases that it times when none is named, what the line of a shape says unless told otherwise, whether
  // launches are timed in rounds with their products, and a case in device memory, which throws UsageError or std::bad_alloc.
  std::vector<BenchCase> (*bench_cases)(std::string_view backend) = nullptr;
  const char* bench_options = "";
  bool bench_products = false;
  std::unique_ptr<BenchBed> (*bench_bed)(const Case&, const Module&) = nullptr;
};

namespace operations {
std::span<const Operation* const> written();  // generated from properties/ops/
std::span<const Operation* const> all();      // those that can run
}  // namespace operations
const Operation& grammar_of(std::string_view name);       // throws UsageError: no such operation, or not even its lines
const Operation* find_operation(std::string_view name);   // nullptr if this build has none
const Operation& operation_named(std::string_view name);  // throws UsageError
std::span<const Check* const> checks_of(std::string_view op);  // none if this build has no such operation

}  // namespace plusmax::properties
