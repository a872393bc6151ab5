// Catch2 2.13 and 3 under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define PLUSMAX_CATCH_SEED() Catch::getSeed()
using Catch::Approx;  // Catch2 2.13 has it in the global namespace
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>

#include <string>
#define PLUSMAX_CATCH_SEED() Catch::rngSeed()
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
