// What a case needs of this machine's memory, asked before anything is written: memory that is only reserved fails
// late.
#pragma once

#include "kernels/platform/device.hpp"
#include "properties/case.hpp"

#include <string>

namespace plusmax::properties {

// Why not, with the bytes, or empty: one row as doubles and a number for each row, and the logits themselves where
// `device` is the host.
std::string memory_refusal(const Case& of, const Device& device);

}  // namespace plusmax::properties
