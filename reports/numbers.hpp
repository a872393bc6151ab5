// Numbers as people and files read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plusmax::reports {

std::string decimal(double value);                  // shortest that reads back to the same bits; "nan", "inf", "-inf"
std::string hex_float(double value);                // "0x1.8p+0"; "nan", "inf", "-inf"
std::string brief(double value, int digits = 3);    // "0.184", "2.3e+06": for tables and figures
std::string grouped(std::uint64_t count);           // "1 234 567"
std::string duration(double seconds);               // "41 s", "3 min 20 s", "1 h 02 min"
std::string percent(double share);                  // "98.6 %"
std::string memory_size(std::uint64_t bytes);       // "6.30 GB", "66.8 MB", "512 B"; powers of 1000, halves up
// Reads decimal(), hex_float() and "nan", "inf", "-inf". Throws std::invalid_argument with the text.
double parse_number(std::string_view text);

}  // namespace plusmax::reports
