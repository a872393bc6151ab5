// Numbers as case lines write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plusmax::properties {

// The shortest decimal that reads back to the same double; "nan", "inf", "-inf".
std::string number_text(double);
// Decimal ("-9.7", "1e4"), hexadecimal ("0x1.8p-3"), "inf", "infinity", "nan"; any case, optional sign. All of the
// text, or nothing.
std::optional<double> parse_number(std::string_view);
// Decimal, or a power such as "2^31".
std::optional<std::int64_t> parse_integer(std::string_view);
// Decimal or hexadecimal with 0x, 64 bits.
std::optional<std::uint64_t> parse_unsigned(std::string_view);

}  // namespace plusmax::properties
