// Catch2 2.13 and 3 under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define PLUSMAX_CATCH_SEED() Catch::getSeed()
#else
#include <catch2/catch.hpp>
#define PLUSMAX_CATCH_SEED() Catch::rngSeed()
#endif
