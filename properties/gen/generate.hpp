// Random Cases, weighted towards the edges at which kernels break. Pure functions of their key: no state, no clock.
#pragma once

#include "kernels/platform/device.hpp"
#include "properties/case.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace plusmax::properties::gen {

// How large a generated Case may become.
struct CaseLimits {
  std::int64_t max_rows = 2048;
  std::int64_t max_cols = 131073;       // just above 2^17, the largest vocabularies in use being close to it
  std::int64_t max_logits = 300'000;
  std::int64_t max_span_bytes = std::int64_t{1} << 36;  // address range of the logits: untouched bytes cost the host nothing
};
// Limits that fit the device: a GPU maps the whole range of a strided buffer, the host only the pages in use.
CaseLimits limits_for(const Device&);

// Throws UsageError with the field and its value unless every limit is at least 1.
void require_valid(const CaseLimits&);

constexpr int kNominalSize = 100;  // what RapidCheck calls the nominal size

// `size` from 0 (tiny) to kNominalSize (everything the limits allow).
Case draw_case(std::string_view op, const CaseLimits&, std::uint64_t key, int size);

// A neighbour of `of`: one to three small edits. What the targeted search climbs with.
Case mutate(const Case& of, const CaseLimits&, std::uint64_t key);

// Widths around which the code paths of kernels change: powers of two and 32 k, one less and one more; ascending.
std::span<const std::int64_t> threshold_cols();

// Bytes between the first and the last byte of the logits.
std::int64_t span_bytes(const Case&);

// validate() has nothing to say.
bool is_valid(const Case&);

}  // namespace plusmax::properties::gen
