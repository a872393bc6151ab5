// Storage types as the reference sees them: bits <-> exact double, and the constants of their format.
#pragma once

#include "kernels/include/plusmax/types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plusmax::reference {

std::size_t size_of(plusmax_dtype);                      // bytes
const char* name_of(plusmax_dtype);                      // "f32"
std::optional<plusmax_dtype> dtype_from(std::string_view name);
plusmax_dtype result_dtype(plusmax_dtype);               // of loss and lse: f32, f64 for f64
double unit_roundoff(plusmax_dtype);                     // u: 2^-24, 2^-11, 2^-8, 2^-53
int precision_bits(plusmax_dtype);                       // 24, 11, 8, 53
int minimum_exponent(plusmax_dtype);                     // of the smallest normal number: -126, -14, -126, -1022
double largest(plusmax_dtype);                           // largest finite value

double decode(plusmax_dtype, const void* element);       // exact
void encode(plusmax_dtype, double value, void* element); // nearest, ties to even; NaN becomes the quiet NaN
double round_to(plusmax_dtype, double value);            // decode(encode(value))

}  // namespace plusmax::reference
